//! Building a flow from its description, with all problems at once.

use std::collections::BTreeMap;

use serde_json::Value;

use super::description::{Description, EdgeDescription, NodeDescription};
use super::read;
use super::registry::{BuildRequest, Maker, Registry};
use crate::flow::error::{Error, FlowProblem, Problems, join};
use crate::flow::graph::{
    Contract, Flow, FlowNode, NodeBody, NodeOrigin, NodeRef, NodeSettings, id_problem,
};
use crate::flow::node::Action;

/// A flow that was read, with warnings for its author.
#[derive(Clone, Debug)]
pub struct LoadedFlow {
    pub flow: Flow,
    /// Problems that do not prevent the flow from running.
    pub warnings: Vec<FlowProblem>,
}

impl Flow {
    /// Reads a flow from JSON. A description with problems is refused with all of them, before anything runs.
    pub fn from_json(text: &str, registry: &Registry) -> Result<LoadedFlow, Error> {
        let mut problems = Problems::default();
        let flow = read::text(text, &mut problems)
            .map(|description| build(&description, "", 1, registry, &mut problems));
        match flow {
            Some(flow) if !problems.has_errors() => {
                Ok(LoadedFlow { flow, warnings: problems.into_vec() })
            }
            _ => Err(Error::Invalid { problems: problems.into_vec() }),
        }
    }

    /// Returns all problems of a description, errors and warnings.
    pub fn check_json(text: &str, registry: &Registry) -> Vec<FlowProblem> {
        match Self::from_json(text, registry) {
            Ok(loaded) => loaded.warnings,
            Err(Error::Invalid { problems }) => problems,
            Err(error) => vec![FlowProblem {
                path: String::new(),
                severity: crate::flow::error::Severity::Error,
                message: error.to_string(),
            }],
        }
    }
}

/// Builds as much as possible, so that one problem does not hide the next.
fn build(
    description: &Description,
    path: &str,
    depth: usize,
    registry: &Registry,
    problems: &mut Problems,
) -> Flow {
    let mut flow = match description.namespace.as_deref().map(Flow::within) {
        None => Flow::new(),
        Some(Ok(flow)) => flow,
        Some(Err(error)) => {
            problems.error(join(path, "namespace"), message(&error));
            Flow::new()
        }
    };
    let ids = BTreeMap::new();
    let mut builder = Builder { flow: &mut flow, ids, registry, problems, depth };
    for (index, node) in description.nodes.iter().enumerate() {
        builder.node(node, &join(path, &format!("nodes[{index}]")));
    }
    for (index, subflow) in description.subflows.iter().enumerate() {
        builder.subflow(subflow, &join(path, &format!("subflows[{index}]")));
    }
    // Edges come after all nodes and subflows, since they may refer to any of them.
    for (index, edge) in description.edges.iter().enumerate() {
        builder.edge(edge, &join(path, &format!("edges[{index}]")));
    }
    builder.start(description, path);
    check_reach(&flow, path, description, problems);
    check_edges(&flow, path, description, problems);
    flow
}

struct Builder<'a> {
    flow: &'a mut Flow,
    /// Every id in the description, with the node if one could be built.
    ids: BTreeMap<String, Option<NodeRef>>,
    registry: &'a Registry,
    problems: &'a mut Problems,
    depth: usize,
}

