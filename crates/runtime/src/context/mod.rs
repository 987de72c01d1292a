//! Context: a project's tree, the frames that agents put on it, and the selection that an agent should read.
//!
//! The handles, requests and replies are those of the context crate. This module adds what belongs to a runtime.
//!
//! | file | contents |
//! |---|---|
//! | `settings` | the agents, and the one that clients act as |
//! | `project` | the context of a project with its settings, and the handles of its agents |
//! | `generate` (feature `flow`) | frames written by models |
//! | `comparison` (feature `flow`) | comparison of two recorded trees, and frames made at the steps of runs |
//!
//! *Invariants*: the acting agent is fixed before a request is read; no request names the agent that acts.

#[cfg(feature = "flow")]
mod comparison;
#[cfg(feature = "flow")]
pub mod generate;
mod project;
mod settings;

#[cfg(feature = "flow")]
pub(crate) use comparison::MadeInRun;
pub use piton_context::agent::{AgentContext, Agents, ContextAgent, ModelAnswer, Right, Role};
pub use piton_context::batch::BatchLine;
pub use piton_context::bounds::CONTENT_BYTES_MAX;
pub use piton_context::check::{ContextRepaired, SetAside, Validation};
pub use piton_context::frame::{Appended, BasisKind, PutFrame};
pub use piton_context::history::{Adopted, Differences, Recorded, RecordedScan, RootRef};
pub use piton_context::read::{
    ComposeContext, ComposePreview, ComposeSource, Composed, FrameCounts, GetContext, LevelEntry,
    LevelQuery, NodeContext, Order, PreviewedFrame, TreeLevel, ViewedFrame,
};
pub use piton_context::report::{ContextReport, ContextStatus, Remedy, StaleFrame, TypeStatus};
pub use piton_context::synthesis::{
    Missing, PolicyName, RegenerateFrames, RegenerateScope, Regenerated, SkippedFrame,
    SynthesizeFrames, Synthesized,
};
pub use piton_context::tree::{ChangeKind, TreePath};
pub use piton_context::watch::{Follower, json_lines};
pub use piton_context::word::{AgentId, FrameType, Label};
pub use piton_context::{Context, ContextPorts, Error, ProjectLocation};
pub use project::{ConfiguredAgent, ProjectContext};
pub use settings::{ContextSettings, PERSON};
