//! A run as one document, for a reader who has nothing else.
//!
//! *Invariants*: nothing is in it that must not leave this machine (see [`redaction`](crate::redaction)). It is bounded,
//! and everything that is left out or replaced is counted in it. Details of steps come before events, and these before
//! writes and recaps: a reader wants to see what was done, then how it was recorded.
//!
//! *Limitations*: the workflow of the run and the values of its backpacks are not part of it.

use std::path::Path;

use piton_core::{Code, Envelope, NodeId};
use piton_workflow::event::ObservedValue;
use piton_workflow::label::label;
use piton_workflow::{EventBody, NodeAddress, SessionEvent};
use serde::Serialize;
use serde_json::{Map, Value};

use super::compare::Worlds;
use super::compare_runs::RunWrites;
use super::reference::NodeReference;
use crate::bounds::{RUN_EXPORT_BYTES_MAX, RUN_EXPORT_RECAPS_MAX};
use crate::redaction::{MachinePaths, Redaction};
use crate::reply::{
    ExportOmission, ExportedStep, OmissionKind, ReplyRoom, RunExport, StepDetail, StepWrites,
};
use crate::request::{Freshness, RunAddress, SessionReference};
use crate::workflow::Runtime;

impl Runtime {
    /// Returns the ids of the run that a person names.
    pub async fn run_address(&self, reference: &SessionReference) -> Result<RunAddress, Envelope> {
        let (session, run) = self.meant_run(reference).await?;
        Ok(RunAddress { session, run })
    }

    /// Returns a run as one document. Of a damaged session, the valid beginning is exported.
    pub async fn export_run(
        &self,
        at: RunAddress,
        worlds: &Worlds<'_>,
        machine: MachinePaths,
    ) -> Result<RunExport, Envelope> {
        let RunAddress { session, run } = at;
        let shape = self.run_shape(at, Freshness::Now).await?;
        let (events, _) = self.valid_events(session).await?;
        let is_of_run = |event: &SessionEvent| {
            event.body().scope().is_none_or(|scope| scope.run_id.is_none_or(|own| own == run))
        };
        let events: Vec<SessionEvent> = events.into_iter().filter(is_of_run).collect();
        let mut remarks = Vec::new();
        let writes = RunWrites::load(worlds, run, &mut remarks).await?;
        let mut draft = ExportDraft {
            redaction: Redaction::new(observed_paths(machine, &events), &writes.packed.protected),
            room: ReplyRoom::of(RUN_EXPORT_BYTES_MAX),
            counts: OmissionCounts::default(),
        };
        draft.counts.protected = writes.packed.protected.len();
        let Some(shape_json) = draft.fit(&shape) else { return Err(too_large()) };

        // The newest steps matter most, so they get the room first.
        let nodes: Vec<NodeId> = shape.shape.nodes.id.iter().rev().copied().collect();
        let mut steps = Map::new();
        for node in &nodes {
            let detail = self.step_detail(NodeAddress { session, run, node: *node }).await?;
            match draft.fit(&detail) {
                Some(json) => {
                    draft.counts.add_step(&detail);
                    let step = ExportedStep { detail: json, ..ExportedStep::default() };
                    steps.insert(node.to_string(), json_of(&step));
                }
                None => draft.counts.steps += 1,
            }
        }
        let mut exported_events = Vec::new();
        for event in events.iter().rev() {
            match draft.fit(event) {
                Some(json) => exported_events.push(json),
                None => draft.counts.events += 1,
            }
        }
        exported_events.reverse();
        for node in &nodes {
            let written = writes.at(&|own| own == node, &mut remarks).await;
            draft.counts.entries +=
                written.keys_left_out + written.files_left_out + written.frames_left_out;
            let about = if written.is_empty() { Vec::new() } else { remarks.clone() };
            let written = StepWrites { node_id: *node, written, notes: about };
            draft.counts.writes += draft.add_to(&mut steps, *node, "writes", &written);
        }
        self.add_recaps(&mut draft, at, &nodes, &mut steps).await;
        Ok(RunExport {
            session_id: session,
            run_id: run,
            label: label(run),
            exported_at: self.ports.clock.now_ms(),
            shape: shape_json,
            steps,
            events: exported_events,
            omissions: draft.omissions(),
        })
    }

