//! Flows: what it costs to go from node to node, alone and beside libraries that others wrote.

mod adds;
mod beside;
mod durable;
mod peer;
mod round;
mod visits;

use crate::part::Measure;

/// Everything that is measured, in this order.
pub(crate) const MEASURES: [(&str, Measure); 3] = [
    ("visits of nodes", |_| visits::rows()),
    ("what nodes do at a visit", |_| adds::rows()),
    ("flows beside others", beside::rows),
];
