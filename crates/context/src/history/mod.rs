//! Recorded trees: every tree that a scan found, what differs between two of them, and their nodes.

mod compare;
mod framed;
mod lookup;
mod nearest;
mod record;
mod refresh;
mod root;

pub use framed::FrameChange;
pub(crate) use lookup::Found;
pub use lookup::{NodeRecord, NodeRef};
pub use record::Recorded;
pub(crate) use record::TOUCHED_EVERYWHERE;
pub use root::{RootEntry, RootRef};
