//! A person prefers a branch: the run is at its tip from then on.
//!
//! A run is at the tip with the newest activity, so a record at another tip is all that it takes. It says who chose, in
//! the form of a choice that only a person can make, and is settled with the same plan.
//!
//! *Invariants*: preferring the branch that the run is at writes nothing. Questions that wait at the tip stay open: a
//! choice of the branch is no answer to them.

use piton_core::{GapId, NodeId, RunId, SessionId};
use piton_store::port::Patience;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Refusal};
use super::reader::preferred_tip;
use super::request::PreferBranch;
use super::sessions::Sessions;
use crate::bounds::VERDICT_WAIT;
use crate::event::{EventBody, GapRecorded, GapSeverity, NodeScope, Resolution};
use crate::projection::branch_choice;
use crate::reason::{Reason, UserOnlyDependency};

/// The branch that a run is at since a person chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreferredBranch {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The tip of the branch.
    pub tip_id: NodeId,
    /// Set if the run was there already: then nothing was written.
    pub was_preferred: bool,
}

impl Sessions {
    /// Makes the newest tip at or below a node the one that its run is at.
    pub async fn prefer_branch(&self, request: PreferBranch) -> Result<PreferredBranch, Error> {
        let PreferBranch { session, run, node, by } = request;
        let (lease, cached) = self.locked_with(session, Patience::Wait(VERDICT_WAIT)).await?;
        let (draft, tip) = {
            let mut cached = cached.lock();
            let (state, current) = preferred_tip(&cached.state, run)?;
            let node = state.graph.node(node).ok_or(Refusal::UnknownNode)?;
            let tip = state.graph.newest_tip_below(node).ok_or(Refusal::UnknownNode)?.id;
            if tip == current {
                return Ok(PreferredBranch {
                    session_id: session,
                    run_id: run,
                    tip_id: tip,
                    was_preferred: true,
                });
            }
            let summary = branch_choice(by.as_ref());
            let mut draft = self.draft(session, &cached);
            let opened = GapId::mint(&*self.entropy);
            let settled = Resolution::Resolves { resolves_gap_id: opened };
            // Opened and settled at once: nothing is missing.
            for (gap_id, resolution) in
                [(opened, Resolution::Unresolved {}), (GapId::mint(&*self.entropy), settled)]
            {
                let record = GapRecorded {
                    gap_id,
                    severity: GapSeverity::Info,
                    reason: Reason::UserOnlyDependency(UserOnlyDependency::Choice),
                    summary: summary.clone(),
                    resolution,
                    evidence_refs: None,
                    details: None,
                };
                draft.push(EventBody::GapRecorded(NodeScope { run, node: tip }, record));
            }
            self.check(&draft, &mut cached)?;
            (draft, tip)
        };
        self.append(&lease, Some(&cached), draft).await?;
        Ok(PreferredBranch { session_id: session, run_id: run, tip_id: tip, was_preferred: false })
    }
}
