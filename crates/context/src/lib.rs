//! A project's Merkle tree with attributed, verifiable context frames: what an agent should read.
//!
//! A [scan](scan) reads a project directory into a [tree] whose ids identify content and place. [Trees](history) are
//! recorded, so that two of them can be compared in the time of their difference. Agents put [frames](frame) on nodes:
//! immutable, attributed, stale when their inputs change, and never lost. Frames are [read](read) through views,
//! composed for a prompt, and [synthesised](synthesis) up the directories.
//!
//! * [`tree`]: paths, nodes, ids, and how they are hashed; pure.
//! * [`scan`]: reads a project directory on several threads, and only what changed.
//! * [`history`]: recorded trees, their nodes by path and id, and the differences between two trees.
//! * [`frame`]: frames, their sets, heads and freshness.
//! * [`agent`]: roles, and the handle through which one agent acts.
//! * [`read`]: views, compositions, text for prompts.
//! * [`synthesis`]: frames of directories, and their regeneration.
//! * [`check`]: checks whether everything that is stored matches its ids.
//! * [`report`]: coverage and stale frames, for people and for CI.
//! * [`batch`]: many operations in one text.
//! * [`watch`]: follows a project directory while it is edited.
//! * [`bounds`]: every limit of the crate, with its reason.
//!
//! *Invariants*: durable state is in the ports of the store and nowhere else; the file of [stamps](scan) can be deleted
//! at any time. Only [`scan`], [`watch`] and [`ProjectLocation`] touch files. Nothing is kept between calls, so any number of processes can
//! use one data directory at once.

pub mod agent;
pub mod batch;
pub mod bounds;
pub mod check;
mod context;
mod error;
pub mod frame;
pub mod history;
mod project;
pub mod read;
pub mod report;
mod roots;
mod rows;
pub mod scan;
pub mod synthesis;
pub mod tree;
pub mod watch;
pub mod word;

/// True if a count is zero, for fields that JSON leaves out then.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

pub use context::{Context, ContextPorts};
pub use error::Error;
pub use project::{ProjectId, ProjectLocation};
pub use roots::FrameRoots;
pub use rows::{ChildRecord, NodeBody};
