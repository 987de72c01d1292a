//! The kernel: canonical JSON, and the store on this machine's disk.

mod append;
mod canonical;
mod cold_load;
mod floor;
mod log;
mod lookup;
mod rig;
mod smaller;

use crate::part::Measure;
pub(crate) use cold_load::here as cold_load_here;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 7] = [
    ("a durable append", append::rows),
    ("a cold load", cold_load::rows),
    ("appends to a short and to a long session", append::flatness_rows),
    ("canonical JSON", canonical::rows),
    ("a dedupe hit", lookup::rows),
    ("the log", log::rows),
    ("blobs and tables", smaller::rows),
];
