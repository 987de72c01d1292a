//! What a call of a tool stands on that may belong to a step of a run.
//!
//! *Invariants*: what a step leaves of the rights is read from its run's log at each call. Only the step that the run
//! is at grants anything.

use std::path::Path;

use piton_core::{Code, Envelope, RunId, SessionId};
use piton_workflow::session::PendingAccess;

use super::runtime::Runtime;
use crate::config::{ConfigProblem, RunNeeded};
use crate::connection::CallBasis;

impl Runtime {
    /// What a call stands on whose `run` is `token`.
    pub async fn call_basis(&self, token: &str) -> Result<CallBasis, Envelope> {
        let standing = self.sessions.reader().step_grant(token).await;
        let found = standing.map_err(|error| error.envelope())?;
        if found.narrows && !found.is_at_tip {
            let message = format!(
                "The token names the step `{}` of {}, which the run has left; nothing was done.",
                found.provenance.step, found.label
            );
            return Err(Envelope::new(Code::TokenStepPassed, message));
        }
        Ok(CallBasis { provenance: Some(found.provenance), access: found.access })
    }

    /// What the step leaves that a run is at; nothing if it is at none, or gone.
    pub(crate) async fn pending_access(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<PendingAccess>, Envelope> {
        match self.sessions.reader().pending_access(session, run).await {
            Ok(found) => Ok(found),
            Err(error) if error.code() == Code::StoreNotFound => Ok(None),
            Err(error) => Err(error.envelope()),
        }
    }

    /// Whether the configuration has every call name its step.
    pub(crate) fn always_needs_run(&self, project: Option<&Path>) -> Result<bool, Envelope> {
        let settings =
            self.settings_for(project).map_err(|found| ConfigProblem::envelope(&found))?;
        Ok(settings.run_needed() == RunNeeded::Always)
    }

    /// Whether a workflow that can be started narrows what may be touched.
    pub(crate) fn any_workflow_narrows(&self, project: Option<&Path>) -> Result<bool, Envelope> {
        let settings =
            self.settings_for(project).map_err(|found| ConfigProblem::envelope(&found))?;
        let stock = self.library_contents(&settings, project);
        Ok(stock.workflows.values().any(|stocked| stocked.workflow.narrows()))
    }
}
