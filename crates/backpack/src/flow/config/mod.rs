//! Flows as JSON.
//!
//! * [`Description`]: the written form of a flow, read with all problems at once.
//! * [`Registry`]: the types of nodes that a description may name.
//! * [`Flow::from_json`](crate::flow::Flow::from_json), [`Flow::to_json`](crate::flow::Flow::to_json): reading and writing.

mod build;
mod description;
mod read;
mod registry;

pub use build::LoadedFlow;
pub use description::{Description, EdgeDescription, NodeDescription, VERSION};
pub(crate) use registry::Maker;
pub use registry::{BuildRequest, ParamProblem, Registry};
