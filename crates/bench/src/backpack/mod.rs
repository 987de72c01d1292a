//! Backpacks: the cost of packing, reading, looking back and comparing, in memory and with a journal.

mod durable;
mod growth;
mod past;
mod quick;
mod rig;

use crate::part::Measure;
pub(crate) use growth::here as memory_here;
pub(crate) use rig::{journal_ports, open};

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 5] = [
    ("packing and reading in memory", |_| quick::rows()),
    ("past states and differences", |_| past::rows()),
    ("long histories", |_| growth::rows()),
    ("the memory of a history", |_| growth::memory_rows()),
    ("durable packs", durable::rows),
];
