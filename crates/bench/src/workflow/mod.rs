//! Workflows: what it costs to make one ready to run, and to find a run again.

mod compiling;
mod recalling;
mod sessions;

use crate::{error::Result, place::Place, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    eprintln!("measuring the compiler (1 of 2)");
    let mut rows = compiling::rows()?;
    eprintln!("measuring recall (2 of 2)");
    rows.extend(recalling::rows(place)?);
    Ok(rows)
}
