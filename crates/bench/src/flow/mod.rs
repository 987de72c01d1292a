//! Flows: what it costs to go from node to node, alone and beside libraries that others wrote.

mod adds;
mod beside;
mod durable;
mod peer;
mod round;
mod visits;

use crate::{error::Result, place::Place, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    eprintln!("measuring visits of nodes (1 of 2)");
    let mut rows = visits::rows()?;
    rows.extend(adds::rows()?);
    eprintln!("measuring flows beside others (2 of 2)");
    rows.extend(beside::rows(place)?);
    Ok(rows)
}
