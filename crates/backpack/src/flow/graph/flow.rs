//! Flows: how they are built, and how they are drawn.
//!
//! *Invariants*: ids are unique, an edge leads to a node of the same flow, and no node has two edges with the same
//! condition. A call that would break this is refused. A flow does not change while it runs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use super::flow_node::{Edge, FlowNode, Mappings, NodeBody, NodeOrigin, NodeSettings};
use crate::Key;
use crate::flow::bounds::{DEPTH_MAX, EDGES_MAX, NODE_ID_BYTES_MAX, NODES_MAX};
use crate::flow::error::Error;
use crate::flow::node::{DEFAULT, condition_problem};
use crate::flow::run::RUNNER;

/// A graph of nodes.
#[derive(Clone, Default)]
pub struct Flow {
    pub(crate) namespace: Option<String>,
    pub(crate) places: Vec<FlowNode>,
    pub(crate) start: Option<usize>,
    /// Keys through which its nodes exchange values, regardless of the permissions of its node in the flow around it.
    pub(crate) own_keys: BTreeSet<Key>,
    edges: usize,
}

/// A reference to a node, valid for the flow that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRef(pub(crate) usize);

impl Flow {
    /// Creates an empty flow without a namespace of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty flow whose nodes belong to `namespace`.
    pub fn within(namespace: &str) -> Result<Self, Error> {
        piton_core::Namespace::parse(namespace)
            .map_err(|error| Error::invalid("namespace", error.to_string()))?;
        Ok(Self { namespace: Some(namespace.to_owned()), ..Self::default() })
    }

    /// Returns the flow's own part of the namespace.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Adds a node or a flow. The first one added is where the flow starts.
    pub fn add(&mut self, id: &str, body: impl Into<NodeBody>) -> Result<NodeRef, Error> {
        self.add_with(id, body, NodeSettings::default())
    }

    /// Adds a node or a flow with settings.
    pub fn add_with(
        &mut self,
        id: &str,
        body: impl Into<NodeBody>,
        settings: NodeSettings,
    ) -> Result<NodeRef, Error> {
        let body = body.into();
        let origin = body.node().map_or(NodeOrigin::Subflow, |node| NodeOrigin::Node {
            kind: node.type_name().to_owned(),
            params: node.params(),
        });
        self.flow_node(FlowNode { id: id.to_owned(), body, origin, settings, edges: Vec::new() })
    }

    pub(crate) fn flow_node(&mut self, flow_node: FlowNode) -> Result<NodeRef, Error> {
        if let Some(problem) = id_problem(&flow_node.id) {
            return Err(Error::invalid("id", problem));
        }
        if self.find(&flow_node.id).is_some() {
            let message = format!("`{}` is there already", flow_node.id);
            return Err(Error::invalid("id", message));
        }
        if let Some((field, problem)) = flow_node.settings.retry.problem() {
            return Err(Error::invalid(format!("retry.{field}"), problem));
        }
        // The digest of its description identifies a flow, so a node without a canonical form is refused here.
        if let Some((field, problem)) = flow_node.canonical_problem() {
            return Err(Error::invalid(field, problem));
        }
        if self.places.len() >= NODES_MAX {
            return Err(Error::invalid("nodes", format!("more than {NODES_MAX} nodes")));
        }
        if flow_node.body.flow().is_some_and(|flow| flow.depth() >= DEPTH_MAX) {
            return Err(Error::invalid(flow_node.id, too_deep()));
        }
        self.places.push(flow_node);
        let flow_node = NodeRef(self.places.len() - 1);
        self.start.get_or_insert(flow_node.0);
        Ok(flow_node)
    }

    /// Starts at this node instead of the first one.
    pub fn start_at(&mut self, node: NodeRef) -> Result<(), Error> {
        self.check(node)?;
        self.start = Some(node.0);
        Ok(())
    }

    /// Continues at `to` when `from` returns `condition`.
    pub fn on(&mut self, from: NodeRef, condition: &str, to: NodeRef) -> Result<(), Error> {
        self.on_with(from, condition, to, Mappings::new())
    }

    /// Continues at `to` by default.
    pub fn next(&mut self, from: NodeRef, to: NodeRef) -> Result<(), Error> {
        self.on(from, DEFAULT, to)
    }

    /// Continues at `to` when `from` returns `condition`, and copies values between keys on the way.
    pub fn on_with(
        &mut self,
        from: NodeRef,
        condition: &str,
        to: NodeRef,
        mappings: Mappings,
    ) -> Result<(), Error> {
        self.check(from)?;
        self.check(to)?;
        if let Some(problem) = condition_problem(condition) {
            return Err(Error::invalid("condition", problem));
        }
        if self.edges >= EDGES_MAX {
            return Err(Error::invalid("edges", format!("more than {EDGES_MAX} edges")));
        }
        let flow_node = &self.places[from.0];
        if let Some(edge) = flow_node.edge(condition) {
            let (id, there) = (&flow_node.id, &self.places[edge.to].id);
            let message = format!(
                "`{id}` goes on to `{there}` on `{condition}` already; one condition leads to one node"
            );
            return Err(Error::invalid("condition", message));
        }
        let edge = Edge { condition: condition.to_owned(), to: to.0, mappings };
        self.places[from.0].edges.push(edge);
        self.edges += 1;
        Ok(())
    }

