//! Frames: immutable pieces of context on tree nodes.
//!
//! A frame belongs to a path, so an edit makes it stale but never loses it. The frames of a path form an authenticated
//! set, and the newest of each type is its head.
//!
//! | file | contents |
//! |---|---|
//! | `record` | a frame, its id, its metadata and its row |
//! | `basis` | the inputs that a frame was made from |
//! | `put`, `append` | a frame that an agent writes; the commit that adds any frame |
//! | `read`, `run` | frames and heads by path, by id and by run |
//! | `set` | the authenticated set of a path's frames |
//! | `fresh` | the judgement whether a frame is fresh |
//!
//! *Invariants*: the id of a frame depends on its path, type, agent and basis, and on nothing else. Frame, set, head
//! and indices change in one commit. Only a repair overwrites or removes a frame, and only if the frame is damaged.

mod append;
mod basis;
mod fresh;
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
pub use put::PutFrame;
pub use read::FrameHead;
pub(crate) use record::LOST;
pub use record::{Frame, FrameId, Metadata};
pub use run::RunFrames;
pub(crate) use set::{FrameSet, leaf, lost_leaf};
pub use set::{Proof, SetRoot};
