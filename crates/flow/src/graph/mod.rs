//! Flows as graphs: nodes, and the edges that lead from one to the next.
//!
//! * [`Flow`]: a graph, built in code or from a configuration.
//! * [`NodeSettings`]: what a flow says about one of its nodes.
//! * [`namespace`]: how namespaces are composed.
//! * [`mermaid`](crate::Flow::to_mermaid): a graph as a picture.

mod body;
mod edge;
mod flow;
mod id;
mod mermaid;
pub mod namespace;
mod place;
mod settings;

pub use body::NodeBody;
pub(crate) use edge::Edge;
pub use edge::Mappings;
pub use flow::{Flow, NodeRef};
pub(crate) use flow::{digest, too_deep};
pub(crate) use id::id_problem;
pub(crate) use place::{FlowNode, NodeOrigin};
pub use settings::{Contract, NodeSettings};
