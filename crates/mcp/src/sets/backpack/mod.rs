//! The calls of the set `state`.

mod set;

pub(super) use set::BackpackTools;
