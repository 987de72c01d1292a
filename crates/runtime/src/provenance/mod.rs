//! The origin of things: the steps behind a node, the notes behind a line of a recap, a token to fork from, and the
//! differences between two branches.
//!
//! | file | contents |
//! |---|---|
//! | `request`, `reply` | requests and replies |
//! | `place` | the node that a person names |
//! | `chain` | the steps on the way to a node, with their submitted outputs |
//! | `recap` | a recap line by line, with the output behind each line |
//! | `forked`, `fork` | a token for any node of a run; forks of backpacks and overlays |
//! | `thing` | the things that can be forked and compared: a run, a backpack, an overlay, a tree |
//! | `compared`, `written`, `compare` (feature `flow`) | two of a kind: their common ancestor, and the work of each
//! side since |
//!
//! *Invariants*: nothing here changes the thing that it is about. Replies are derived from recorded data alone.

mod chain;
#[cfg(feature = "flow")]
mod compare;
mod compared;
mod fork;
mod forked;
mod place;
mod recap;
mod reply;
mod request;
mod thing;
mod written;

#[cfg(feature = "flow")]
pub use compare::Worlds;
pub use compared::{Ancestor, BranchSide, ChangedKey, ChangedOutput, CommitTaken, Comparison};
pub use forked::{ForkedBackpack, ForkedFlow, ForkedOverlay, ForkedThing};
pub(crate) use place::Placed;
pub use reply::{
    BookmarkLink, ChainLink, Forked, NodeBlame, OutputShown, RecapBlame, RecapLine, RecapSource,
};
pub use request::{NodeReference, NodeReferenceError};
pub use thing::{ThingKind, ThingReference, ThingReferenceError};
pub use written::{Became, FileWritten, FrameWritten, KeyWritten, WrittenKind, WrittenThings};
