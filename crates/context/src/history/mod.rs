//! Recorded trees: every tree that a scan found, their differences and their nodes.

mod adopt;
mod compare;
mod lookup;
mod record;
mod refresh;
mod root;

pub use adopt::Adopted;
pub(crate) use adopt::{each_once, old_path, read_note};
pub use compare::{Differences, FrameChange};
pub(crate) use compare::{TreeCursor, TreeDifference};
pub(crate) use lookup::FoundNode;
pub use lookup::{NodeRecord, NodeRef};
pub(crate) use record::{CROWDED, TOUCHED_EVERYWHERE};
pub use record::{Recorded, RecordedScan};
pub use root::{RootEntry, RootRef};
