//! The refusals of a step, as a log records them, and the question to the person that follows from too many.
//!
//! *Invariants*: everything derives from the events at the node. The limit is part of no event: a refusal that reached
//! it is recorded with the question, and a repeated call is answered from that record.

use piton_core::{EventIndex, NodeId};

use super::settle::has_spoken;
use crate::engine::{REFUSED_TOO_OFTEN, RefusalVerdict, Refusals};
use crate::event::{AdvanceOutcome, BlockerCode, Resolution};
use crate::projection::{DecisionKind, Gap, RecordedDecision, RunState};
use crate::reason::{Reason, UserOnlyDependency};

/// The dependency under which the person is asked about refusals.
pub(super) const REFUSALS_REASON: UserOnlyDependency = UserOnlyDependency::Approval;

/// Returns the refusals of the step at a node, for a limit of `ask_after`.
pub(super) fn refusals(run: &RunState, node: NodeId, ask_after: usize) -> Refusals {
    let decisions = run.decisions_on(node);
    // A rejection does not restart the count: the step stays stopped until the person says otherwise.
    let settles = |made: &&RecordedDecision| made.decision.decision != DecisionKind::Refused;
    let since = decisions.iter().rfind(settles).map_or(EventIndex::ZERO, |made| made.index);
    let attempts = run.advances.at_node(node).iter();
    let in_a_row = attempts.filter(|tried| tried.reached.is_none() && tried.index >= since).count();
    let verdict = decisions.last().and_then(|last| match last.decision.decision {
        DecisionKind::Refused => question_gap(run, node).map(|_| RefusalVerdict::Reject),
        // An approval counts for one attempt, and for nothing but the refusals.
        DecisionKind::Approved => (has_spoken(run, node) && ended_refusals(run, node, last.index))
            .then_some(RefusalVerdict::Accept),
        DecisionKind::Answered => None,
    });
    Refusals { in_a_row, ask_after: Some(ask_after), verdict }
}

/// Returns the open gap that asks the person about the refusals at a node.
pub(super) fn question_gap(run: &RunState, node: NodeId) -> Option<&Gap> {
    run.gaps.open_on(node).find(|gap| asks_about_refusals(gap))
}

/// Returns the question to the person, with the reasons of the last refusal.
pub(super) fn question(run: &RunState, node: NodeId) -> String {
    let last = run.advances.on(node).pop();
    let blockers = match last.map(|(_, attempt)| &attempt.outcome) {
        Some(AdvanceOutcome::Blocked { blockers }) => blockers.blockers(),
        _ => &[],
    };
    let reasons = blockers.iter().filter(|blocker| blocker.code != BlockerCode::UserOnlyDependency);
    let reasons =
        reasons.map(|blocker| format!("\n- {}", blocker.message.as_str().replace('\n', "\n  ")));
    let in_a_row = refusals(run, node, 0).in_a_row;
    let times =
        if in_a_row == 1 { "once".to_owned() } else { format!("{in_a_row} times in a row") };
    format!(
        "The step was refused {times}. What the last output lacks:{}\nAnswer with advice for the agent. Approve to have \
         its next output accepted as it is; what it lacks is recorded. Reject to stop the step.",
        reasons.collect::<String>()
    )
}

fn asks_about_refusals(gap: &Gap) -> bool {
    gap.record.reason == Reason::UserOnlyDependency(REFUSALS_REASON)
        && matches!(gap.record.resolution, Resolution::Unresolved {})
        && !gap.is_of_person()
        && gap.record.summary.as_str().starts_with(REFUSED_TOO_OFTEN)
}

/// True if the decision at `index` ended the question about refusals at a node.
fn ended_refusals(run: &RunState, node: NodeId, index: EventIndex) -> bool {
    let asked = run.gaps.on(node).filter(|gap| asks_about_refusals(gap));
    let mut ends = asked.filter_map(|gap| run.gaps.find(gap.resolved_by?));
    ends.any(|end| end.index >= index && end.decision().is_some())
}
