//! What stands at a place of a flow.

use std::sync::Arc;

use super::flow::Flow;
use crate::node::Node;

/// A node, or a flow that stands for one.
#[derive(Clone)]
pub enum NodeBody {
    /// A node.
    Node(Arc<dyn Node>),
    /// A flow that runs on the same backpack, within the namespace of its place.
    Flow(Arc<Flow>),
    /// A flow that runs once for each entry of the list that `items` prepares; the entry, an object, becomes the
    /// parameters of that pass. `items` posts the list of actions with which the passes ended.
    Batch {
        /// Who prepares and posts.
        items: Arc<dyn Node>,
        /// What runs.
        flow: Arc<Flow>,
        /// Whether the passes run side by side.
        parallel: bool,
    },
}

impl NodeBody {
    /// What people call it.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.type_name(),
            Self::Flow(_) => "flow",
        }
    }

    /// Its own part of the namespace.
    pub(crate) fn segment(&self) -> Option<&str> {
        match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.segment(),
            Self::Flow(flow) => flow.namespace(),
        }
    }

    /// Whether a node in it calls tools.
    pub(crate) fn calls_tools(&self) -> bool {
        let own = match self {
            Self::Node(node) | Self::Batch { items: node, .. } => node.calls_tools(),
            Self::Flow(_) => false,
        };
        own || self.flow().is_some_and(|flow| flow.calls_tools())
    }

    /// The flow inside it.
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
