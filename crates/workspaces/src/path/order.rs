//! The order of paths: name by name, so that a directory is followed by its entries.

use std::cmp::Ordering;

/// Compares two paths name by name.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    // Comparing whole strings would put `a-b` between `a` and `a/b`, because `-` sorts before `/`.
    left.split('/').cmp(right.split('/'))
}
