//! The body of a node in a flow.

use std::sync::Arc;

use super::flow::Flow;
use crate::flow::node::Node;

/// A node, or a flow in the place of one.
#[derive(Clone)]
pub enum NodeBody {
    Node(Arc<dyn Node>),
    /// A flow that runs on the same backpack, within the namespace of its node.
    Flow(Arc<Flow>),
    /// A flow that runs once for each entry of the list that `items` prepares. The entry, an object, becomes the
    /// parameters of that pass. `items` posts the list of actions with which the passes ended.
    Batch {
        /// The node that prepares the entries and posts the actions.
        items: Arc<dyn Node>,
        flow: Arc<Flow>,
        /// Set when the passes run concurrently.
        parallel: bool,
    },
}

impl NodeBody {
    /// Returns the name of the type.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.type_name(),
            Self::Flow(_) => "flow",
        }
    }

    /// Returns the body's own part of the namespace.
    pub(crate) fn segment(&self) -> Option<&str> {
        match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.segment(),
            Self::Flow(flow) => flow.namespace(),
        }
    }

    /// True if a node inside calls tools.
    pub(crate) fn calls_tools(&self) -> bool {
        let own = match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.calls_tools(),
            Self::Flow(_) => false,
        };
        own || self.flow().is_some_and(|flow| flow.calls_tools())
    }

    /// Returns the flow inside.
    pub(crate) const fn flow(&self) -> Option<&Arc<Flow>> {
        match self {
            Self::Node(_) => None,
            Self::Flow(flow) | Self::Batch { flow, .. } => Some(flow),
        }
    }
}

impl<N: Node + 'static> From<N> for NodeBody {
    fn from(node: N) -> Self {
        Self::Node(Arc::new(node))
    }
}

impl From<Flow> for NodeBody {
    fn from(flow: Flow) -> Self {
        Self::Flow(Arc::new(flow))
    }
}