impl Builder<'_> {
    /// Registers an id. Returns true if it is valid and new.
    fn id(&mut self, id: &str, path: &str) -> bool {
        if let Some(problem) = id_problem(id) {
            // An empty id stands for a missing one, which was reported when the description was read.
            if !id.is_empty() {
                self.problems.error(join(path, "id"), problem);
            }
            return false;
        }
        if self.ids.contains_key(id) {
            self.problems.error(join(path, "id"), format!("`{id}` is there already"));
            return false;
        }
        self.ids.insert(id.to_owned(), None);
        true
    }

    fn node(&mut self, node: &NodeDescription, path: &str) {
        // A duplicate or invalid id does not stop here: the rest of the node may have problems of its own.
        let is_new = self.id(&node.id, path);
        let settings = self.settings(node, path);
        let Some(body) = self.body(node, path) else { return };
        if is_new {
            let origin = NodeOrigin::Node { kind: node.kind.clone(), params: node.params.clone() };
            let (id, edges) = (node.id.clone(), Vec::new());
            self.flow_node(FlowNode { id, body, origin, settings, edges }, path);
        }
    }

    fn body(&mut self, node: &NodeDescription, path: &str) -> Option<NodeBody> {
        let registry = self.registry;
        let factory = match registry.maker(&node.kind) {
            Some(Maker::Factory(factory)) => factory,
            Some(Maker::Flow) => return self.inner(node, &join(path, "params")),
            None => {
                // An empty type stands for a missing one, which was reported already.
                if !node.kind.is_empty() {
                    let known = registry.names().collect::<Vec<_>>().join(", ");
                    let message =
                        format!("there is no type `{}`; the types are {known}", node.kind);
                    self.problems.error(join(path, "type"), message);
                }
                return None;
            }
        };
        match factory(&BuildRequest { id: &node.id, params: &node.params, registry }) {
            Ok(body) => Some(body),
            Err(found) => {
                for problem in found {
                    let at = join(path, "params");
                    let at = if problem.path.is_empty() { at } else { join(&at, &problem.path) };
                    self.problems.error(at, problem.message);
                }
                None
            }
        }
    }

    /// Builds the flow in the parameters of a node.
    fn inner(&mut self, node: &NodeDescription, path: &str) -> Option<NodeBody> {
        for name in node.params.keys().filter(|name| *name != "flow") {
            self.problems.error(join(path, name), "no such field; the fields are flow");
        }
        let (path, depth) = (join(path, "flow"), self.depth + 1);
        let Some(value) = node.params.get("flow") else {
            self.problems.error(path, "it is missing");
            return None;
        };
        let description = read::flow(value, &path, depth, self.problems)?;
        Some(NodeBody::from(build(&description, &path, depth, self.registry, self.problems)))
    }

    fn settings(&mut self, node: &NodeDescription, path: &str) -> NodeSettings {
        if let Some(segment) = &node.segment
            && let Err(error) = piton_core::Namespace::parse(segment)
        {
            self.problems.error(join(path, "segment"), error.to_string());
        }
        if let Some((field, problem)) = node.retry.problem() {
            self.problems.error(join(path, &format!("retry.{field}")), problem);
        }
        let inputs = self.contract(&node.inputs, &join(path, "inputs"));
        let outputs = self.contract(&node.outputs, &join(path, "outputs"));
        let (segment, permissions) = (node.segment.clone(), node.permissions.clone());
        NodeSettings { segment, permissions, retry: node.retry, inputs, outputs }
    }

    fn contract(&mut self, schemas: &BTreeMap<String, Value>, path: &str) -> Contract {
        let mut contract = Contract::new();
        for (key, schema) in schemas {
            match contract.clone().with(key, schema) {
                Ok(more) => contract = more,
                Err(error) => self.problems.error(join(path, key), message(&error)),
            }
        }
        contract
    }

    fn subflow(&mut self, subflow: &Description, path: &str) {
        let id = subflow.id.clone().unwrap_or_default();
        if id.is_empty() {
            self.problems.error(join(path, "id"), "it is missing");
        }
        let is_new = self.id(&id, path);
        let flow = build(subflow, path, self.depth + 1, self.registry, self.problems);
        if is_new {
            let (body, settings) = (NodeBody::from(flow), NodeSettings::default());
            let flow_node =
                FlowNode { id, body, origin: NodeOrigin::Subflow, settings, edges: Vec::new() };
            self.flow_node(flow_node, path);
        }
    }

    fn flow_node(&mut self, flow_node: FlowNode, path: &str) {
        let id = flow_node.id.clone();
        match self.flow.flow_node(flow_node) {
            Ok(node) => {
                self.ids.insert(id, Some(node));
            }
            // After an earlier error this one may be a mere consequence, so it is not reported.
            Err(error) if self.problems.has_errors() => drop(error),
            Err(Error::Invalid { problems }) => {
                for problem in problems {
                    self.problems.error(join(path, &problem.path), problem.message);
                }
            }
            Err(error) => self.problems.error(path, error.to_string()),
        }
    }

    fn edge(&mut self, edge: &EdgeDescription, path: &str) {
        let from = self.end(&edge.from, &join(path, "from"));
        let to = self.end(&edge.to, &join(path, "to"));
        let (Some(from), Some(to)) = (from, to) else { return };
        let drawn = self.flow.on_with(from, &edge.condition, to, edge.mappings.clone());
        if let Err(error) = drawn {
            self.problems.error(join(path, "condition"), message(&error));
        }
    }

    /// Returns the node that an end of an edge names. A node that could not be built was already reported.
    fn end(&mut self, id: &str, path: &str) -> Option<NodeRef> {
        if id.is_empty() {
            return None;
        }
        let found = self.ids.get(id);
        if found.is_none() {
            self.problems.error(path, format!("there is no node or subflow `{id}`"));
        }
        found.copied().flatten()
    }

    fn start(&mut self, description: &Description, path: &str) {
        if let Some(id) = &description.start {
            if let Some(node) = self.end(id, &join(path, "start")) {
                self.flow.start = Some(node.0);
            }
        } else if self.flow.start.is_none() && !self.problems.has_errors() {
            self.problems.error(join(path, "nodes"), "there is no node to start at");
        }
    }
}

