//! Resolution of the node that a person names.

use piton_core::{Code, Envelope, NodeId, SessionId, truncate};
use piton_workflow::NodeKind;
use piton_workflow::projection::{RunNode, RunState};

use super::request::NodeReference;
use crate::bounds::NAME_QUOTED_BYTES_MAX;
use crate::workflow::Runtime;
use crate::workflow::loaded_session::LoadedSession;
use crate::workflow::reference::{ambiguous, ends};

/// A node that was found, with its session.
pub(crate) struct Placed {
    pub(crate) session: SessionId,
    pub(crate) reading: LoadedSession,
    pub(crate) run: RunState,
    pub(crate) node: NodeId,
}

impl Runtime {
    /// Returns the node that a reference names.
    pub(crate) async fn placed(&self, reference: &NodeReference) -> Result<Placed, Envelope> {
        let (session, run) = self.meant_run(&reference.run).await?;
        let reading = LoadedSession::of(&self.ports, session).await?;
        let run = reading.state.run(run).cloned().ok_or_else(|| no_node(reference))?;
        let node = match &reference.node {
            None => run.graph.preferred_tip().ok_or_else(|| no_node(reference))?.id,
            Some(text) => find(&reading, &run, text, reference).await?,
        };
        Ok(Placed { session, reading, run, node })
    }
}

/// Finds the step whose node has the id `text` or an id that ends with it, or the node on the run's path where the step
/// `text` is pending.
async fn find(
    reading: &LoadedSession,
    run: &RunState,
    text: &str,
    reference: &NodeReference,
) -> Result<NodeId, Envelope> {
    // Bookmarks and blocked attempts are nodes too, but no step is pending there.
    let is_step = |node: &&RunNode| node.kind == NodeKind::Step;
    let named: Vec<NodeId> = run
        .graph
        .nodes()
        .filter(is_step)
        .map(|node| node.id)
        .filter(|id| ends(&id.to_string(), text))
        .collect();
    match named.as_slice() {
        [node] => return Ok(*node),
        [] => {}
        several => {
            let lines: Vec<String> = several.iter().map(ToString::to_string).collect();
            return Err(ambiguous(text, lines.iter().map(String::as_str)));
        }
    }
    // Ids come first. A step id may occur on several branches, so only the path that the run follows is searched.
    let Some(tip) = run.graph.preferred_tip() else { return Err(no_node(reference)) };
    let path: Vec<&RunNode> = run.graph.ancestry(tip.id).collect();
    let steps = reading.steps(run, path.iter().copied()).await?;
    let is_at = |node: &&&RunNode| {
        let step = steps.get(&node.snapshot).and_then(Option::as_ref);
        step.is_some_and(|step| step.step_id.as_str() == text)
    };
    path.iter().find(is_at).map(|node| node.id).ok_or_else(|| no_node(reference))
}

fn no_node(reference: &NodeReference) -> Envelope {
    let node = reference.node.as_deref().unwrap_or("its end");
    let run = truncate(&reference.run.0, NAME_QUOTED_BYTES_MAX);
    let message =
        format!("The run `{run}` has no step `{}`.", truncate(node, NAME_QUOTED_BYTES_MAX));
    Envelope::new(Code::SessionNotFound, message).with_suggestion(format!(
        "`piton session tree {run} --json` lists its nodes; a step's own id is taken as well."
    ))
}
