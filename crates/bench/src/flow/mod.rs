//! Flows: the cost of going from node to node, alone and beside other libraries.

mod peers;
mod visits;

use crate::part::Measure;

/// All measures, in order.
pub(crate) const MEASURES: [(&str, Measure); 3] = [
    ("visits of nodes", |_| visits::rows()),
    ("what nodes do at a visit", |_| visits::added_rows()),
    ("flows beside others", peers::rows),
];
