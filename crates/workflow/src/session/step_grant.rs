//! The pending step that authorises a call of another tool, found by the token of that call.
//!
//! *Invariants*: nothing is remembered between calls. The log is checked each time, so that an advance by another
//! process takes effect at once.

use piton_core::{Provenance, RunId, SessionId};

use super::error::{Error, Refusal};
use super::reader::Reader;
use super::reply_basis::ReplyBasis;
use super::token_lookup::node_of;
use crate::compile::StepAccess;
use crate::label::{Label, label};

/// The pending step that a token names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGrant {
    pub provenance: Provenance,
    /// Name of the run for people.
    pub label: Label,
    /// Set when the run is at that step: its node is the preferred tip. After an advance it no longer is, no matter
    /// which process made the advance.
    pub is_at_tip: bool,
    /// Access that the step leaves of what the configuration grants, if it narrows it.
    pub access: Option<StepAccess>,
    /// Set when any step of the workflow narrows access.
    pub narrows: bool,
}

/// Access that the current step of a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAccess {
    /// Access that the step leaves of what the configuration grants, if it narrows it.
    pub access: Option<StepAccess>,
    /// Set when any step of the workflow narrows access.
    pub narrows: bool,
}

impl Reader {
    /// Returns the pending step that a token of any kind names. Nothing is written.
    pub async fn step_grant(&self, token: &str) -> Result<StepGrant, Error> {
        let address = self.payload(token).await?.address();
        let cached = self.current(address.session).await.map_err(Error::of_token)?;
        let (basis, is_at_tip) = {
            let cached = cached.lock();
            let (run, node) = node_of(&cached.state, address)?;
            let is_at_tip = run.graph.preferred_tip().is_some_and(|tip| tip.id == node.id);
            (ReplyBasis::now(&cached.state, address)?, is_at_tip)
        };
        let step_context = self.step_context(basis).await?;
        let pending = step_context.pending().ok_or(Refusal::NoPendingStep)?;
        let provenance = Provenance {
            session: address.session,
            run: address.run,
            node: address.node,
            step: pending.step_id.as_str().to_owned(),
        };
        let workflow = &step_context.pinned.workflow;
        let access = workflow.step(&pending.step_id).and_then(|step| step.access.clone());
        let narrows = workflow.narrows();
        Ok(StepGrant { provenance, label: label(address.run), is_at_tip, access, narrows })
    }

    /// Returns the access that the current step of a run leaves, or `None` if no step is pending. Nothing is written.
    pub async fn pending_access(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<PendingAccess>, Error> {
        let basis = self.basis(session, run, None).await?;
        let step_context = self.step_context(basis).await?;
        let Some(pending) = step_context.pending() else { return Ok(None) };
        let workflow = &step_context.pinned.workflow;
        let access = workflow.step(&pending.step_id).and_then(|step| step.access.clone());
        Ok(Some(PendingAccess { access, narrows: workflow.narrows() }))
    }
}
