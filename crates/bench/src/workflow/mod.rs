//! Workflows: what it costs to make one ready to run, to follow a run, and to find one again.

mod compiling;
mod folding;
mod recalling;
mod sessions;

use crate::{error::Result, place::Place, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    eprintln!("measuring the compiler (1 of 3)");
    let mut rows = compiling::rows()?;
    eprintln!("measuring projections (2 of 3)");
    rows.extend(folding::rows()?);
    eprintln!("measuring recall (3 of 3)");
    rows.extend(recalling::rows(place)?);
    Ok(rows)
}