    /// Returns the node with an id.
    pub fn find(&self, id: &str) -> Option<NodeRef> {
        self.places.iter().position(|flow_node| flow_node.id == id).map(NodeRef)
    }

    pub(crate) fn node(&self, id: &str) -> Option<&FlowNode> {
        self.places.iter().find(|flow_node| flow_node.id == id)
    }

    /// True if the flow has this node. The path is that of the backpack: the ids from this flow on, separated by `/`.
    pub(crate) fn has_node(&self, path: &str) -> bool {
        let (id, rest) = path.split_once('/').map_or((path, None), |(id, rest)| (id, Some(rest)));
        let Some(flow_node) = self.node(id) else { return false };
        rest.is_none_or(|rest| flow_node.body.flow().is_some_and(|flow| flow.has_node(rest)))
    }

    /// Returns the ids of the nodes, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|flow_node| flow_node.id.as_str())
    }

    /// Returns how many flows are nested here, including this one.
    pub fn depth(&self) -> usize {
        let inner = self.places.iter().filter_map(|flow_node| flow_node.body.flow());
        1 + inner.map(|flow| flow.depth()).max().unwrap_or(0)
    }

    /// True if one of the nodes calls tools, at any depth.
    pub fn calls_tools(&self) -> bool {
        self.places.iter().any(|flow_node| flow_node.body.calls_tools())
    }

    /// Returns the identity of the flow: a digest of its description.
    pub fn digest(&self) -> piton_core::Digest {
        digest(&self.to_json())
    }

    fn check(&self, node: NodeRef) -> Result<(), Error> {
        if node.0 < self.places.len() {
            return Ok(());
        }
        Err(Error::invalid("", "the node belongs to another flow"))
    }
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Flow({} nodes, {} edges)", self.places.len(), self.edges)
    }
}

/// Returns the message for flows that are nested too deeply.
pub(crate) fn too_deep() -> String {
    format!("more than {DEPTH_MAX} flows lie inside each other")
}

/// Computes the digest of a description.
pub(crate) fn digest(description: &Value) -> piton_core::Digest {
    let bytes = piton_core::canonical::encode(description)
        .expect("a node is placed only if its description has a canonical form");
    piton_core::Digest::of(&bytes)
}

/// Returns the problem with the id of a node, if there is one. An id is part of a namespace, so it contains no dot and
/// no star; `/` joins the ids of nested nodes. The name of the runner is reserved, because access to the runner's notes
/// is limited to that name.
pub(crate) fn id_problem(id: &str) -> Option<String> {
    if id == RUNNER {
        return Some(format!(
            "`{id}` is the name of the runner in the backpack; choose another id"
        ));
    }
    let fits = !id.is_empty() && id.len() <= NODE_ID_BYTES_MAX;
    let plain = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    (!fits || !id.chars().all(plain)).then(|| {
        format!(
            "`{}` is no id: 1 to {NODE_ID_BYTES_MAX} bytes of letters, digits, `_` and `-`",
            piton_core::truncate(id, 80)
        )
    })
}

impl Flow {
    /// Renders the flow as Mermaid text: nodes with their type, edges with their condition, flows as boxes.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        self.draw(&mut text, "", 1);
        text
    }

    fn draw(&self, text: &mut String, prefix: &str, depth: usize) {
        let indent = "    ".repeat(depth);
        for (index, flow_node) in self.places.iter().enumerate() {
            let name = format!("{prefix}n{index}");
            let id = escaped(&flow_node.id);
            let kind = escaped(flow_node.body.type_name());
            match &flow_node.body {
                NodeBody::Node(_) => line(text, &indent, &format!("{name}[\"{id}<br/>{kind}\"]")),
                NodeBody::Flow(flow) | NodeBody::Batch { flow, .. } => {
                    line(text, &indent, &format!("subgraph {name}[\"{id}\"]"));
                    flow.draw(text, &format!("{name}_"), depth + 1);
                    line(text, &indent, "end");
                }
            }
        }
        if let Some(start) = self.start {
            line(text, &indent, &format!("{prefix}start(( )) --> {prefix}n{start}"));
        }
        for (index, flow_node) in self.places.iter().enumerate() {
            for edge in &flow_node.edges {
                let label = match edge.condition.as_str() {
                    DEFAULT => String::new(),
                    condition => format!("|\"{}\"|", escaped(condition)),
                };
                line(text, &indent, &format!("{prefix}n{index} -->{label} {prefix}n{}", edge.to));
            }
        }
    }
}

fn line(text: &mut String, indent: &str, words: &str) {
    writeln!(text, "{indent}{words}").expect("writing to a string does not fail");
}

/// Escapes a text for Mermaid, which ends a text at a quote and reads `#…;` as a character.
fn escaped(text: &str) -> String {
    text.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
}
