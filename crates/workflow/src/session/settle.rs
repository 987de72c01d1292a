//! Records what a person says about a run: yes, an answer, or no.
//!
//! *Invariants*: a verdict is recorded at the preferred tip and counts there alone. A yes or an answer ends the gap
//! that waits for a person; a no leaves it open and is recorded beside it. Records of a person have the severity
//! `info`, which sets them apart from those of the engine.

use piton_core::{BoundedText, GapId, NodeId};
use serde::Serialize;

use super::error::{Error, Refusal};
use super::plan_draft::PlanDraft;
use super::reply::RunLine;
use super::reply_basis::ReplyBasis;
use super::reply_builder::StepContext;
use super::request::{PersonVerdict, SettleRequest};
use super::session_cache::CachedSession;
use super::sessions::Sessions;
use crate::bounds::SUMMARY_BYTES_MAX;
use crate::event::{EventBody, GapRecorded, NodeScope, Resolution};
use crate::gap::GapSeverity;
use crate::preference::Autonomy;
use crate::projection::{Gap, PersonDecision, RunState};
use crate::reason::{Reason, UserOnlyDependency};
use crate::token::NodeAddress;

/// The result of recording a person's verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettledStep {
    /// The run, at the step that it waits at.
    pub run: RunLine,
    /// The dependency that the step needed a person for.
    pub reason: UserOnlyDependency,
    /// The text that was recorded.
    pub summary: String,
    /// Set when the run waits at the step until a person agrees. A step that only wants confirmation does not wait,
    /// and neither does any step in a mode that never stops.
    pub is_held: bool,
}

impl Sessions {
    /// Records a person's verdict about the step that a run waits at.
    pub async fn record_verdict(&self, request: SettleRequest) -> Result<SettledStep, Error> {
        let SettleRequest { session, run, node, verdict } = request;
        let (lease, cached) = self.locked(session).await?;
        let address = {
            let cached = cached.lock();
            let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
            let tip = state.graph.preferred_tip().ok_or(Refusal::UnknownRun)?;
            // The run has moved since the person was asked. Their verdict was about another step.
            if node.is_some_and(|node| node != tip.id) {
                return Err(Refusal::NothingToSettle.into());
            }
            NodeAddress { session, run, node: tip.id }
        };
        // The lease is held from here to the append, so the tip stays the tip while its content is read.
        let basis = ReplyBasis::now(&cached.lock().state, address)?;
        let step_context = self.reader().step_context(basis).await?;
        let (reason, is_needed) =
            pending_question(&step_context).ok_or(Refusal::NothingToSettle)?;
        let is_held =
            is_needed && step_context.basis.preferences.autonomy != Autonomy::FullAutoNeverStop;
        let summary = decision_text(&verdict)?;
        let draft = self.draft_verdict(&mut cached.lock(), address, reason, &verdict, &summary)?;
        self.append(session, &lease, Some(&cached), draft).await?;
        let (run, summary) = (step_context.run_line(), summary.as_str().to_owned());
        Ok(SettledStep { run, reason, summary, is_held })
    }

    fn draft_verdict(
        &self,
        cached: &mut CachedSession,
        address: NodeAddress,
        reason: UserOnlyDependency,
        verdict: &PersonVerdict,
        summary: &BoundedText<SUMMARY_BYTES_MAX>,
    ) -> Result<PlanDraft<'_>, Error> {
        let run = cached.state.run(address.run).ok_or(Refusal::UnknownRun)?;
        let waiting: Vec<_> = open_on(run, address.node, reason).collect();
        let next = cached.state.next();
        let mut draft = PlanDraft::new(address.session, next, &*self.clock, &*self.entropy);
        let at = NodeScope { run: address.run, node: address.node };
        let mut record = |resolution, severity| {
            let gap_id = GapId::mint(&*self.entropy);
            let record = GapRecorded {
                gap_id,
                severity,
                reason: Reason::UserOnlyDependency(reason),
                summary: summary.clone(),
                resolution,
                evidence_refs: None,
                details: None,
            };
            draft.push(EventBody::GapRecorded(at, record));
            gap_id
        };
        if matches!(verdict, PersonVerdict::Refused(_)) {
            record(Resolution::Unresolved {}, GapSeverity::Info);
        } else {
            // A person may speak before the agent has submitted anything. There is no gap to end then, so one is
            // opened and ended in the same plan.
            let ended = if waiting.is_empty() {
                vec![record(Resolution::Unresolved {}, GapSeverity::Info)]
            } else {
                waiting
            };
            for resolves_gap_id in ended {
                record(Resolution::Resolves { resolves_gap_id }, GapSeverity::Info);
            }
        }
        draft
            .check(&mut cached.rules)
            .inspect_err(|_| self.reader().cache().forget(address.session))?;
        Ok(draft)
    }
}

/// Returns the dependency that the pending step has on a person, and true if the step needs it. Otherwise the step
/// only wants their confirmation.
fn pending_question(step_context: &StepContext) -> Option<(UserOnlyDependency, bool)> {
    let pending = step_context.pending()?;
    let step = step_context.pinned.workflow.step(&pending.step_id)?;
    let needed = step.needs_user.as_ref().map(|need| (need.reason, true));
    let wanted = pending.require_confirmation.then_some((UserOnlyDependency::Approval, false));
    needed.or(wanted)
}

fn decision_text(verdict: &PersonVerdict) -> Result<BoundedText<SUMMARY_BYTES_MAX>, Refusal> {
    let decision = match verdict {
        PersonVerdict::Approved => PersonDecision::APPROVED,
        PersonVerdict::Answered(answer) => PersonDecision::answered(answer),
        PersonVerdict::Refused(reason) => PersonDecision::refused(reason),
    };
    decision.summary().map_err(|error| Refusal::Text { what: "answer", reason: error.to_string() })
}

/// Returns the open gaps of a node that wait for a person for this reason.
pub(super) fn open_on(
    run: &RunState,
    node: NodeId,
    reason: UserOnlyDependency,
) -> impl Iterator<Item = GapId> {
    let waits = move |gap: &&Gap| gap.record.reason == Reason::UserOnlyDependency(reason);
    run.gaps.open_on(node).filter(waits).map(|gap| gap.record.gap_id)
}

/// Returns the dependencies that a person settled at a node.
pub(super) fn settled(run: &RunState, node: NodeId) -> Vec<UserOnlyDependency> {
    let ended = |gap: &&Gap| gap.resolved_by.is_some();
    let reason = |gap: &Gap| match (gap.record.reason, gap.record.resolution) {
        (Reason::UserOnlyDependency(reason), Resolution::Unresolved {}) => Some(reason),
        _ => None,
    };
    run.gaps.on(node).filter(ended).filter_map(reason).collect()
}
