//! The kernel: canonical JSON, and the store on this machine's disk.

mod append;
mod canonical;
mod floor;
mod load;
mod log;
mod rig;
mod smaller;

use crate::part::Measure;
pub(crate) use load::here as cold_load_here;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 7] = [
    ("a durable append", append::rows),
    ("a cold load", load::rows),
    ("appends to a short and to a long session", append::flatness_rows),
    ("canonical JSON", canonical::rows),
    ("a dedupe hit", load::lookup_rows),
    ("the log", log::rows),
    ("blobs and tables", smaller::rows),
];
