//! Flows as JSON.
//!
//! * [`Description`]: a flow as it is written down; read with every problem at once.
//! * [`Registry`]: the types of nodes that a description may name.
//! * [`Flow::from_json`](crate::Flow::from_json), [`Flow::to_json`](crate::Flow::to_json): there and back.

mod build;
mod description;
mod edges;
mod export;
mod fields;
mod reach;
mod read;
mod registry;

pub use build::LoadedFlow;
pub use description::{Description, EdgeDescription, NodeDescription, VERSION};
pub(crate) use registry::Maker;
pub use registry::{BuildRequest, ParamProblem, Registry};
