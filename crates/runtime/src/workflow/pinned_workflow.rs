//! The workflow that a run is pinned to, and its drift from the source.

use std::path::Path;

use piton_core::Envelope;
use piton_workflow::compile::Drift;

use super::run_shape::{lost, no_run};
use super::runtime::Runtime;
use crate::reply::{PinnedRun, ReplyRoom, RunDrift};
use crate::request::RunAddress;

impl Runtime {
    /// Returns the workflow that a run is pinned to.
    pub async fn pinned_workflow(&self, at: RunAddress) -> Result<PinnedRun, Envelope> {
        let RunAddress { session, run } = at;
        let inspected = self.inspect(session).await?;
        let started = inspected.read(|state| state.run(run).map(|run| run.started.clone()));
        let started = started.ok_or_else(|| no_run(at))?;
        let pinned = self.sessions.reader().loader().workflow(started.workflow_hash).await;
        let pinned = pinned.map_err(|error| lost(session, &error))?;
        Ok(PinnedRun {
            session_id: session,
            run_id: run,
            workflow_id: started.workflow_id,
            workflow_hash: started.workflow_hash,
            source_kind: started.source_kind,
            source_ref: started.source_ref.to_string(),
            compiled: (*pinned.workflow).clone(),
        })
    }

    /// Compares the workflow that a run is pinned to with the one that its source compiles to now, seen from `project`.
    pub async fn workflow_drift(
        &self,
        at: RunAddress,
        project: Option<&Path>,
    ) -> Result<RunDrift, Envelope> {
        let pinned = self.pinned_workflow(at).await?;
        let settings = self.settings_for(project);
        let settings = settings.unwrap_or_else(|_| self.configuration.settings());
        let contents = self.library_contents(&settings, project);
        let mut reply = RunDrift {
            run_id: at.run,
            workflow_id: pinned.workflow_id.clone(),
            is_drifted: true,
            drift: None,
            values_left_out: 0,
            missing: None,
        };
        match contents.find_to_read(pinned.workflow_id.as_str()) {
            Ok(found) => {
                let mut drift = Drift::between(&pinned.compiled, &found.workflow.workflow);
                reply.values_left_out = shorten(&mut drift);
                reply.is_drifted = drift.is_drifted();
                reply.drift = Some(drift);
            }
            Err(missing) => reply.missing = Some(missing),
        }
        Ok(reply)
    }
}

/// Removes the values of a comparison for which a reply has no room, and returns their number. The names stay.
fn shorten(drift: &mut Drift) -> usize {
    let (mut room, mut left_out) = (ReplyRoom::new(), 0);
    let fields = drift.steps.iter_mut().flat_map(|step| &mut step.fields);
    for field in fields.chain(&mut drift.fields) {
        for value in [&mut field.pinned, &mut field.current] {
            if value.as_ref().is_some_and(|value| !room.fits(value)) {
                *value = None;
                left_out += 1;
            }
        }
    }
    left_out
}
