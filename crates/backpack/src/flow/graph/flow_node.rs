//! A node of a flow: its body, its settings and its edges.

use std::collections::BTreeMap;
use std::sync::Arc;

use piton_core::{Namespace, PatternError, canonical};
use serde_json::{Map, Value};

use super::flow::Flow;
use crate::flow::error::Error;
use crate::flow::node::{Node, RetryRule};
use crate::flow::schema::Schema;
use crate::{Key, Permissions};

/// The form in which a node was described, so that it can be written back.
#[derive(Clone, Debug)]
pub(crate) enum NodeOrigin {
    /// A node of this type, built from these parameters.
    Node { kind: String, params: Map<String, Value> },
    /// An entry under `subflows`.
    Subflow,
}

/// A node of a flow.
#[derive(Clone)]
pub(crate) struct FlowNode {
    pub(crate) id: String,
    pub(crate) body: NodeBody,
    pub(crate) origin: NodeOrigin,
    pub(crate) settings: NodeSettings,
    /// In the order in which they were added.
    pub(crate) edges: Vec<Edge>,
}

impl FlowNode {
    /// Returns the field whose value has no canonical form, and the reason. The digest of that form identifies a flow.
    pub(crate) fn canonical_problem(&self) -> Option<(&'static str, String)> {
        let params = match &self.origin {
            NodeOrigin::Node { params, .. } => canonical::encode(params).err(),
            NodeOrigin::Subflow => None,
        };
        let (inputs, outputs) = (self.settings.inputs.sources(), self.settings.outputs.sources());
        let problem =
            |field, error: Option<canonical::CanonicalError>| Some((field, error?.to_string()));
        problem("params", params)
            .or_else(|| problem("inputs", canonical::encode(&inputs).err()))
            .or_else(|| problem("outputs", canonical::encode(&outputs).err()))
    }

    /// Returns the edge for a condition. A node has only a handful, so a linear search is enough.
    pub(crate) fn edge(&self, condition: &str) -> Option<&Edge> {
        self.edges.iter().find(|edge| edge.condition == condition)
    }

    /// Describes the oddity of a flow that ends here with a condition: no edge takes it, although there are others.
    pub(crate) fn dead_end(&self, condition: &str) -> Option<String> {
        if self.edges.is_empty() || self.edge(condition).is_some() {
            return None;
        }
        let known: Vec<&str> = self.edges.iter().map(|edge| edge.condition.as_str()).collect();
        Some(format!("nothing follows on `{condition}`, only on {}", known.join(", ")))
    }
}

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
    /// Returns the node, unless this is nothing but a flow.
    pub(crate) fn node(&self) -> Option<&dyn Node> {
        match self {
            Self::Node(node) | Self::Batch { items: node, .. } => Some(&**node),
            Self::Flow(_) => None,
        }
    }

    /// Returns the name of the type.
    pub fn type_name(&self) -> &str {
        self.node().map_or("flow", Node::type_name)
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
        self.node().is_some_and(Node::calls_tools)
            || self.flow().is_some_and(|flow| flow.calls_tools())
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

/// The required shape of the values under certain keys.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    pub(crate) schemas: BTreeMap<Key, Arc<Schema>>,
}

impl Contract {
    /// Creates a contract that requires nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requires a value under `key` that conforms to `schema`, a JSON Schema.
    pub fn with(mut self, key: &str, schema: &Value) -> Result<Self, Error> {
        let parsed = Key::parse(key).map_err(|error| Error::invalid(key, error.to_string()))?;
        let schema = Schema::compile(schema).map_err(|problem| Error::invalid(key, problem))?;
        self.schemas.insert(parsed, Arc::new(schema));
        Ok(self)
    }

    /// True if nothing is required.
    pub fn is_empty(&self) -> bool {
        self.schemas.is_empty()
    }

    /// Returns the schemas as they were written.
    pub(crate) fn sources(&self) -> BTreeMap<String, Value> {
        let sources = self.schemas.iter();
        sources.map(|(key, schema)| (key.to_string(), schema.source().clone())).collect()
    }
}

/// Settings of a node in its flow.
#[derive(Clone, Debug, Default)]
pub struct NodeSettings {
    /// The node's part of the namespace, unless the node has one of its own.
    pub segment: Option<String>,
    /// The permissions of the node. Without any, only the access control of items limits it.
    pub permissions: Option<Permissions>,
    /// The number of attempts at the node's work.
    pub retry: RetryRule,
    /// Values that the node requires.
    pub inputs: Contract,
    /// Values that the node produces.
    pub outputs: Contract,
}

/// Keys whose values are copied to other keys when an edge is taken.
pub type Mappings = BTreeMap<Key, Key>;

/// An edge. It belongs to the node that it leaves.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) condition: String,
    pub(crate) to: usize,
    pub(crate) mappings: Mappings,
}

/// Composes the namespace of a node inside `parent` from its own segment, else the configured one, else its id.
///
/// ```
/// use piton_backpack::flow::graph::compose_namespace;
/// let composed = |parent: Option<&str>, own, said, id| {
///     let parent = parent.map(|text| text.parse().unwrap());
///     compose_namespace(parent.as_ref(), own, said, id).unwrap().to_string()
/// };
/// assert_eq!(composed(Some("sales"), Some("summary"), None, "node-123"), "sales.summary");
/// assert_eq!(composed(Some("sales"), None, None, "node-123"), "sales.node-123");
/// ```
pub fn compose_namespace(
    parent: Option<&Namespace>,
    own: Option<&str>,
    configured: Option<&str>,
    id: &str,
) -> Result<Namespace, PatternError> {
    let segment = own.or(configured).unwrap_or(id);
    match parent {
        None => Namespace::parse(segment),
        Some(parent) => Namespace::parse(&format!("{parent}.{segment}")),
    }
}
