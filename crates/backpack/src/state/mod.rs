//! The contents of a backpack at one moment.
//!
//! * [`Item`](item::Item): a value with its origin; [`Labels`](labels::Labels): its tags and limits.
//! * [`Quarantined`](item::Quarantined): a value that was taken out of use.
//! * [`ItemState`](item_state::ItemState): all of them, on maps that share what did not change.

pub(crate) mod item;
pub(crate) mod item_state;
pub(crate) mod labels;
