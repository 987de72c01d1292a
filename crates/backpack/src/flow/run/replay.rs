//! Points from which a run can be repeated.

use std::collections::BTreeSet;

use super::record::{Finished, RUNNER, RunRecord};
use crate::flow::bounds::NODES_NAMED_MAX;
use crate::flow::error::Error;
use crate::flow::graph::{Flow, NodeBody};
use crate::{Backpack, CommitId, Filter};

/// Returns the last commit of the state in which the last run on a backpack reached `node` for the first time. `node`
/// is named as in the backpack: the ids from the outermost flow on, separated by `/`.
///
/// A fork taken there continues with that node. Inside a batch, it continues with the whole batch: see [`check_start`].
/// The commits have to be in memory: read the backpack with [`read`](crate::journal::read).
pub fn before_node(backpack: &Backpack, node: &str) -> Result<CommitId, Error> {
    let records = RunRecord::all(backpack)?;
    let Some((first, _)) = records.first() else { return Err(RunRecord::none()) };
    // A flow inside this one begins with the first of its nodes.
    let inside = format!("{node}/");
    let is_node = |finished: &Finished| {
        let path = finished.path.join("/");
        path == node || path.starts_with(&inside)
    };
    // The record just before the one that says the node finished marks the state in which the node began.
    for pair in records.windows(2) {
        let ((commit, before), (_, after)) = (&pair[0], &pair[1]);
        if before.finished != after.finished && after.finished.as_ref().is_some_and(is_node) {
            return Ok(*commit);
        }
    }
    // The node did not finish, so its own first commit shows when it began.
    let since = Filter { from: Some(*first), ..Filter::default() };
    let commits = backpack.debug().history(&since)?;
    let begun = commits.iter().find(|commit| commit.author().id.as_str() == node);
    // The state to go back to is that of the last record before the node's first commit.
    let record = begun.and_then(|begun| {
        records.iter().rev().map(|(commit, _)| *commit).find(|commit| *commit < begun.id())
    });
    record.ok_or_else(|| {
        let ran = commits.iter().map(|commit| commit.author().id.as_str());
        let finished = records.iter().filter_map(|(_, record)| record.finished.as_ref());
        let finished: Vec<String> = finished.map(|finished| finished.path.join("/")).collect();
        let ran: BTreeSet<&str> = ran.chain(finished.iter().map(String::as_str)).collect();
        Error::not_resumable(unknown(node, ran))
    })
}

/// Returns the last commit of the state in which the last run on a backpack stopped before `node`. The node itself left
/// nothing behind: it failed before its first commit, or never began. Returns `None` if `flow` has another node next at
/// that point, or if the run stopped inside a nested flow.
pub fn before_pending_node(backpack: &Backpack, flow: &Flow, node: &str) -> Option<CommitId> {
    let records = RunRecord::all(backpack).ok()?;
    let (_, record) = records.last()?;
    let next = match &record.finished {
        None => flow.start?,
        Some(Finished { path, condition }) => {
            let [id] = path.as_slice() else { return None };
            let flow_node = flow.node(id)?;
            flow_node.edge(condition.as_deref()?)?.to
        }
    };
    // The records of the end of a run come after changes by passes of a batch, so take the first record of this state.
    let flow_node = |record: &RunRecord| (record.nodes_finished, record.finished.clone());
    let (commit, _) =
        records.iter().find(|(_, earlier)| flow_node(earlier) == flow_node(record))?;
    (flow.places[next].id == node).then_some(*commit)
}

/// Checks that a flow can run again from a node. A node inside a batch is refused, because the passes of a batch share
/// one state: there is no state from which one of them alone could run again.
pub fn check_start(flow: &Flow, node: &str) -> Result<(), Error> {
    let Some(batch) = batch_around(flow, node) else { return Ok(()) };
    Err(Error::not_resumable(format!(
        "`{node}` is inside the batch `{batch}`, whose passes share one state; run it again from `{batch}`"
    )))
}

/// Returns the outermost batch around a node.
fn batch_around(flow: &Flow, node: &str) -> Option<String> {
    let (mut flow, mut path) = (flow, Vec::new());
    let mut ids = node.split('/').peekable();
    while let Some(id) = ids.next() {
        path.push(id);
        let flow_node = flow.node(id)?;
        // The node itself may be a batch; only one around it matters.
        ids.peek()?;
        if matches!(flow_node.body, NodeBody::Batch { .. }) {
            return Some(path.join("/"));
        }
        flow = flow_node.body.flow()?;
    }
    None
}

fn unknown(node: &str, mut ran: BTreeSet<&str>) -> String {
    ran.remove(RUNNER);
    let count = ran.len();
    let named: Vec<&str> = ran.into_iter().take(NODES_NAMED_MAX).collect();
    let more = count.saturating_sub(NODES_NAMED_MAX);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("no node `{node}` ran in it; these did: {}{more}", named.join(", "))
}
