//! The step that a tool call belongs to, and the access that it grants.
//!
//! *Invariants*: the access that a step leaves is read from its run's log at each call. Only the step that the run is
//! at grants anything.

use std::sync::PoisonError;

use piton_core::{Code, Envelope, Provenance, RunId, SessionId};
use piton_workflow::compile::StepAccess;
use piton_workflow::session::PendingAccess;

use crate::config::{ConfigProblem, RunNeeded};
use crate::connection::Connection;
use crate::project_env::ProjectDir;

/// The step that a call belongs to, and the access that the step leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallBasis {
    /// The step, if the call named one.
    pub provenance: Option<Provenance>,
    /// The part of the configured access that the step leaves, if it narrows it.
    pub access: Option<StepAccess>,
}

impl Connection {
    /// Returns the basis of a call. `run` is the token of the pending step that it belongs to, if it names one.
    pub async fn call_basis(&self, run: Option<&str>) -> Result<CallBasis, Envelope> {
        match run {
            Some(token) => self.step_basis(token).await,
            // A call without a token would escape the limits of the step, so it is refused wherever a step narrows
            // access.
            None if self.needs_run().await? => Err(run_required()),
            None => Ok(CallBasis::default()),
        }
    }

    /// True if access may depend on a step, so that a call must name one.
    async fn needs_run(&self) -> Result<bool, Envelope> {
        if self.always_needs_run()? {
            return Ok(true);
        }
        // Without memory, the open runs are unknown. Then any workflow that narrows access is reason enough.
        if !self.remembers {
            return self.any_workflow_narrows();
        }
        for (session, run) in self.open_runs() {
            let pending = self.pending_access(session, run).await?;
            if pending.is_some_and(|pending| pending.narrows) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the access left by the pending steps of this agent's open runs, each with its session. Empty if the
    /// connection remembers no runs.
    pub async fn step_accesses(&self) -> Result<Vec<(SessionId, Option<StepAccess>)>, Envelope> {
        let mut left = Vec::new();
        for (session, run) in self.open_runs() {
            let pending = self.pending_access(session, run).await?;
            left.extend(pending.map(|pending| (session, pending.access)));
        }
        Ok(left)
    }

    /// Returns the basis of a call whose `run` is `token`.
    async fn step_basis(&self, token: &str) -> Result<CallBasis, Envelope> {
        let found = self.runtime.sessions.reader().step_grant(token).await?;
        // A token stays valid after its step is over. It must not carry the rights of that step along.
        if found.narrows && !found.is_at_tip {
            let message = format!(
                "The token names the step `{}` of {}, which the run has left; nothing was done.",
                found.provenance.step, found.label
            );
            return Err(Envelope::new(Code::TokenStepPassed, message));
        }
        Ok(CallBasis { provenance: Some(found.provenance), access: found.access })
    }

    /// Returns the access that the current step of a run leaves; `None` if the run has no current step or is gone.
    async fn pending_access(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<PendingAccess>, Envelope> {
        match self.runtime.sessions.reader().pending_access(session, run).await {
            Ok(found) => Ok(found),
            // The connection may remember a session that was deleted since.
            Err(error) if error.code() == Code::StoreNotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// True if the configuration at the client's location requires every call to name its step. Looked up once: reading
    /// a file for every call would cost more than most calls do.
    fn always_needs_run(&self) -> Result<bool, Envelope> {
        let known = *self.always_needs_run.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known {
            return Ok(known);
        }
        // The lock is not held while files are read. Two calls may both look it up and find the same.
        let project = self.project(None)?;
        let settings = self.runtime.settings_for(project.as_ref().map(ProjectDir::path));
        let settings = settings.map_err(|found| ConfigProblem::envelope(&found))?;
        let found = settings.run_needed() == RunNeeded::Always;
        *self.always_needs_run.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(found)
    }

    /// True if any workflow that can be started narrows access.
    fn any_workflow_narrows(&self) -> Result<bool, Envelope> {
        let project = self.project(None)?;
        let path = project.as_ref().map(ProjectDir::path);
        let settings = self.runtime.settings_for(path);
        let settings = settings.map_err(|found| ConfigProblem::envelope(&found))?;
        // The open runs are unknown here. Any workflow that could have been started counts.
        let stock = self.runtime.library_contents(&settings, path);
        Ok(stock.workflows.values().any(|stocked| stocked.workflow.narrows()))
    }
}

fn run_required() -> Envelope {
    let message = "What may be touched depends on the step that you are at, and the call has no `run`; nothing was \
                   done.";
    Envelope::new(Code::TokenRunRequired, message)
}
