//! A recap line by line, with the output behind each line.

use std::collections::HashMap;

use piton_core::{Digest, Envelope, NodeId, OutputId};
use piton_workflow::projection::{ArtifactText, Produced, RecapDraft, RecordedDecision, RunState};
use piton_workflow::session::{DECIDED, DecisionLine};
use piton_workflow::snapshot::{ExecutionSnapshot, derive_pending_step};

use super::reference::{NodeReference, Placed};
use super::reply::{RecapBlame, RecapLine, RecapSource};
use crate::workflow::Runtime;
use crate::workflow::loaded_session::LoadedSession;

impl Runtime {
    /// Returns the recap that an agent reads when it resumes at a node, line by line, with the origin of each line.
    pub async fn blame_recap(&self, reference: &NodeReference) -> Result<RecapBlame, Envelope> {
        let placed = self.placed(reference).await?;
        placed.recap(placed.node).await
    }
}

impl Placed {
    /// Returns the recap at a node of the run.
    pub(super) async fn recap(&self, node: NodeId) -> Result<RecapBlame, Envelope> {
        let Self { session, reading, run, .. } = self;
        let workflow = reading.workflow(run.started.workflow_hash).await?;
        let recap = RecapDraft::select(run, node);
        let produced = Produced::select(run, node);
        // Rendering is synchronous, so everything that it may look up is loaded first.
        let mut snapshots: HashMap<NodeId, ExecutionSnapshot> = HashMap::new();
        let noted = recap.nodes().map(|noted| (noted.node, noted.snapshot));
        for (node, snapshot) in noted.chain(produced.nodes()) {
            snapshots.insert(node, reading.snapshot(snapshot).await?);
        }
        let mut texts: HashMap<Digest, ArtifactText> = HashMap::new();
        for artifact in produced.artifacts() {
            texts.insert(artifact.digest, reading.artifact_text(artifact).await);
        }
        let decided = decided(reading, run, node).await?;
        let here = run.graph.node(node).expect("it was found in the graph").snapshot;
        let here = reading.snapshot(here).await?;
        let step_at = |node: NodeId| snapshots.get(&node).and_then(derive_pending_step);
        let text_of = |digest| texts.get(&digest).cloned().unwrap_or(ArtifactText::Large(None));
        let pieces = recap.pieces(&workflow, derive_pending_step(&here), step_at);
        let produced = produced.pieces(step_at, text_of);
        let lines = pieces.iter().chain(&produced).flat_map(|piece| {
            let from = piece.source.and_then(|(node, output)| source(reading, run, node, output));
            piece.text.lines().map(move |line| RecapLine { text: line.to_owned(), from })
        });
        let lines = decided.into_iter().chain(lines);
        let lines = lines.filter(|line| !line.text.is_empty()).collect();
        Ok(RecapBlame { session_id: *session, run_id: run.id, node_id: node, lines })
    }
}

/// Returns the decisions of people on the way to a node, which an agent reads before the rest.
async fn decided(
    reading: &LoadedSession,
    run: &RunState,
    node: NodeId,
) -> Result<Vec<RecapLine>, Envelope> {
    let with_node = |at: RecordedDecision| Some((run.graph.node(at.node)?, at));
    let recorded: Vec<_> = run.decisions_toward(node).into_iter().filter_map(with_node).collect();
    let steps = reading.steps(run, recorded.iter().map(|(node, _)| *node)).await?;
    let mut lines = Vec::new();
    if !recorded.is_empty() {
        lines.push(RecapLine { text: DECIDED.to_owned(), from: None });
    }
    for (node, at) in recorded {
        let step = steps.get(&node.snapshot);
        let step = step.map(|step| step.title.as_str().to_owned()).unwrap_or_default();
        let from = RecapSource {
            node_id: at.node,
            output_id: None,
            event: at.index,
            at: reading.time_of(at.index),
        };
        let text = format!("- {}", DecisionLine { step, decision: at.decision });
        lines
            .extend(text.lines().map(|line| RecapLine { text: line.to_owned(), from: Some(from) }));
    }
    Ok(lines)
}

fn source(
    reading: &LoadedSession,
    run: &RunState,
    node: NodeId,
    output: OutputId,
) -> Option<RecapSource> {
    let output = run.outputs.at_node(node).iter().find(|recorded| recorded.id == output)?;
    let at = reading.time_of(output.index);
    Some(RecapSource { node_id: node, output_id: Some(output.id), event: output.index, at })
}
