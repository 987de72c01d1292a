//! Checks that the parts of a session fit together.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{EventIndex, SnapshotRef, WorkflowHash};

use super::content::{Needed, SessionContent};
use super::error::{BundleError, FormatProblem, IntegrityProblem};
use super::integrity::EntryPath;
use super::plans;
use crate::bounds::{BUNDLE_EVENTS_MAX, BUNDLE_PARTS_MAX};
use crate::compile::{CompiledWorkflow, CompiledWorkflowError};
use crate::event::{EventBody, LogRules, OutputPayload};
use crate::name::{LoopId, StepId};

/// Checks everything about a session except the digests that a bundle states for its parts.
pub(super) fn all(content: &SessionContent) -> Result<(), BundleError> {
    // The order matters: later checks index the maps by keys that `complete` has shown to exist, and rely on
    // the node and run rules that `log` has checked.
    sizes(content)?;
    complete(content)?;
    log(content)?;
    no_surplus(content)?;
    plans::check(content)?;
    workflows(content)?;
    snapshots(content)?;
    artifacts(content)
}

fn sizes(content: &SessionContent) -> Result<(), BundleError> {
    // Counted together, because each of them becomes a file of its own on import.
    let parts = content.snapshots.len() + content.pinned_workflows.len() + content.artifacts.len();
    let limits =
        [("events", content.events.len(), BUNDLE_EVENTS_MAX), ("parts", parts, BUNDLE_PARTS_MAX)];
    for (what, found, max) in limits {
        if found > max {
            return Err(FormatProblem::TooMany { what, found, max }.into());
        }
    }
    Ok(())
}

