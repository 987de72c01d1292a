//! Flows as graphs: nodes, and the edges that lead from one to the next.
//!
//! * [`Flow`]: a graph, built in code or from a configuration.
//! * [`NodeSettings`]: the settings of a node in its flow.
//! * [`namespace`]: composing namespaces.
//! * [`mermaid`](crate::flow::Flow::to_mermaid): a graph as a diagram.

mod edge;
mod flow;
mod flow_node;
mod id;
mod mermaid;
pub mod namespace;
mod node_body;
mod settings;

pub(crate) use edge::Edge;
pub use edge::Mappings;
pub use flow::{Flow, NodeRef};
pub(crate) use flow::{digest, too_deep};
pub(crate) use flow_node::{FlowNode, NodeOrigin};
pub(crate) use id::id_problem;
pub use node_body::NodeBody;
pub use settings::{Contract, NodeSettings};
