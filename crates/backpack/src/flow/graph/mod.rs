//! Flows as graphs: nodes, and the edges that lead from one to the next.
//!
//! * [`Flow`]: a graph, built in code or from a configuration.
//! * [`NodeSettings`]: the settings of a node in its flow.
//! * [`compose_namespace`]: the namespace of a node.
//! * [`mermaid`](crate::flow::Flow::to_mermaid): a graph as a diagram.

mod flow;
mod flow_node;

pub use flow::{Flow, NodeRef};
pub(crate) use flow::{digest, id_problem, too_deep};
pub use flow_node::{Contract, Mappings, NodeBody, NodeSettings, compose_namespace};
pub(crate) use flow_node::{Edge, FlowNode, NodeOrigin};
