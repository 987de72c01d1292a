//! Where things come from: the steps behind a node, the notes behind a line of a recap, a token to fork from, and what
//! differs between two branches.
//!
//! | file | does |
//! |---|---|
//! | `request`, `reply` | what goes in and what comes out |
//! | `place` | which node a person means |
//! | `chain` | the steps on the way to a node, with what was handed in |
//! | `recap` | a recap line by line, with the output that each came from |
//! | `forked`, `fork` | a token for any node of a run; forks of backpacks and overlays |
//! | `thing` | what can be forked and compared: a run, a backpack, an overlay, a tree |
//! | `compared`, `written`, `compare` (feature `flow`) | two of a kind: their common ancestor, and what each side did since |
//!
//! *Invariants*: nothing here changes what it is about. What is told comes from what was recorded alone.

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
