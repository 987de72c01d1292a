//! Workspaces: what it costs to find the Workspace of a path, to read a file through all its checks, to search a
//! tree, and to do that over MCP beside the reference server.

mod durable;
mod peer;
mod reading;
mod routing;
mod searching;
mod server;
mod trees;

use crate::{error::Result, place::Place, report::Row};

type Measure = fn(&Place) -> Result<Vec<Row>>;

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    let measures: [(&str, Measure); 4] = [
        ("routing", |_| routing::rows()),
        ("reads", reading::rows),
        ("searches beside ripgrep", searching::rows),
        ("file tools over MCP beside the reference server", peer::rows),
    ];
    let mut rows = Vec::new();
    for (number, (what, measure)) in measures.iter().enumerate() {
        eprintln!("measuring {what} ({} of {})", number + 1, measures.len());
        rows.extend(measure(place)?);
    }
    Ok(rows)
}
