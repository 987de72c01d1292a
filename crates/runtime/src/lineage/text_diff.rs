//! Two texts, line by line.

use piton_core::truncate;
use similar::TextDiff;

use crate::bounds::{DIFF_BYTES_MAX, DIFF_CONTEXT_LINES};

/// What it takes to get from one text to the other, as a unified diff without file names.
pub(crate) fn text_diff(left: &str, right: &str) -> String {
    let diff = TextDiff::from_lines(left, right);
    let unified = diff.unified_diff().context_radius(DIFF_CONTEXT_LINES).to_string();
    truncate(&unified, DIFF_BYTES_MAX).into_owned()
}
