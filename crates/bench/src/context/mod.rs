//! Context: scanning beside git, looking up a path in a new process, frames beside the disk.

mod child;
mod frames;
mod git;
mod scanning;
mod trees;

pub(crate) use child::here;

use crate::{error::Result, place::Place, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    eprintln!("measuring scans (1 of 2)");
    rows.extend(scanning::rows(place)?);
    eprintln!("measuring frames (2 of 2)");
    rows.extend(frames::rows(place)?);
    Ok(rows)
}
