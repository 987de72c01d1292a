//! Overlays: copy-on-write over another Workspace.
//!
//! The upper Store is virtual and takes every change; the lower one is only ever read. A written file is kept above
//! with the digest of the lower file that it replaces; a deletion is kept as a whiteout. The changes can be listed,
//! applied to the lower Workspace by a caller who may write there, or dropped.
//!
//! *Invariants*: no call of an agent changes the lower Store. Applying is not a tool of agents. It checks every file
//! against the one that was copied up before it writes the first, and leaves above what is protected below. An entry
//! that is below already as the overlay has it is no conflict, no matter who put it there. Agents may write while an
//! overlay is applied: what they write is below afterwards or still above. Listing the changes writes nothing.
//!
//! *Limitations*: ignore files of the lower Store do not hide files that exist above only. A large overlay is dropped
//! piece by piece, so a crash in between leaves the rest. A crash between a change below and the removal of its row
//! leaves a row that agrees with the lower Store; the next apply or drop removes it. If the same path is changed below
//! before that, it is impossible to tell whether the row was applied, so it stays and is reported as a conflict. A file
//! that an agent restored to its old content is no change, but its row stays until the overlay is dropped, and later
//! changes to the lower file do not show. A write does not remove such a row, because no commit covers a file of the
//! lower Store. If that file changed between the comparison and the commit, it would silently replace content that the
//! agent was told is written, and that content would be neither below nor above.

mod apply;
mod apply_row;
mod diff;
mod prepare;
mod search;
mod selection;
mod store;
mod view;

pub use apply::{Applied, ApplyRequest, LeftChange, LeftReason};
pub use diff::{DifferenceKind, LowerEntry, OverlayDifference};
pub(crate) use prepare::tree_digest;
pub use selection::Dropped;
pub use store::OverlayStore;
