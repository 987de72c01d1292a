//! The agent's door: what it costs to go through it, with the official TypeScript SDK on the other side of a pipe.

mod advance;
mod client;
mod flatness;
mod memory;
mod start;

use crate::{error::Result, place::Place, report::Row};

type Measure = fn(&Place) -> Result<Vec<Row>>;

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    let measures: [(&str, Measure); 4] = [
        ("how the server starts", start::rows),
        ("an advance through a pipe", advance::rows),
        ("advances of a short and of a long run through a pipe", flatness::rows),
        ("a server that has served long", memory::rows),
    ];
    let mut rows = Vec::new();
    for (number, (what, measure)) in measures.iter().enumerate() {
        eprintln!("measuring {what} ({} of {})", number + 1, measures.len());
        rows.extend(measure(place)?);
    }
    Ok(rows)
}
