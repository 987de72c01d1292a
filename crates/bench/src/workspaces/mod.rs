//! Workspaces: what it costs to find the Workspace of a path, to read a file through all its checks, and
//! to search a tree.

mod reading;
mod routing;
mod searching;
mod trees;

use crate::{error::Result, place::Place, report::Row};

type Measure = fn(&Place) -> Result<Vec<Row>>;

/// Measures everything, one after the other.
pub(crate) fn measure(place: &Place) -> Result<Vec<Row>> {
    let measures: [(&str, Measure); 3] = [
        ("routing", |_| routing::rows()),
        ("reads", reading::rows),
        ("searches beside ripgrep", searching::rows),
    ];
    let mut rows = Vec::new();
    for (number, (what, measure)) in measures.iter().enumerate() {
        eprintln!("measuring {what} ({} of {})", number + 1, measures.len());
        rows.extend(measure(place)?);
    }
    Ok(rows)
}
