//! The steps on the way to a node, with what was handed in.

use std::ops::Range;

use piton_core::{Digest, Envelope, EventIndex, TimestampMs, canonical, shorten};
use piton_workflow::event::{EventBody, OutputPayload};
use piton_workflow::label::label;
use piton_workflow::projection::{Output, RunNode, RunState, headline};
use piton_workflow::{NodeKind, SessionEvent};

use super::place::Placed;
use super::reply::{ChainLink, NodeBlame, OutputShown};
use super::request::NodeReference;
use crate::bounds::{HEADLINE_BYTES_MAX, STEPS_SHOWN_MAX};
use crate::runtime::Runtime;
use crate::runtime::reading::Reading;

impl Runtime {
    /// The steps behind a node.
    pub async fn blame_node(&self, reference: &NodeReference) -> Result<NodeBlame, Envelope> {
        let Placed { session, mut reading, run, node } = self.placed(reference).await?;
        let mut path: Vec<&RunNode> = run.graph.ancestry(node).collect();
        path.reverse();
        let left_out = path.len().saturating_sub(STEPS_SHOWN_MAX);
        let chain = links(&mut reading, &run, &path[left_out..]).await?;
        Ok(NodeBlame {
            session_id: session,
            run_id: run.id,
            label: label(run.id).to_string(),
            workflow_id: run.started.workflow_id.to_string(),
            node_id: node,
            chain,
            left_out,
        })
    }
}

/// Nodes on one way, the oldest first, with their steps and what was handed in for them.
pub(super) async fn links(
    reading: &mut Reading<'_>,
    run: &RunState,
    nodes: &[&RunNode],
) -> Result<Vec<ChainLink>, Envelope> {
    let steps = reading.steps(run, nodes.iter().copied()).await?;
    let link = |(place, node): (usize, &&RunNode)| {
        let next = nodes.get(place + 1).copied();
        let step = steps.get(&node.snapshot).and_then(Option::as_ref);
        ChainLink {
            node_id: node.id,
            step: step.map(|step| step.step_id.as_str().to_owned()),
            title: step.map(|step| step.title.as_str().to_owned()),
            at: time_of(reading, node.created),
            outputs: handed_in(reading, run, node, next)
                .into_iter()
                .map(|output| shown(reading, output))
                .collect(),
        }
    };
    Ok(nodes.iter().enumerate().map(link).collect())
}

/// What was handed in for a node on the way to `next`, which may be another way than the run took last. Without a
/// next node, what stands there.
pub(super) fn handed_in<'a>(
    reading: &Reading<'_>,
    run: &'a RunState,
    node: &RunNode,
    next: Option<&RunNode>,
) -> Vec<&'a Output> {
    let all = run.outputs.of(node.id).iter();
    match next.filter(|next| next.kind == NodeKind::Step) {
        None => all.filter(|output| !output.superseded).collect(),
        Some(next) => {
            let together = recorded_with(reading, next.created);
            all.filter(|output| together.contains(&output.index.get())).collect()
        }
    }
}

/// The outputs that were recorded with a node: those that follow it and the edge to it.
fn recorded_with(reading: &Reading<'_>, node: EventIndex) -> Range<u64> {
    let first = node.get() + 1;
    let events = usize::try_from(first).ok().and_then(|first| reading.events.get(first..));
    let follows = |event: &&SessionEvent| {
        matches!(event.body(), EventBody::EdgeCreated(..) | EventBody::NodeOutputAppended(..))
    };
    let count = events.unwrap_or_default().iter().take_while(follows).count();
    first..first + count as u64
}

/// When an event was recorded.
pub(super) fn time_of(reading: &Reading<'_>, index: EventIndex) -> TimestampMs {
    let place = usize::try_from(index.get()).ok();
    let event = place.and_then(|place| reading.events.get(place));
    event.map_or(TimestampMs(0), SessionEvent::timestamp)
}

/// The digest of what an output holds.
pub(super) fn digest_of(output: &Output) -> Digest {
    match &output.payload {
        OutputPayload::Notes { notes_markdown } => {
            let bytes = canonical::encode(notes_markdown.as_str());
            Digest::of(&bytes.expect("a text has a canonical form"))
        }
        OutputPayload::ArtifactRef { sha256, .. } => *sha256,
    }
}

fn shown(reading: &Reading<'_>, output: &Output) -> OutputShown {
    let (kind, first) = match &output.payload {
        OutputPayload::Notes { notes_markdown } => {
            ("notes".to_owned(), headline(notes_markdown.as_str()))
        }
        OutputPayload::ArtifactRef { content_type, .. } => (content_type.to_string(), None),
    };
    OutputShown {
        output_id: output.id,
        event: output.index,
        at: time_of(reading, output.index),
        kind,
        digest: digest_of(output),
        headline: first.map(|line| shorten(line, HEADLINE_BYTES_MAX).into_owned()),
    }
}
