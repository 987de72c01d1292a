//! The recap for an agent that resumes a run: what was done on the way to a node, and what came after it.
//!
//! A node stands for a step, and its notes say how that step was done. So the notes of its ancestors describe the way
//! to a node. If the run has left the node before, its own notes and those of the newest branch below it describe
//! what came after. Other branches are represented by their newest notes.
//!
//! This takes two steps, because the titles of steps are stored in snapshots, which the caller reads:
//! [`RecapDraft::select`] chooses notes, few enough to read their snapshots; [`RecapDraft::render`] makes the text.
//!
//! [`Produced`] reports what steps produced beside their notes. It follows the recap.
//!
//! *Invariants*: deterministic, and never longer than its budgets. The text goes from old to new. What does not fit
//! is cut at its old end and counted, so that the newest notes are always there. The way to the node takes precedence
//! over what came after it, and that over other branches. Outputs belong to the branch that they led to: no branch
//! shows what another one submitted at the step where they part.

mod produced;
mod select;
mod text;

pub use produced::{ArtifactText, Produced, ProducedArtifact};
pub use select::{Noted, RecapDraft};
pub use text::RecapPiece;
