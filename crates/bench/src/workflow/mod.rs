//! Workflows: what it costs to make one ready, and to lead an agent through one.

mod advance;
mod compiling;
mod flatness;
mod plans;
mod reading;
mod rig;
mod run;

use crate::{error::Result, place::Place, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    eprintln!("measuring the compiler (1 of 4)");
    let mut rows = compiling::rows()?;
    eprintln!("measuring an advance (2 of 4)");
    rows.extend(advance::rows(place)?);
    eprintln!("measuring advances of a short and of a long run (3 of 4)");
    rows.extend(flatness::rows(place)?);
    eprintln!("measuring replays and rehydrations (4 of 4)");
    rows.extend(reading::rows(place)?);
    Ok(rows)
}
