//! The step that a tool call belongs to, and the access that it grants.
//!
//! *Invariants*: the access that a step leaves is read from its run's log at each call. Only the step that the run is
//! at grants anything.

use std::path::Path;

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_workflow::session::PendingAccess;

use super::runtime::Runtime;
use crate::config::{ConfigProblem, RunNeeded};
use crate::connection::CallBasis;

impl Runtime {
    /// Returns the basis of a call whose `run` is `token`.
    pub async fn call_basis(&self, token: &str) -> Result<CallBasis, Envelope> {
        let found = self.sessions.reader().step_grant(token).await?;
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
    pub(crate) async fn pending_access(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<PendingAccess>, Envelope> {
        match self.sessions.reader().pending_access(session, run).await {
            Ok(found) => Ok(found),
            // The connection may remember a session that was deleted since.
            Err(error) if error.code() == Code::StoreNotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// True if the configuration requires every call to name its step.
    pub(crate) fn always_needs_run(&self, project: Option<&Path>) -> Result<bool, Envelope> {
        let settings =
            self.settings_for(project).map_err(|found| ConfigProblem::envelope(&found))?;
        Ok(settings.run_needed() == RunNeeded::Always)
    }

    /// True if any workflow that can be started narrows access.
    pub(crate) fn any_workflow_narrows(&self, project: Option<&Path>) -> Result<bool, Envelope> {
        let settings =
            self.settings_for(project).map_err(|found| ConfigProblem::envelope(&found))?;
        // The open runs are unknown here. Any workflow that could have been started counts.
        let stock = self.library_contents(&settings, project);
        Ok(stock.workflows.values().any(|stocked| stocked.workflow.narrows()))
    }
}
