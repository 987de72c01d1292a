//! What an agent reads when it takes up a run: what was done on the way to a node, and what came after.
//!
//! A node stands for a step, and its notes say how that step was done. So the way to a node is told by the
//! notes of the nodes that it came from. If the node was left before, its own notes and those of the newest
//! branch below it say what came after, and other branches are told by their newest notes.
//!
//! This takes two steps, because the titles of steps stand in snapshots and are read by the caller:
//! [`RecapDraft::select`] chooses what could be told, few enough to read their snapshots; [`RecapDraft::render`] makes
//! the text.
//!
//! What steps produced beside their notes is told by [`Produced`], after the recap.
//!
//! *Invariants*: deterministic, and never longer than its budgets. The text goes from old to new; what does
//! not fit is cut at its old end and counted, so that the newest notes are always there. The way to the node
//! takes precedence over what came after it, and that over other branches. Outputs belong to the branch that they led to:
//! no branch is told by what another one submitted at the step where they part.

mod functions;
mod produced;
mod select;
mod text;

pub use produced::{ArtifactText, Produced, ProducedArtifact};
pub use select::{Noted, RecapDraft};
pub use text::RecapPiece;
