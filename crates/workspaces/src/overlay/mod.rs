//! Overlays: copy-on-write over another Workspace.
//!
//! The upper Store is virtual and takes every change; the lower one is only ever read. A file that is
//! written is kept above with the digest of the one below that it replaces; a deletion is kept as a
//! whiteout. What changed can be listed, applied to the lower Workspace by whoever may write there, or
//! dropped.
//!
//! *Invariants*: no call of an agent changes the lower Store. Applying is not a tool of agents; it checks
//! every file against the one that was copied up before it writes the first, and leaves above what is protected below.
//! What is below already as the overlay has it is no conflict, whoever put it there.
//! Agents may write while an overlay is applied: what they write is below afterwards or still above. To list what changed
//! writes nothing.
//!
//! *Limitations*: ignore files of the lower Store do not hide files that exist above only. A large overlay is dropped
//! piece by piece: a crash in between leaves the rest. A crash between a change below and the removal of its row leaves a
//! row that agrees with what is below; whoever applies or drops the overlay next removes it. If the same path is
//! changed below before that, nobody can tell whether the row was applied, so it stays and is reported as a conflict.
//! A file that an agent put back as it was is no change, but its row stays until the overlay is dropped: what happens to
//! the file below later does not show. A write does not remove such a row, because no commit covers a file of the lower
//! Store: whoever changed that file between the comparison and the commit would take the place of what the agent was
//! told is written, and it would be neither below nor above.

mod apply;
mod diff;
mod land_change;
mod protected;
mod search;
mod store;
mod view;
mod writing;

pub use apply::{Applied, ApplyRequest, LeftChange, LeftReason};
pub use diff::{DifferenceKind, OverlayDifference};
pub use store::OverlayStore;
pub(crate) use writing::tree_digest;
