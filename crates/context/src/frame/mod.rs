//! Frames: immutable pieces of context on tree nodes.
//!
//! A frame belongs to a path, so an edit makes it stale but never loses it. The frames of a path form an authenticated
//! set, and the newest of each type is its head.
//!
//! *Invariants*: the id of a frame depends on its path, type, agent and basis, and on nothing else. Frame, set, head
//! and indices change in one commit. Only a repair overwrites or removes a frame, and only if the frame is damaged.

mod append;
mod basis;
mod fresh;
mod id;
mod metadata;
mod put;
mod read;
mod record;
mod run;
mod set;

pub use append::{AppendOutcome, Appended};
pub(crate) use append::{FRAMES_CROWDED, FrameDraft, NextAppend, Precondition};
pub use basis::{Basis, BasisInputs, BasisKind, ManyFrames, Policy};
pub use fresh::Freshness;
pub(crate) use fresh::Judge;
pub use id::FrameId;
pub use metadata::Metadata;
pub use put::NewFrame;
pub use read::FrameHead;
pub use record::Frame;
pub(crate) use record::LOST;
pub use run::RunFrames;
pub(crate) use set::{FrameSet, leaf, lost_leaf};
pub use set::{Proof, SetRoot};
