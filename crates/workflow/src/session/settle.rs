//! The question that a run has for a person, and their verdict: yes, an answer, or no.
//!
//! *Invariants*: a person is asked once for each attempt of the agent. Anything that they said since then, even a no,
//! is their answer, no matter how often the agent repeats its call. A verdict about a question that somebody saw counts
//! only while that question is open: of two persons who decide at once, one learns what the other decided. A verdict is
//! recorded at the preferred tip and counts there alone. A yes or an answer ends the gap that waits for a person; a no leaves it open and is recorded
//! beside it. Records of a person have the severity `info`, which sets them apart from those of the engine.

use piton_core::{BoundedText, EventIndex, GapId, NodeId, RunId, SessionId, TimestampMs, truncate};
use piton_store::port::Patience;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Refusal, SettledQuestion};
use super::loader::FoldedSession;
use super::reader::{Reader, preferred_tip};
use super::refusals::{self, REFUSALS_REASON};
use super::reply::RunLine;
use super::reply_basis::ReplyBasis;
use super::reply_builder::StepContext;
use super::request::{PersonVerdict, SettleRequest};
use super::sessions::{PlanDraft, Sessions};
use crate::bounds::{QUESTION_EXCERPT_BYTES_MAX, SUMMARY_BYTES_MAX, VERDICT_WAIT};
use crate::event::{Autonomy, EventBody, GapRecorded, GapSeverity, NodeScope, Resolution};
use crate::projection::{Gap, PersonDecision, PersonName, RunState, SessionState};
use crate::reason::{Reason, UserOnlyDependency};
use crate::run::NextIntent;
use crate::token::NodeAddress;

/// A question of a run to a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The run, at the step that it waits at.
    pub run: RunLine,
    /// The node that the run waits at. An answer counts there alone.
    #[serde(rename = "nodeId")]
    pub node: NodeId,
    /// The title of the step.
    pub title: String,
    /// The beginning of the run's goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The time since which it is open.
    pub since: TimestampMs,
    /// The dependency that only the person can supply.
    pub reason: UserOnlyDependency,
    /// The question as the workflow's author wrote it, or what is refused at a step that was refused too often. Without
    /// either, the person is asked to confirm the step before it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The beginning of the prompt that the agent gets for the step.
    pub excerpt: String,
    /// The beginning of the notes that the agent submitted at the step, and was sent back with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// The result of recording a person's verdict.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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

impl Reader {
    /// Returns the question that a run has for a person, or `None` if it has none or if they spoke since the agent's
    /// last attempt.
    pub async fn question(
        &self,
        session: SessionId,
        run: RunId,
    ) -> Result<Option<Question>, Error> {
        let cached = self.current(session).await?;
        let (basis, has_spoken) = {
            let cached = cached.lock();
            let (state, node) = preferred_tip(&cached.state, run)?;
            let basis = ReplyBasis::now(&cached.state, NodeAddress { session, run, node })?;
            (basis, has_spoken(state, node))
        };
        if has_spoken {
            return Ok(None);
        }
        let step_context = self.step_context(basis).await?;
        // The lock was released for the read above. The log only grows, so the run is still there.
        let cached = cached.lock();
        let state = cached.state.run(run).ok_or(Refusal::UnknownRun)?;
        Ok(question_for(&step_context, state, &cached.state))
    }
}

impl Sessions {
    /// Records a person's verdict about the step that a run waits at.
    pub async fn record_verdict(&self, request: SettleRequest) -> Result<SettledStep, Error> {
        let SettleRequest { session, run, node, replaces, by, verdict } = request;
        // Two persons may decide at once. The second waits for the first and is then told what that one decided,
        // rather than that the session is busy.
        let patience = Patience::Wait(VERDICT_WAIT);
        let (lease, cached) = self.locked_with(session, patience).await?;
        let (address, is_refused_too_often) = {
            let cached = cached.lock();
            let (state, tip) = preferred_tip(&cached.state, run)?;
            if let Some(seen) = node {
                check_open(&cached.state, state, tip, seen, replaces)?;
            }
            let is_asked = refusals::question_gap(state, tip).is_some();
            (NodeAddress { session, run, node: tip }, is_asked)
        };
        // The lease is held from here to the append, so the tip stays the tip while its content is read.
        let basis = ReplyBasis::now(&cached.lock().state, address)?;
        let step_context = self.reader().step_context(basis).await?;
        let (reason, is_needed) = if is_refused_too_often {
            (REFUSALS_REASON, true)
        } else {
            pending_question(&step_context).ok_or(Refusal::NothingToSettle)?
        };
        let is_held =
            is_needed && step_context.basis.preferences.autonomy != Autonomy::FullAutoNeverStop;
        let summary = decision_text(&verdict, by.as_ref())?;
        let draft = self.draft_verdict(&mut cached.lock(), address, reason, &verdict, &summary)?;
        self.append(&lease, Some(&cached), draft).await?;
        let (run, summary) = (step_context.run_line(), summary.as_str().to_owned());
        Ok(SettledStep { run, reason, summary, is_held })
    }

