//! A run of a workflow that does the same step again and again, two thousand times and more.
//!
//! Each step submits notes of a few lines and one small artifact: the decision to continue. That makes six events, a
//! snapshot and an artifact. No single loop may turn that often, so there are several, one after the other.
//!
//! The plans that its steps append can be collected, to be appended without the use cases.
//!
//! *Invariants*: no two runs and no two steps store the same bytes, so no blob exists beforehand.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use piton_core::{RunId, SessionId};
use piton_store::port::{BlobNamespace, Follow};
use piton_store::{AppendPlan, Event as _, NewBlob, StreamId};
use piton_workflow::compile::{CompiledWorkflow, Definitions, compile};
use piton_workflow::event::{EventBody, OutputPayload, Preferences};
use piton_workflow::session::{
    Continue, Reply, ReplyBody, ReplyKind, SourcedWorkflow, Start, SubmittedOutput,
};
use piton_workflow::source::SourceOrigin;
use piton_workflow::{Autonomy, RiskPolicy, SessionEvent, SourceKind};
use serde_json::{Map, Value, json};

use super::rig::WorkflowRig;
use crate::error::{Error, Result, expect};
use crate::quiet_disk::QuietDisk;

const LOOPS: u32 = 4;
const TURNS: u32 = 700;

/// Number of events that a step records.
const EVENTS: u64 = 6;

/// A run, with the latest reply.
pub(crate) struct BenchRun {
    name: String,
    step: u64,
    pub(super) reply: Reply,
}

impl BenchRun {
    /// Starts a run.
    pub(crate) fn begin(rig: &WorkflowRig, name: &str) -> Result<Self> {
        Self::begin_loops(rig, name, LOOPS)
    }

    fn begin_loops(rig: &WorkflowRig, name: &str, loops: u32) -> Result<Self> {
        let compiled = Arc::new(compiled(name, loops)?);
        let (source_kind, source_ref) = (SourceKind::Project, "bench".to_owned());
        let start = Start {
            workflow: SourcedWorkflow { compiled, source_kind, source_ref },
            goal: Some(format!("Measure {name}.")),
            context: Map::new(),
            preferences: Preferences {
                autonomy: Autonomy::Guided,
                risk_policy: RiskPolicy::Balanced,
            },
            observations: Vec::new(),
            key: None,
        };
        let reply = rig.wait(rig.sessions.start(start))?;
        Ok(Self { name: name.to_owned(), step: 0, reply })
    }

    /// Prepares a run that has done this number of steps, without waiting for the disk.
    pub(crate) fn prepared(root: &Path, name: &str, steps: u64) -> Result<Self> {
        let rig = WorkflowRig::open(Arc::new(QuietDisk), root)?;
        let mut run = Self::begin(&rig, name)?;
        run.advance(&rig, steps)?;
        Ok(run)
    }

    /// Prepares a run of any number of steps, without waiting for the disk.
    pub(crate) fn prepared_long(root: &Path, name: &str, steps: u64) -> Result<Self> {
        let rig = WorkflowRig::open(Arc::new(QuietDisk), root)?;
        // One loop more, so that the run can go on.
        let loops = u32::try_from(steps / u64::from(TURNS) + 2).expect("a run has few loops");
        let mut run = Self::begin_loops(&rig, name, loops)?;
        run.advance(&rig, steps)?;
        Ok(run)
    }

    /// Returns the ids of its session and of itself.
    pub(crate) fn ids(&self) -> (SessionId, RunId) {
        let run = &self.reply.body.run;
        (run.session_id, run.run_id)
    }

    /// Returns the request that submits the output of the pending step.
    pub(crate) fn request(&self) -> Continue {
        let Self { name, step, reply } = self;
        let turn = reply.body.run.turn;
        let decision = if turn == Some(TURNS) { "stop" } else { "continue" };
        let pending = reply.body.pending.as_ref();
        // The steps and the loops are numbered alike: `work-2` is the step of `rounds-2`.
        let loop_id = pending.map(|pending| pending.step_id.as_str().replace("work", "rounds"));
        let notes_markdown = Some(format!(
            "Did: step {step} of {name}, the parser now keeps the last line of a file.\n\
             Changed: src/parse.rs:{step} and the test beside it.\n\
             Checked: cargo test parse, 48 passed.\n\
             Open: files that end in the middle of a character."
        ));
        let artifact = json!({
            "kind": "wr.loop_control",
            "loopId": loop_id,
            "decision": decision,
            "summary": format!("There is more to do after step {step} of {name}."),
        });
        Continue {
            ack_token: reply.body.ack_token.clone(),
            output: Some(SubmittedOutput { notes_markdown, artifacts: vec![artifact] }),
            ..Continue::default()
        }
    }

    /// Returns the same request as arguments of the tool `continue_workflow`.
    pub(crate) fn arguments(&self) -> Value {
        let Continue { ack_token, output, .. } = self.request();
        let output = output.expect("a request submits an output");
        let output =
            json!({ "notesMarkdown": output.notes_markdown, "artifacts": output.artifacts });
        // A connection with several open runs has to name the one that it means.
        json!({ "ackToken": ack_token, "label": self.reply.body.run.label, "output": output })
    }

    /// Takes the body of a reply that came over MCP.
    pub(crate) fn take_body(&mut self, body: Value) -> Result<()> {
        let body: ReplyBody = serde_json::from_value(body).map_err(Error::json("read a reply"))?;
        self.take(body.into())
    }

    /// Takes the reply to a request.
    pub(crate) fn take(&mut self, reply: Reply) -> Result<()> {
        let goes_on = reply.body.kind == ReplyKind::Ok && reply.body.pending.is_some();
        expect("steps that went on", 1, u64::from(goes_on))?;
        self.reply = reply;
        self.step += 1;
        Ok(())
    }

    /// Does this number of steps.
    pub(crate) fn advance(&mut self, rig: &WorkflowRig, steps: u64) -> Result<()> {
        for _ in 0..steps {
            let reply = rig.wait(rig.sessions.proceed(self.request()))?;
            self.take(reply)?;
        }
        Ok(())
    }
}

fn compiled(name: &str, loops: u32) -> Result<CompiledWorkflow> {
    let origin = SourceOrigin::new(SourceKind::Project, "bench");
    compile(&file(name, loops).to_string(), &origin, &Definitions::standard())
        .map_err(|problems| Error::json("compile a workflow")(format!("{problems:?}")))
}

fn file(name: &str, loops: u32) -> Value {
    let condition = |number: u32| {
        json!({
            "conditionId": format!("again-{number}"),
            "kind": "loop_control",
            "loopId": format!("rounds-{number}"),
        })
    };
    let rounds = |number: u32| {
        json!({
            "type": "loop",
            "loopId": format!("rounds-{number}"),
            "maxIterations": TURNS,
            "while": { "kind": "condition_ref", "conditionId": format!("again-{number}") },
            "body": [{
                "id": format!("work-{number}"),
                "title": "Do the next piece of work",
                "promptBlocks": {
                    "goal": format!("Do the next piece of {name}, and decide whether there is more."),
                    "constraints": [[{ "kind": "ref", "refId": "wr.refs.notes_first" }]],
                    "procedure": ["Read what is open.", "Do one piece.", "Run its tests."],
                    "verify": ["The tests pass."],
                },
                "outputContract": { "contractRef": "wr.contracts.loop_control" },
            }],
        })
    };
    json!({
        "id": "project.bench",
        "name": "Bench",
        "conditions": (1..=loops).map(condition).collect::<Vec<_>>(),
        "steps": (1..=loops).map(rounds).collect::<Vec<_>>(),
    })
}

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
