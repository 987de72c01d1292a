//! The steps on the way to a node, with their submitted outputs.

use piton_core::{Digest, Envelope, canonical, shorten};
use piton_workflow::event::OutputPayload;
use piton_workflow::label::label;
use piton_workflow::projection::{RecordedOutput, RunNode, RunState, SideRecord, headline};

use super::reference::{NodeReference, Placed};
use super::reply::{BookmarkLink, ChainLink, NodeBlame, OutputShown};
use crate::bounds::{HEADLINE_BYTES_MAX, STEPS_SHOWN_MAX};
use crate::reply::{ReplyRoom, ShownList};
use crate::workflow::Runtime;
use crate::workflow::loaded_session::LoadedSession;

impl Runtime {
    /// Returns the steps behind a node.
    pub async fn blame_node(&self, reference: &NodeReference) -> Result<NodeBlame, Envelope> {
        let Placed { session, reading, run, node } = self.placed(reference).await?;
        let mut path: Vec<&RunNode> = run.graph.ancestry(node).collect();
        path.reverse();
        let older = path.len().saturating_sub(STEPS_SHOWN_MAX);
        let chain = links(&reading, &run, &path[older..]).await?;
        let ShownList { items: chain, left_out } = ReplyRoom::new().newest(chain);
        Ok(NodeBlame {
            session_id: session,
            run_id: run.id,
            label: label(run.id).to_string(),
            workflow_id: run.started.workflow_id.to_string(),
            node_id: node,
            chain,
            left_out: older + left_out,
        })
    }
}

/// Returns the nodes of one path, oldest first, with their steps and the outputs submitted on that path.
pub(super) async fn links(
    reading: &LoadedSession,
    run: &RunState,
    nodes: &[&RunNode],
) -> Result<Vec<ChainLink>, Envelope> {
    let steps = reading.steps(run, nodes.iter().copied()).await?;
    let mut links = Vec::with_capacity(nodes.len());
    // Newest first: the number of artifacts read is bounded, and the recent ones matter most.
    for (place, node) in nodes.iter().enumerate().rev() {
        let next = nodes.get(place + 1).copied();
        let step = steps.get(&node.snapshot);
        let outputs = outputs(reading, run, node, next).await;
        let mut bookmarks = Vec::new();
        for bookmark in run.bookmarks_on(node) {
            let outputs = self::outputs(reading, run, bookmark, None).await;
            // A bookmark without outputs only marks a place and says nothing about the origin.
            if !outputs.is_empty() {
                let (node_id, at) = (bookmark.id, reading.time_of(bookmark.created));
                bookmarks.push(BookmarkLink { node_id, at, outputs });
            }
        }
        links.push(ChainLink {
            node_id: node.id,
            step: step.map(|step| step.step_id.as_str().to_owned()),
            title: step.map(|step| step.title.as_str().to_owned()),
            at: reading.time_of(node.created),
            outputs,
            decisions: reading.decisions(run, node.id),
            records: run.side_records_toward(node, next).flat_map(SideRecord::lines).collect(),
            bookmarks,
        });
    }
    links.reverse();
    Ok(links)
}

/// Returns the digest of an output's content.
pub(super) fn digest_of(output: &RecordedOutput) -> Digest {
    match &output.payload {
        OutputPayload::Notes { notes_markdown } => {
            let bytes = canonical::encode(notes_markdown.as_str());
            Digest::of(&bytes.expect("a text has a canonical form"))
        }
        OutputPayload::ArtifactRef { sha256, .. } => *sha256,
    }
}

/// Returns the outputs that were submitted at a node on the way to `next`.
async fn outputs(
    reading: &LoadedSession,
    run: &RunState,
    node: &RunNode,
    next: Option<&RunNode>,
) -> Vec<OutputShown> {
    let mut outputs = Vec::new();
    for output in run.outputs_toward(node, next) {
        let artifact = reading.artifact(output).await;
        let (kind, first) = match &output.payload {
            OutputPayload::Notes { notes_markdown } => {
                ("notes".to_owned(), headline(notes_markdown.as_str()).map(str::to_owned))
            }
            OutputPayload::ArtifactRef { content_type, .. } => {
                let content = artifact.as_ref().and_then(|artifact| artifact.content.as_ref());
                (content_type.to_string(), content.map(ToString::to_string))
            }
        };
        outputs.push(OutputShown {
            output_id: output.id,
            event: output.index,
            at: reading.time_of(output.index),
            kind,
            digest: digest_of(output),
            headline: first.map(|line| shorten(&line, HEADLINE_BYTES_MAX).into_owned()),
            artifact,
        });
    }
    outputs
}
