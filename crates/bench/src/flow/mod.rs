//! Flows: what it costs to go from node to node.

mod visits;

use crate::{error::Result, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure() -> Result<Vec<Row>> {
    eprintln!("measuring visits of nodes (1 of 1)");
    visits::rows()
}