/// Returns the message of an error without its path, since the caller knows a better one.
fn message(error: &Error) -> String {
    match error {
        Error::Invalid { problems } => {
            let words: Vec<&str> =
                problems.iter().map(|problem| problem.message.as_str()).collect();
            words.join("; ")
        }
        other => other.to_string(),
    }
}

/// Warns of every edge whose condition its node never returns. Also warns of every outcome without an edge on a node
/// that has other edges; a run reports the same when it reaches such an outcome.
fn check_edges(flow: &Flow, path: &str, description: &Description, problems: &mut Problems) {
    for (index, edge) in description.edges.iter().enumerate() {
        let Some((flow_node, actions)) = known_actions(flow, &edge.from) else { continue };
        if actions.iter().any(|action| action.condition() == Some(&edge.condition)) {
            continue;
        }
        let at = join(path, &format!("edges[{index}].condition"));
        problems.warning(at, never_taken(flow_node, &edge.condition, &actions));
    }
    for (index, node) in description.nodes.iter().enumerate() {
        // A node without edges ends the flow on purpose, and `dead_end` does not report it.
        let Some((flow_node, actions)) = known_actions(flow, &node.id) else { continue };
        for end in actions.iter().filter_map(Action::condition) {
            if let Some(message) = flow_node.dead_end(end) {
                let at = join(path, &format!("nodes[{index}]"));
                problems.warning(at, format!("the flow can end here: {message}"));
            }
        }
    }
}

/// Returns a node with all of its actions, if it knows them.
fn known_actions<'f>(flow: &'f Flow, id: &str) -> Option<(&'f FlowNode, Vec<Action>)> {
    let flow_node = flow.node(id)?;
    match &flow_node.body {
        NodeBody::Node(node) => Some((flow_node, node.actions()?)),
        NodeBody::Flow(_) | NodeBody::Batch { .. } => None,
    }
}

fn never_taken(flow_node: &FlowNode, condition: &str, actions: &[Action]) -> String {
    let ends = actions.iter().filter_map(Action::condition);
    let ends: Vec<String> = ends.map(|name| format!("`{name}`")).collect();
    if ends.is_empty() {
        return format!("this edge is never taken: the flow ends with `{}`", flow_node.id);
    }
    format!(
        "this edge is never taken: `{}` never ends with `{condition}`, only with {}",
        flow_node.id,
        ends.join(", ")
    )
}

/// Warns of every node that cannot be reached from the start.
fn check_reach(flow: &Flow, path: &str, description: &Description, problems: &mut Problems) {
    let Some(start) = flow.start else { return };
    let mut seen = vec![false; flow.places.len()];
    let mut waiting = vec![start];
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            waiting.extend(flow.places[at].edges.iter().map(|edge| edge.to));
        }
    }
    for (flow_node, _) in flow.places.iter().zip(&seen).filter(|(_, seen)| !**seen) {
        let node = description.nodes.iter().position(|node| node.id == flow_node.id);
        let subflow = description
            .subflows
            .iter()
            .position(|subflow| subflow.id.as_ref() == Some(&flow_node.id));
        let at = match (node, subflow) {
            (Some(index), _) => join(path, &format!("nodes[{index}]")),
            (None, Some(index)) => join(path, &format!("subflows[{index}]")),
            (None, None) => path.to_owned(),
        };
        problems.warning(
            at,
            format!("no way leads to `{}` from `{}`", flow_node.id, flow.places[start].id),
        );
    }
}
