//! Inspection of backpacks as their owner: every commit, any past state, differences, and the quarantine.
//!
//! *Invariants*: apart from a repair, nothing here takes a lease or writes, so inspection never delays a run in
//! progress. A protected value is shown only on explicit request. Every answer is bounded and counts what it leaves
//! out.

mod backpacks;
mod commits;
mod differences;
mod flow_graph;
mod items;
mod maintenance;
mod reference;
mod related;

pub use backpacks::{BackpackLine, BackpackList, Backpacks, FlowRunLine, Reveal, TroubledBackpack};
pub use commits::{BackpackBlame, BackpackLog, BlameLine, CommitLine, CommitShown, LogFilter};
pub(crate) use differences::PackedInRun;
pub use differences::{BackpackDiff, DiffSide, KeyChangeShown};
pub use flow_graph::{FlowEdge, FlowGraph, FlowNodeShown, FlowNodeState};
pub use items::{
    BackpackState, Hidden, ItemLine, ItemShown, QuarantineLine, QuarantineList, ValueShown,
};
pub use maintenance::BackpackSoundness;
pub use reference::{BackpackReference, PointReference};
