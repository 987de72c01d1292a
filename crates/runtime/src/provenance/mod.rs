//! The origin of things: the steps behind a node, the notes behind a line of a recap, a token to fork from, and the
//! differences between two branches.
//!
//! | file | contents |
//! |---|---|
//! | `reference` | the things that a person names: a run at a node, a backpack, an overlay, a tree; and the node behind a name |
//! | `reply` | replies about origins and forks, and the result of a comparison |
//! | `chain` | the steps on the way to a node, with their submitted outputs |
//! | `recap` | a recap line by line, with the output behind each line |
//! | `fork` (feature `flow`) | a token for any node of a run; forks of backpacks and overlays |
//! | `compare`, `compare_runs` (feature `flow`) | two of a kind: their common ancestor, and what each side wrote since |
//! | `fit` (feature `flow`) | the part of a comparison that fits into a reply |
//! | `run_export` (feature `flow`) | a run as one document, for a reader who has nothing else |
//!
//! *Invariants*: nothing here changes the thing that it is about. Replies are derived from recorded data alone.

mod chain;
#[cfg(feature = "flow")]
mod compare;
#[cfg(feature = "flow")]
mod compare_runs;
#[cfg(feature = "flow")]
mod fit;
#[cfg(feature = "flow")]
mod fork;
mod recap;
mod reference;
mod reply;
#[cfg(feature = "flow")]
mod run_export;

#[cfg(feature = "flow")]
pub use compare::Worlds;
pub(crate) use reference::Placed;
pub use reference::{
    NodeReference, NodeReferenceError, ThingKind, ThingReference, ThingReferenceError,
};
pub use reply::{
    Ancestor, Became, BookmarkLink, BranchSide, ChainLink, ChangedKey, ChangedOutput, CommitTaken,
    FileWritten, Forked, ForkedBackpack, ForkedFlow, ForkedOverlay, ForkedThing, FrameWritten,
    KeyWritten, NodeBlame, OutputShown, RecapBlame, RecapLine, RecapSource, ThingComparison,
    WrittenKind, WrittenThings,
};
