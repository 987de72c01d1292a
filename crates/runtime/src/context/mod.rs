//! Context: a project's tree, the frames that agents put on it, and the selection that an agent should read.
//!
//! | file | contents |
//! |---|---|
//! | `settings` | the agents, and the one that clients act as |
//! | `project_location` | the location and id of a project |
//! | `ports` | the effects that the use cases need |
//! | `project` | the use cases that need no agent: scan, status, check, compare |
//! | `agent_context` | those of one agent: read, put, synthesise, regenerate |
//! | `following` | a project that is recorded while it is edited |
//! | `convert` | conversion of requests into the types of the context crate |
//! | `request`, `reply`, `text` | requests, replies, and their text form |
//! | `generate` (feature `flow`) | frames written by models |
//! | `frame_writes` (feature `flow`) | frames made at the steps of runs and between two trees |
//!
//! *Invariants*: the acting agent is fixed before a request is read; no request names the agent that acts. A use case
//! that reports freshness checks the files first, and one that puts a frame on a node scans first, so that both are
//! about the files as they are now. A project that was never scanned is left alone.
//!
//! *Limitations*: a scan runs on the thread of its call. Scanning a project again only checks stamps.

pub use piton_context::agent::{ContextAgent, Right, Role};
pub use piton_context::word::AgentId;
pub use piton_context::{
    Error, bounds, check, frame, history, report, synthesis, tree, watch, word,
};

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
