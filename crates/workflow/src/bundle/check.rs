//! Whether the parts of a session fit together.

use std::collections::{BTreeMap, BTreeSet};

use piton_core::{EventIndex, SnapshotRef, WorkflowHash};

use super::content::SessionContent;
use super::error::{BundleError, FormatProblem, IntegrityProblem};
use super::needed::Needed;
use super::path::EntryPath;
use super::plans;
use crate::bounds::{BUNDLE_EVENTS_MAX, BUNDLE_PARTS_MAX};
use crate::compile::{CompiledWorkflow, CompiledWorkflowError};
use crate::event::{EventBody, LogRules, OutputPayload};
use crate::name::{LoopId, StepId};

/// Checks everything about a session but the digests that a bundle says its parts have.
pub(super) fn all(content: &SessionContent) -> Result<(), BundleError> {
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

/// Whether everything is there that events refer to.
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

/// Whether nothing is there that no event refers to.
fn no_surplus(content: &SessionContent) -> Result<(), BundleError> {
    let needed = Needed::by(&content.events);
    let snapshots = content.snapshots.keys().filter(|key| !needed.snapshots.contains(key));
    let workflows = content.pinned_workflows.keys().filter(|key| !needed.workflows.contains(key));
    let artifacts = content.artifacts.keys().filter(|key| !needed.artifacts.contains(key));
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

/// Whether the events are the log of the session, and hold together at the end of each plan.
fn log(content: &SessionContent) -> Result<(), BundleError> {
    if content.events.first().is_none_or(|event| event.session() != content.session) {
        return Err(BundleError::OtherSession);
    }
    let ends: BTreeSet<EventIndex> = plans::ends(&content.manifest).collect();
    let mut rules = LogRules::new();
    for event in &content.events {
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
            Ok(_) => {}
            Err(CompiledWorkflowError::UnsupportedVersion { found }) => {
                return Err(BundleError::UnsupportedVersion { what: "a workflow", found });
            }
            Err(problem) => return Err(FormatProblem::Workflow { workflow: key, problem }.into()),
        }
        if workflow.workflow_hash() != key {
            let path = EntryPath::PinnedWorkflow(key);
            return Err(IntegrityProblem::Misnamed { path }.into());
        }
    }
    Ok(())
}

/// Whether each snapshot is what its name says and belongs to the workflow of its node.
fn snapshots(content: &SessionContent) -> Result<(), BundleError> {
    for (&key, snapshot) in &content.snapshots {
        if snapshot.snapshot_ref() != key {
            return Err(IntegrityProblem::Misnamed { path: EntryPath::Snapshot(key) }.into());
        }
    }
    let names: BTreeMap<WorkflowHash, Names> =
        content.pinned_workflows.iter().map(|(key, found)| (*key, Names::of(found))).collect();
    let mut seen: BTreeSet<(SnapshotRef, WorkflowHash)> = BTreeSet::new();
    for event in &content.events {
        let EventBody::NodeCreated(_, node) = event.body() else { continue };
        let (snapshot, pinned) = (node.snapshot_ref, node.workflow_hash);
        if !seen.insert((snapshot, pinned)) {
            continue;
        }
        // A node has the workflow of its run, by the rules of logs, and that one is there.
        let Names { steps, loops } = &names[&pinned];
        content.snapshots[&snapshot]
            .verify_against(pinned, steps, loops)
            .map_err(|problem| FormatProblem::Snapshot { snapshot, problem })?;
    }
    Ok(())
}

/// What the snapshots of a workflow may name.
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
