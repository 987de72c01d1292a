//! The plans that the steps of a run append, to be appended without the use cases.

use std::collections::VecDeque;

use piton_store::port::{BlobNamespace, Follow};
use piton_store::{AppendPlan, Event as _, NewBlob, StreamId};
use piton_workflow::SessionEvent;
use piton_workflow::event::{EventBody, OutputPayload};

use super::rig::WorkflowRig;
use super::run::{BenchRun, EVENTS};
use crate::error::{Error, Result, expect};

/// The plans of one run, in order.
pub(super) struct RunPlans {
    pub(super) stream: StreamId,
    plans: VecDeque<AppendPlan<SessionEvent>>,
}

impl RunPlans {
    /// Collects what a run of this number of steps appends: its start, and each of its steps.
    pub(super) fn of_run(name: &str, steps: usize) -> Result<Self> {
        let rig = WorkflowRig::in_memory()?;
        let mut run = BenchRun::begin(&rig, name)?;
        let stream = StreamId::from(run.reply.body.run.session_id);
        let loaded = rig.wait(rig.journal.load(&stream))?;
        let mut cursor = loaded.cursor;
        let mut plans = VecDeque::from([plan(&rig, loaded.events)?]);
        // Runs each step for real, in memory, and takes down the events that it appended.
        for _ in 0..steps {
            run.advance(&rig, 1)?;
            let Follow::Appended { events, cursor: next } =
                rig.wait(rig.journal.follow(&stream, &cursor))?
            else {
                return Err(Error::Wrong { what: "plans of a step", expected: 1, found: 0 });
            };
            expect("events of a step", EVENTS, events.len() as u64)?;
            cursor = next;
            plans.push_back(plan(&rig, events)?);
        }
        Ok(Self { stream, plans })
    }

    /// Returns the next plan.
    pub(super) fn next(&mut self) -> AppendPlan<SessionEvent> {
        self.plans.pop_front().expect("there is a plan for every turn")
    }
}

/// Builds a plan from events, with the contents that they refer to.
fn plan(rig: &WorkflowRig, events: Vec<SessionEvent>) -> Result<AppendPlan<SessionEvent>> {
    let mut blobs = Vec::new();
    // The other data directory has none of these blobs, so the plan carries them.
    for event in &events {
        let snapshot = event.introduces().map(|it| (BlobNamespace::Snapshots, it.digest()));
        let artifact = match event.body() {
            EventBody::NodeOutputAppended(_, output) => match &output.payload {
                OutputPayload::ArtifactRef { sha256, .. } => {
                    Some((BlobNamespace::Artifacts, *sha256))
                }
                OutputPayload::Notes { .. } => None,
            },
            _ => None,
        };
        for (namespace, digest) in snapshot.into_iter().chain(artifact) {
            let bytes = rig.wait(rig.blobs.get(namespace, digest))?;
            let bytes = bytes.ok_or(piton_store::Error::BlobMissing { namespace, digest })?;
            blobs.push(NewBlob::new(namespace, bytes));
        }
    }
    Ok(blobs.into_iter().fold(AppendPlan::new(events), AppendPlan::with_blob))
}
