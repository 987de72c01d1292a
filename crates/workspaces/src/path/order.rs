//! The order of paths: name by name, so that a directory is followed by what is in it.

use std::cmp::Ordering;

/// Compares two paths name by name.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    left.split('/').cmp(right.split('/'))
}