    /// Adds the recaps of the newest steps. A session that is damaged has none: an agent could not resume it either.
    async fn add_recaps(
        &self,
        draft: &mut ExportDraft,
        at: RunAddress,
        nodes: &[NodeId],
        steps: &mut Map<String, Value>,
    ) {
        let named = SessionReference(at.run.to_string());
        let placed = self.placed(&NodeReference { run: named, node: None }).await;
        let (newest, older) = nodes.split_at(nodes.len().min(RUN_EXPORT_RECAPS_MAX));
        draft.counts.recaps += older.len();
        for node in newest {
            let recap = match &placed {
                Ok(placed) => placed.recap(*node).await.ok(),
                Err(_) => None,
            };
            draft.counts.recaps += match recap {
                Some(recap) => draft.add_to(steps, *node, "recap", &recap),
                None => 1,
            };
        }
    }
}

/// Adds the directories that the session itself recorded: it may be of another project than the one here.
fn observed_paths(mut machine: MachinePaths, events: &[SessionEvent]) -> MachinePaths {
    for event in events {
        match event.body() {
            EventBody::ObservationRecorded { data, .. } => {
                if let ObservedValue::Path(path) = &data.value {
                    machine = machine.directory(Some(Path::new(path.as_str())));
                }
            }
            EventBody::RunStarted(_, started) => {
                let source = Path::new(started.source_ref.as_str());
                let directory = source.parent().filter(|_| source.is_absolute());
                machine = machine.directory(directory);
            }
            _ => {}
        }
    }
    machine
}

/// A document while it is made.
struct ExportDraft {
    redaction: Redaction,
    room: ReplyRoom,
    counts: OmissionCounts,
}

/// Numbers of what is left out, beside what the redaction counts itself.
#[derive(Default)]
struct OmissionCounts {
    protected: usize,
    contents: usize,
    prompt_bytes: usize,
    entries: usize,
    steps: usize,
    writes: usize,
    recaps: usize,
    events: usize,
}

impl OmissionCounts {
    /// Counts what the detail of a step leaves out itself.
    fn add_step(&mut self, step: &StepDetail) {
        self.prompt_bytes += step.prompt_bytes_left_out;
        self.entries += step.attempts.left_out
            + step.outputs.left_out
            + step.decisions.left_out
            + step.gaps.left_out
            + step.trace.traces.left_out
            + step.divergences.left_out
            + step.context.left_out
            + step.children.left_out;
        let artifacts = step.outputs.items.iter().filter_map(|output| output.artifact.as_ref());
        self.contents += artifacts.filter(|artifact| artifact.content.is_none()).count();
    }
}

impl ExportDraft {
    /// Returns a part of the document, if there is room for it.
    fn fit(&mut self, part: &impl Serialize) -> Option<Value> {
        let before = self.redaction.counts;
        let mut json = json_of(part);
        self.redaction.apply(&mut json);
        let fits = self.room.fits(&json);
        if !fits {
            // What is not in the document was not taken out of it.
            self.redaction.counts = before;
        }
        fits.then_some(json)
    }

    /// Adds a part to a step. Returns how many it could not add: one if there is no room, or no such step.
    fn add_to(
        &mut self,
        steps: &mut Map<String, Value>,
        node: NodeId,
        name: &str,
        part: &impl Serialize,
    ) -> usize {
        let Some(Value::Object(step)) = steps.get_mut(&node.to_string()) else { return 1 };
        let Some(json) = self.fit(part) else { return 1 };
        step.insert(name.to_owned(), json);
        0
    }

    fn omissions(&self) -> Vec<ExportOmission> {
        let (taken, own) = (self.redaction.counts, &self.counts);
        let all = [
            (OmissionKind::Tokens, taken.tokens),
            (OmissionKind::ProtectedValues, own.protected + taken.protected),
            (OmissionKind::MachinePaths, taken.paths),
            (OmissionKind::ArtifactContents, own.contents),
            (OmissionKind::PromptBytes, own.prompt_bytes),
            (OmissionKind::Entries, own.entries),
            (OmissionKind::Steps, own.steps),
            (OmissionKind::Writes, own.writes),
            (OmissionKind::Recaps, own.recaps),
            (OmissionKind::Events, own.events),
        ];
        all.into_iter().filter_map(|(kind, count)| ExportOmission::new(kind, count)).collect()
    }
}

fn json_of(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("a reply is made of JSON's own types")
}

fn too_large() -> Envelope {
    let message = format!(
        "The run has so many nodes that they alone need more than {RUN_EXPORT_BYTES_MAX} bytes."
    );
    Envelope::new(Code::StoreLimitExceeded, message).with_suggestion(
        "Export a bundle instead, which holds everything: `piton session export RUN FILE`.",
    )
}
