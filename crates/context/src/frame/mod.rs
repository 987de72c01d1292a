//! Frames: immutable pieces of context on tree nodes.
//!
//! A frame belongs to a path, so that an edit makes it stale and never loses it. The frames of a path form an
//! authenticated set; the newest of each type is its head.
//!
//! *Invariants*: a frame's id is made from where it is, its type, its agent and its basis, and from nothing else. Frame,
//! set, head and indices change in one commit. Nothing but a repair
//! overwrites or removes a frame, and that only if it is damaged.

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
