//! Workflows: what it costs to make one ready to run.

mod compiling;

use crate::{error::Result, report::Row};

/// Measures everything, one after the other.
pub(crate) fn measure() -> Result<Vec<Row>> {
    eprintln!("measuring the compiler (1 of 1)");
    compiling::rows()
}
