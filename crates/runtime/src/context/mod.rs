//! Context: a project's tree, the frames that agents put on it, and what of them an agent should read.
//!
//! | file | holds |
//! |---|---|
//! | `settings` | which agents there are, and whom clients act as |
//! | `project_location` | where the project is, and which id it has |
//! | `ports` | the effects that the use cases need |
//! | `project` | the use cases that need no agent: scan, status, check, compare |
//! | `agent_context` | those of one agent: read, put, synthesise, regenerate |
//! | `following` | a project that is recorded while it is edited |
//! | `convert` | from what is asked to what the part of context takes |
//! | `request`, `reply`, `text` | what goes in, what comes out, and how that reads |
//! | `generate` (feature `flow`) | frames that models write |
//! | `frame_writes` (feature `flow`) | what was made at the steps of runs and between two trees |
//!
//! *Invariants*: who acts is fixed before a request is read; no request names an agent that acts. What speaks
//! of freshness looks at the files first, and what puts a frame on a node scans first, so that both are about the files
//! as they are now. A project that nobody scanned is left alone.
//!
//! *Limitations*: a scan runs on the thread of its call. One of a project that was scanned before looks at stamps
//! only.

pub use piton_context::agent::{ContextAgent, Right, Role};
pub use piton_context::word::AgentId;

mod agent_context;
mod convert;
mod following;
#[cfg(feature = "flow")]
mod frame_writes;
#[cfg(feature = "flow")]
pub mod generate;
mod ports;
mod project;
mod project_location;
mod reply;
mod request;
mod settings;
mod text;

pub use agent_context::{AgentContext, CURRENT_TREE, NO_WAIT};
pub use following::{Followed, Following};
pub use ports::FramePorts;
pub use project::{Differences, Frames};
pub use project_location::ProjectLocation;
pub use reply::{
    AdoptedFrames, AgentShown, ComposedContext, FrameShown, FramesMade, NodeShown, PutFrameReply,
    Regenerated, ScanShown, SkippedFrame, StatusShown, TypeShown,
};
pub use request::{
    ComposeContext, GetContext, OrderName, PolicyName, PutFrame, RegenerateFrames, ScopeName,
    SourceName, SynthesizeFrames,
};
pub use settings::{AgentSettings, ContextSettings, PERSON};