/// Checks that everything is there that events refer to.
pub(super) fn complete(content: &SessionContent) -> Result<(), BundleError> {
    for event in &content.events {
        match event.body() {
            EventBody::RunStarted(run, started) => {
                let workflow = started.workflow_hash;
                if !content.pinned_workflows.contains_key(&workflow) {
                    return Err(BundleError::MissingPinnedWorkflow { workflow, run: *run });
                }
            }
            EventBody::NodeCreated(_, node) => {
                let snapshot = node.snapshot_ref;
                if !content.snapshots.contains_key(&snapshot) {
                    return Err(BundleError::MissingSnapshot { snapshot, event: event.index() });
                }
            }
            EventBody::NodeOutputAppended(_, output) => {
                if let OutputPayload::ArtifactRef { sha256, .. } = output.payload
                    && !content.artifacts.contains_key(&sha256)
                {
                    let path = EntryPath::Artifact(sha256);
                    return Err(IntegrityProblem::Absent { path }.into());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that nothing is there that no event refers to.
fn no_surplus(content: &SessionContent) -> Result<(), BundleError> {
    let needed = Needed::by(&content.events);
    let snapshots = content.snapshots.keys().filter(|key| !needed.snapshots.contains(key));
    let workflows = content.pinned_workflows.keys().filter(|key| !needed.workflows.contains(key));
    let artifacts = content.artifacts.keys().filter(|key| !needed.artifacts.contains(key));
    // One example is enough for the error, so the search stops at the first.
    let unneeded = snapshots
        .map(|key| EntryPath::Snapshot(*key))
        .chain(workflows.map(|key| EntryPath::PinnedWorkflow(*key)))
        .chain(artifacts.map(|key| EntryPath::Artifact(*key)))
        .next();
    match unneeded {
        None => Ok(()),
        Some(path) => Err(FormatProblem::Unneeded { path }.into()),
    }
}

/// Checks that the events are the log of the session, and that the log is consistent at the end of each plan.
fn log(content: &SessionContent) -> Result<(), BundleError> {
    // Only the first event is compared here; the rules refuse later ones of another session.
    if content.events.first().is_none_or(|event| event.session() != content.session) {
        return Err(BundleError::OtherSession);
    }
    // The control records say where plans end. That they fit the events is checked afterwards, by
    // `plans::check`.
    let ends: BTreeSet<EventIndex> = plans::ends(&content.manifest).collect();
    let mut rules = LogRules::new();
    for event in &content.events {
        // A plan is appended as a whole, so the events between two ends may be inconsistent for a moment; at
        // each end, and after the last event, nothing may be left open.
        rules.apply(event).map_err(BundleError::EventOrder)?;
        if ends.contains(&event.index()) {
            rules.settled().map_err(BundleError::EventOrder)?;
        }
    }
    rules.settled().map_err(BundleError::EventOrder)
}

fn workflows(content: &SessionContent) -> Result<(), BundleError> {
    for (&key, workflow) in &content.pinned_workflows {
        let text = workflow.canonical();
        match CompiledWorkflow::read(text.as_bytes()) {
            // The text is read again, since reading checks more than deserializing the bundle did, the
            // version above all.
            Ok(_) => {}
            Err(CompiledWorkflowError::UnsupportedVersion { found }) => {
                return Err(BundleError::UnsupportedVersion { what: "a workflow", found });
            }
            Err(problem) => return Err(FormatProblem::Workflow { workflow: key, problem }.into()),
        }
        // A workflow is found by its hash, so one under another name would change what a run is pinned to.
        if workflow.workflow_hash() != key {
            let path = EntryPath::PinnedWorkflow(key);
            return Err(IntegrityProblem::Misnamed { path }.into());
        }
    }
    Ok(())
}

/// Checks that each snapshot matches its name and belongs to the workflow of its node.
fn snapshots(content: &SessionContent) -> Result<(), BundleError> {
    for (&key, snapshot) in &content.snapshots {
        if snapshot.snapshot_ref() != key {
            return Err(IntegrityProblem::Misnamed { path: EntryPath::Snapshot(key) }.into());
        }
    }
    // Collected once per workflow, not once per node.
    let names: BTreeMap<WorkflowHash, Names> =
        content.pinned_workflows.iter().map(|(key, found)| (*key, Names::of(found))).collect();
    // Several nodes may share a snapshot; each pair of snapshot and workflow is checked once.
    let mut seen: BTreeSet<(SnapshotRef, WorkflowHash)> = BTreeSet::new();
    for event in &content.events {
        let EventBody::NodeCreated(_, node) = event.body() else { continue };
        let (snapshot, pinned) = (node.snapshot_ref, node.workflow_hash);
        if !seen.insert((snapshot, pinned)) {
            continue;
        }
        // The rules of logs give a node the workflow of its run, and `complete` has found that workflow.
        let Names { steps, loops } = &names[&pinned];
        content.snapshots[&snapshot]
            .verify_against(pinned, steps, loops)
            .map_err(|problem| FormatProblem::Snapshot { snapshot, problem })?;
    }
    Ok(())
}

/// The names that the snapshots of a workflow may use.
struct Names {
    steps: BTreeSet<StepId>,
    loops: BTreeSet<LoopId>,
}

impl Names {
    fn of(workflow: &CompiledWorkflow) -> Self {
        Self {
            steps: workflow.steps.iter().map(|step| step.step_id.clone()).collect(),
            loops: workflow.loops.iter().map(|found| found.loop_id.clone()).collect(),
        }
    }
}

fn artifacts(content: &SessionContent) -> Result<(), BundleError> {
    for (&key, artifact) in &content.artifacts {
        if artifact.digest() != key {
            return Err(IntegrityProblem::Misnamed { path: EntryPath::Artifact(key) }.into());
        }
    }
    // An event states the length of its artifact on its own, so a right digest does not imply a right length.
    for event in &content.events {
        let EventBody::NodeOutputAppended(_, output) = event.body() else { continue };
        let OutputPayload::ArtifactRef { sha256, byte_length, .. } = output.payload else {
            continue;
        };
        if content.artifacts[&sha256].as_bytes().len() as u64 != u64::from(byte_length) {
            let (path, event) = (EntryPath::Artifact(sha256), event.index());
            return Err(IntegrityProblem::ArtifactLength { path, event }.into());
        }
    }
    Ok(())
}
