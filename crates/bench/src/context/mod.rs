//! Context: scanning beside git, looking up a path in a new process, frames beside the disk.

mod child;
mod frames;
mod scanning;
mod trees;

use crate::part::Measure;
pub(crate) use child::here;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 2] =
    [("scans", scanning::rows), ("frames", frames::rows)];
