//! The flow that ran on a backpack as a graph, with the state of each node.
//!
//! *Limitations*: the visits are those that the history in memory has. Older ones are counted.

use std::collections::BTreeMap;

use piton_backpack::BackpackId;
use piton_backpack::flow::{RunRecord, RunStatus};
use piton_core::{Code, Envelope, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backpacks::Backpacks;
use super::reference::BackpackReference;
use crate::bounds::{FLOW_GRAPH_MAX, cut};

/// The last flow that ran on a backpack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowGraph {
    pub backpack: BackpackId,
    pub run_id: RunId,
    pub status: RunStatus,
    /// The nodes of the flow and of the flows inside it, each flow after its own node.
    pub nodes: Vec<FlowNodeShown>,
    pub edges: Vec<FlowEdge>,
    /// Number of nodes and edges that are left out.
    pub left_out: usize,
    /// Number of visits that are no longer in memory.
    pub older_visits: u64,
}

/// A node of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowNodeShown {
    /// The ids from the outermost flow to the node, with slashes between them.
    pub path: String,
    /// The path of the flow that it is in; none for the outermost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The type of the node; `flow` for a flow.
    pub kind: String,
    /// Set if its flow begins with it.
    pub is_start: bool,
    pub state: FlowNodeState,
    /// How often it finished.
    pub visits: u64,
    /// The condition with which it last finished; none if that ended its flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// An edge of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowEdge {
    /// The path of the node that it leaves.
    pub from: String,
    /// The path of the node that it leads to.
    pub to: String,
    pub condition: String,
    /// How often it was taken.
    pub taken: u64,
}

piton_core::closed_set! {
    /// How a node of a flow stands.
    pub enum FlowNodeState {
        /// The run did not come to it.
        NotVisited => "not_visited",
        /// It finished.
        Finished => "finished",
        /// The run is at it, or stopped there.
        Current => "current",
    }
}

/// The part of a flow's description that a graph needs.
#[derive(Deserialize)]
struct GraphDescription {
    id: Option<String>,
    start: Option<String>,
    #[serde(default)]
    nodes: Vec<NodeEntry>,
    #[serde(default)]
    edges: Vec<EdgeEntry>,
    #[serde(default)]
    subflows: Vec<Self>,
}

#[derive(Deserialize)]
struct NodeEntry {
    id: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct EdgeEntry {
    from: String,
    to: String,
    #[serde(default = "default_condition")]
    condition: String,
}

fn default_condition() -> String {
    piton_backpack::flow::node::DEFAULT.to_owned()
}

impl Backpacks {
    /// Returns the last flow that ran on a backpack as a graph. `None` if none did, or if the run kept no description.
    pub async fn flow_graph(
        &self,
        reference: &BackpackReference,
    ) -> Result<Option<FlowGraph>, Envelope> {
        let backpack = self.open(reference).await?;
        let Some(record) = RunRecord::of(&backpack)? else { return Ok(None) };
        let Some(description) = record.description(&backpack)? else { return Ok(None) };
        let description: GraphDescription =
            serde_json::from_value(description).map_err(|error| {
                let message = format!("The description of the flow is not one: {error}.");
                Envelope::new(Code::StoreInvariantViolation, message)
            })?;
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        collect(&description, None, &mut nodes, &mut edges);
        let visits = RunRecord::visits(&backpack)?;
        let mut last: Option<(String, Option<String>)> = None;
        let mut finished: BTreeMap<String, (u64, Option<String>)> = BTreeMap::new();
        for visit in &visits {
            let path = visit.path.join("/");
            let seen = finished.entry(path.clone()).or_default();
            *seen = (seen.0 + 1, visit.condition.clone());
            let taken = edges.iter_mut().find(|edge: &&mut FlowEdge| {
                edge.from == path && Some(&edge.condition) == visit.condition.as_ref()
            });
            if let Some(edge) = taken {
                edge.taken += 1;
            }
            last = Some((path, visit.condition.clone()));
        }
        // A run that is over is at no node, unless it ended because of one.
        let current = match (&last, record.status) {
            (_, RunStatus::Done) => None,
            (None, _) => nodes.iter().find(|node| node.is_start).map(|node| node.path.clone()),
            (Some((path, condition)), _) => edges
                .iter()
                .find(|edge| edge.from == *path && Some(&edge.condition) == condition.as_ref())
                .map(|edge| edge.to.clone()),
        };
        for node in &mut nodes {
            if let Some((visits, condition)) = finished.remove(&node.path) {
                (node.visits, node.condition) = (visits, condition);
                node.state = FlowNodeState::Finished;
            }
            if current.as_ref() == Some(&node.path) {
                node.state = FlowNodeState::Current;
            }
        }
        let (nodes, more_nodes) = cut(nodes, FLOW_GRAPH_MAX);
        let (edges, more_edges) = cut(edges, FLOW_GRAPH_MAX);
        Ok(Some(FlowGraph {
            backpack: backpack.id().clone(),
            run_id: record.run,
            status: record.status,
            nodes,
            edges,
            left_out: more_nodes + more_edges,
            older_visits: record.nodes_finished.saturating_sub(visits.len() as u64),
        }))
    }
}

/// Collects the nodes and edges of a flow and of the flows inside it. The format bounds how deep these go.
fn collect(
    flow: &GraphDescription,
    parent: Option<&str>,
    nodes: &mut Vec<FlowNodeShown>,
    edges: &mut Vec<FlowEdge>,
) {
    let path = |id: &str| parent.map_or_else(|| id.to_owned(), |parent| format!("{parent}/{id}"));
    let first = flow.nodes.first().map(|node| &node.id);
    let first = first.or_else(|| flow.subflows.first().and_then(|inner| inner.id.as_ref()));
    let start = flow.start.as_ref().or(first);
    let node = |id: &String, kind: &str| FlowNodeShown {
        path: path(id),
        parent: parent.map(str::to_owned),
        kind: kind.to_owned(),
        is_start: Some(id) == start,
        state: FlowNodeState::NotVisited,
        visits: 0,
        condition: None,
    };
    nodes.extend(flow.nodes.iter().map(|entry| node(&entry.id, &entry.kind)));
    edges.extend(flow.edges.iter().map(|edge| FlowEdge {
        from: path(&edge.from),
        to: path(&edge.to),
        condition: edge.condition.clone(),
        taken: 0,
    }));
    for inner in &flow.subflows {
        let Some(id) = &inner.id else { continue };
        nodes.push(node(id, "flow"));
        collect(inner, Some(&path(id)), nodes, edges);
    }
}
