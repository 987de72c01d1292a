//! The walk through a flow: visits a node, and chooses the next one by the edge that its action takes.

use std::collections::BTreeMap;

use super::contract::apply_mappings;
use super::flow_run::{FlowFrame, FlowRun, PreparedNode, ResumePoint};
use super::progress::PassNote;
use super::record::Finished;
use crate::flow::error::Error;
use crate::flow::graph::{Edge, Flow, FlowNode};
use crate::flow::node::{Action, BoxFuture};

impl FlowRun<'_> {
    /// Walks a flow to its end, from its start or from behind the last node that finished.
    pub(super) fn walk<'a>(
        &'a self,
        flow: &'a Flow,
        frame: &'a FlowFrame,
        ahead: Option<ResumePoint<'a>>,
    ) -> BoxFuture<'a, Result<Action, Error>> {
        Box::pin(self.walk_on(flow, frame, ahead))
    }

    async fn walk_on(
        &self,
        flow: &Flow,
        frame: &FlowFrame,
        ahead: Option<ResumePoint<'_>>,
    ) -> Result<Action, Error> {
        let Some(start) = flow.start else {
            return Err(Error::invalid("nodes", "there is no node to start at"));
        };
        // A loop visits nodes many times; each is prepared once.
        let mut ready: BTreeMap<usize, PreparedNode> = BTreeMap::new();
        let mut at = start;
        let mut ahead = ahead;
        if let Some(way) = ahead {
            at = find(flow, way.path)?;
        }
        loop {
            let flow_node = &flow.places[at];
            if let std::collections::btree_map::Entry::Vacant(entry) = ready.entry(at) {
                entry.insert(self.ready(frame, flow_node)?);
            }
            let here = &ready[&at];
            let action = match ahead.take() {
                // This is the node that finished last: do not visit it again, only follow its edge.
                Some(way) if way.path.len() == 1 => finished_with(way),
                // The node that finished last is inside this one, which is a flow.
                Some(way) => self.visit_again(frame, flow_node, here, way).await?,
                None => self.visit(frame, flow_node, here).await?,
            };
            let Some(edge) = next_edge(flow_node, here, &action) else { return Ok(action) };
            apply_mappings(self.state, edge, here).await?;
            at = edge.to;
        }
    }

    /// Records that a node finished, if that has to survive.
    pub(super) async fn finished(
        &self,
        frame: &FlowFrame,
        flow_node: &FlowNode,
        action: &Action,
    ) -> Result<(), Error> {
        let Some(progress) = &frame.progress else { return Ok(()) };
        let condition = action.condition().map(ToOwned::to_owned);
        // The path starts at this walk; the ids around it are known from the batch.
        let path = frame.path_to(flow_node).split_off(progress.depth);
        let finished = Finished { path, condition };
        // Taken at the same time: these are the changes that stand with this node.
        let (changes, count) = (progress.changes.take(), progress.count());
        // The walk of the run itself is recorded in the run's record, a pass in notes of its own.
        if progress.pass.is_empty() {
            return self
                .note(|record| {
                    record.finished = Some(finished);
                    record.nodes_finished = count;
                })
                .await;
        }
        let run = self.record().run;
        let notes = PassNote::of_finished((run, &progress.visit()), finished, &changes);
        Ok(self.notebook.note_passes(&notes).await?)
    }
}

/// Returns the edge that an action takes, if the flow continues.
fn next_edge<'p>(
    flow_node: &'p FlowNode,
    ready: &PreparedNode,
    action: &Action,
) -> Option<&'p Edge> {
    let condition = action.condition()?;
    if ready.tap.is_heard()
        && let Some(message) = flow_node.dead_end(condition)
    {
        ready.tap.warn(&format!("the flow ends here: {message}"));
    }
    flow_node.edge(condition)
}

fn find(flow: &Flow, path: &[String]) -> Result<usize, Error> {
    let flow_node = path.first().and_then(|id| flow.find(id));
    flow_node.map(|flow_node| flow_node.0).ok_or_else(|| {
        Error::not_resumable("the flow has no node of the name that its record gives")
    })
}

fn finished_with(way: ResumePoint<'_>) -> Action {
    way.condition.map_or(Action::End, Action::named)
}
