//! Backpacks: the cost of packing, reading, looking back and comparing, in memory and with a journal.

mod durable;
mod growth;
mod in_memory;
mod rig;

use crate::part::Measure;
pub(crate) use growth::here as memory_here;
pub(crate) use rig::{journal_ports, open};

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 5] = [
    ("packing and reading in memory", |_| in_memory::rows()),
    ("past states and differences", |_| in_memory::past_rows()),
    ("long histories", |_| growth::rows()),
    ("the memory of a history", |_| growth::memory_rows()),
    ("durable packs", durable::rows),
];
