//! Recorded trees: every tree that a scan found, their differences and their nodes.

mod adopt;
mod compare;
mod frame_changes;
mod lookup;
mod nearest;
mod record;
mod refresh;
mod root;

pub use adopt::Adopted;
pub(crate) use adopt::{each_once, old_path, read_note};
pub(crate) use compare::{TreeCursor, TreeDifference};
pub use frame_changes::FrameChange;
pub(crate) use lookup::FoundNode;
pub use lookup::{NodeRecord, NodeRef};
pub use record::Recorded;
pub(crate) use record::{CROWDED, TOUCHED_EVERYWHERE};
pub use root::{RootEntry, RootRef};