    fn draft_verdict(
        &self,
        cached: &mut FoldedSession,
        address: NodeAddress,
        reason: UserOnlyDependency,
        verdict: &PersonVerdict,
        summary: &BoundedText<SUMMARY_BYTES_MAX>,
    ) -> Result<PlanDraft<'_>, Error> {
        let run = cached.state.run(address.run).ok_or(Refusal::UnknownRun)?;
        let waiting: Vec<_> = open_on(run, address.node, reason).collect();
        let mut draft = self.draft(address.session, cached);
        let at = NodeScope { run: address.run, node: address.node };
        let mut record = |resolution| {
            let gap_id = GapId::mint(&*self.entropy);
            let record = GapRecorded {
                gap_id,
                severity: GapSeverity::Info,
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
            record(Resolution::Unresolved {});
        } else {
            // A person may speak before the agent has submitted anything. There is no gap to end then, so one is
            // opened and ended in the same plan.
            let ended =
                if waiting.is_empty() { vec![record(Resolution::Unresolved {})] } else { waiting };
            for resolves_gap_id in ended {
                record(Resolution::Resolves { resolves_gap_id });
            }
        }
        self.check(&draft, cached)?;
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

/// Refuses a verdict about a question that is no longer open: the run has left the node where it was `seen`, or a
/// decision other than the one that it `replaces` was made there since the agent's last attempt.
fn check_open(
    session: &SessionState,
    run: &RunState,
    tip: NodeId,
    seen: NodeId,
    replaces: Option<EventIndex>,
) -> Result<(), Refusal> {
    let last = run.decisions_on(seen).pop();
    let is_replaced = last.as_ref().is_some_and(|last| Some(last.index) == replaces);
    if seen == tip && (is_replaced || !has_spoken(run, seen)) {
        return Ok(());
    }
    let decision = last.map(|last| {
        let at = session.time_of(last.index);
        (last, at)
    });
    Err(Refusal::QuestionSettled(Box::new(SettledQuestion { decision })))
}

fn decision_text(
    verdict: &PersonVerdict,
    by: Option<&PersonName>,
) -> Result<BoundedText<SUMMARY_BYTES_MAX>, Refusal> {
    let decision = match verdict {
        PersonVerdict::Approved => PersonDecision::APPROVED,
        PersonVerdict::Answered(answer) => PersonDecision::answered(answer),
        PersonVerdict::Refused(reason) => PersonDecision::refused(reason),
    };
    decision
        .summary(by)
        .map_err(|error| Refusal::Text { what: "answer", reason: error.to_string() })
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
    // Whoever prefers a branch answers no question of it.
    let ended = |gap: &&Gap| gap.resolved_by.is_some() && !gap.is_branch_choice();
    let reason = |gap: &Gap| match (gap.record.reason, gap.record.resolution) {
        (Reason::UserOnlyDependency(reason), Resolution::Unresolved {}) => Some(reason),
        _ => None,
    };
    run.gaps.on(node).filter(ended).filter_map(reason).collect()
}

/// True if a person said something at a node since the last attempt there.
pub(super) fn has_spoken(run: &RunState, node: NodeId) -> bool {
    let last = run.advances.at_node(node).last();
    let decisions = run.decisions_on(node);
    decisions.last().is_some_and(|said| last.is_none_or(|attempt| said.index > attempt.index))
}

/// Returns the question about a step that was refused too often, else the author's question once the agent was sent
/// back for it, else the confirmation that the step waits for.
fn question_for(
    step_context: &StepContext,
    run: &RunState,
    session: &SessionState,
) -> Option<Question> {
    let pending = step_context.pending()?;
    let step = step_context.pinned.workflow.step(&pending.step_id)?;
    let node = step_context.basis.address.node;
    let needed = step.needs_user.as_ref().and_then(|need| {
        let gap = run.gaps.find(open_on(run, node, need.reason).next()?)?;
        Some((need.reason, Some(need.question.clone()), gap.index))
    });
    let confirmed = || {
        let awaits = step_context.next_intent() == NextIntent::AwaitUserConfirmation;
        let reached = run.graph.node(node).filter(|_| awaits && step.needs_user.is_none())?;
        Some((UserOnlyDependency::Approval, None, reached.created))
    };
    let refused = refusals::question_gap(run, node)
        .map(|gap| (REFUSALS_REASON, Some(refusals::question(run, node)), gap.index));
    let (reason, words, asked) = refused.or(needed).or_else(confirmed)?;
    let excerpt = |text: &str| truncate(text, QUESTION_EXCERPT_BYTES_MAX).into_owned();
    Some(Question {
        run: step_context.run_line(),
        node,
        title: pending.title.as_str().to_owned(),
        goal: run.goal(node).map(excerpt),
        since: session.time_of(asked),
        reason,
        words,
        excerpt: excerpt(pending.prompt.as_str()),
        notes: run.outputs.recap(node).map(excerpt),
    })
}
