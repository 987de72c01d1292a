//! The state of a run at a node, as far as events record it.
//!
//! *Invariants*: a basis is taken as of the moment that a reply is about, so that later events do not change the
//! reply.

use piton_core::{AttemptId, EventIndex, NodeId, SnapshotRef, WorkflowHash, WorkflowId};

use super::derive;
use super::guidance::GuidanceForm;
use super::reply::GapLine;
use super::token_lookup::node_of;
use crate::bounds::SAID_MAX;
use crate::event::{
    AdvanceOutcome, Autonomy, Blocker, BlockerCode, BlockerReport, EdgeCause, NodeKind,
    Preferences, Resolution,
};
use crate::projection::{Gap, RecordedDecision, RunNode, RunState, SessionState};
use crate::reason::{Reason, ReasonCategory, UserOnlyDependency};
use crate::token::{AttemptOrdinal, NodeAddress, NodeOrdinal, TokenError};

/// Preferences of a run that has none on record: the most careful ones.
pub(super) const PREFERENCES_DEFAULT: Preferences = Preferences::preset(Autonomy::Guided);

/// Everything that a reply takes from events.
#[derive(Clone, Debug)]
pub(super) struct ReplyBasis {
    pub(super) address: NodeAddress,
    pub(super) ordinal: NodeOrdinal,
    pub(super) workflow_id: WorkflowId,
    pub(super) workflow_hash: WorkflowHash,
    pub(super) snapshot: SnapshotRef,
    pub(super) preferences: Preferences,
    /// The attempt that the reply's ack token is for.
    pub(super) ack: AttemptOrdinal,
    /// The attempt that its checkpoint token is for.
    pub(super) checkpoint: AttemptOrdinal,
    pub(super) blockers: Option<BlockerReport>,
    pub(super) gaps: Vec<GapLine>,
    /// Set when a person approved the step.
    pub(super) approved: bool,
    /// Set when something is open on the node that only a person can settle, or that a person refused.
    is_open_for_person: bool,
    /// Decisions by persons that the reply reports, oldest first, each with the snapshot that holds the title of its
    /// step.
    pub(super) decisions: Vec<(RecordedDecision, SnapshotRef)>,
    /// The form of the guidance for the whole workflow.
    pub(super) guidance: GuidanceForm,
}

impl ReplyBasis {
    /// Returns the state of a run at a node as of now.
    pub(super) fn now(state: &SessionState, address: NodeAddress) -> Result<Self, TokenError> {
        let mut basis = Self::new(state, address, None)?;
        let (run, node) = node_of(state, address)?;
        basis.decisions = with_snapshots(run, run.decisions_toward(node.id));
        // Even an agent that never stops for a person stops for a refusal.
        let never_stops = basis.preferences.autonomy == Autonomy::FullAutoNeverStop;
        let waits = |gap: &Gap| {
            gap.record.reason.category() == ReasonCategory::UserOnlyDependency
                && (!never_stops || gap.decision().is_some())
        };
        basis.is_open_for_person = run.gaps.open_on(node.id).any(waits);
        Ok(basis)
    }

    /// True if the run waits here for a person, who has to settle something or refused.
    pub(super) fn waits_for_person(&self) -> bool {
        let waits = |blocker: &Blocker| blocker.code == BlockerCode::UserOnlyDependency;
        self.is_open_for_person
            || self.blockers.as_ref().is_some_and(|report| report.blockers().iter().any(waits))
    }

    /// Returns the state of a run at its root as it was when the run started.
    pub(super) fn at_start(state: &SessionState, address: NodeAddress) -> Result<Self, TokenError> {
        let mut basis = Self::new(state, address, None)?;
        // Attempts made since must not change the reply to a repeated start.
        basis.ack = AttemptOrdinal::FIRST;
        basis.checkpoint = AttemptOrdinal::FIRST;
        let (run, _) = node_of(state, address)?;
        let root = run.preferences.first(address.node);
        basis.preferences = root.unwrap_or(PREFERENCES_DEFAULT);
        Ok(basis)
    }

    /// Returns the state of a run right after a recorded attempt, or `None` if the attempt is not on record.
    pub(super) fn after(
        state: &SessionState,
        address: NodeAddress,
        attempt: AttemptId,
    ) -> Result<Option<Self>, TokenError> {
        let (run, _) = node_of(state, address)?;
        let Some(recorded) = run.advances.attempt(address.node, attempt) else {
            return Ok(None);
        };
        // Gap ids derive from the attempt and an ordinal, so the gaps of this attempt are found by counting up until
        // one is missing.
        let has_gaps = run.gaps.on(address.node).next().is_some();
        let gap = |ordinal| run.gaps.find(derive::gap(attempt, ordinal));
        let gaps = (0..)
            .take_while(|_| has_gaps)
            .map_while(gap)
            .map(|gap| GapLine { summary: gap.record.summary.as_str().to_owned() });
        // The agent may not have seen yet what was decided about the step that it submitted. Decisions made after the
        // attempt are left out, so that a retry gets the same reply.
        let mut decisions = run.decisions_on(address.node);
        decisions.retain(|decision| decision.index < recorded.index);
        let surplus = decisions.len().saturating_sub(SAID_MAX);
        let decisions = with_snapshots(run, decisions.split_off(surplus));
        match &recorded.outcome {
            AdvanceOutcome::Blocked { blockers } => {
                let mut basis = Self::new(state, address, Some(recorded.index))?;
                // A blocked attempt is used up. The reply offers the next one at the same node.
                basis.ack = ordinal(recorded.ordinal + 1);
                basis.blockers = Some(blockers.clone());
                basis.guidance = GuidanceForm::Reminder;
                basis.decisions = decisions;
                Ok(Some(basis))
            }
            AdvanceOutcome::Advanced { to_node_id } => {
                let there = NodeAddress { node: *to_node_id, ..address };
                let mut basis = Self::new(state, there, Some(recorded.index))?;
                basis.gaps = gaps.collect();
                // Whoever begins another branch may be another agent, or may go by the notes of the first one.
                let cause = run.graph.node(*to_node_id).and_then(|node| node.cause);
                if cause != Some(EdgeCause::NonTipAdvance) {
                    basis.guidance = GuidanceForm::Reminder;
                }
                basis.decisions = decisions;
                Ok(Some(basis))
            }
        }
    }

    /// Returns the state of a run at a node right after a bookmark was made on it.
    pub(super) fn after_bookmark(
        state: &SessionState,
        address: NodeAddress,
        bookmark: NodeId,
    ) -> Result<Self, TokenError> {
        let (run, _) = node_of(state, address)?;
        let made = run.graph.node(bookmark).ok_or(TokenError::UnknownNode)?.created;
        // `as_of` is exclusive, so the bookmark itself counts and the reply offers the checkpoint token after it.
        Self::new(state, address, Some(made.next()))
    }

    /// Returns the state of a run at a node now, or just before the event at `as_of`.
    fn new(
        state: &SessionState,
        address: NodeAddress,
        as_of: Option<EventIndex>,
    ) -> Result<Self, TokenError> {
        let (run, node) = node_of(state, address)?;
        let before = |index: EventIndex| as_of.is_none_or(|as_of| index < as_of);
        // The number of attempts made so far is the ordinal of the next one.
        let made =
            run.advances.at_node(node.id).iter().filter(|attempt| before(attempt.index)).count();
        let basis = state.ordinal_of(node.id).ok_or(TokenError::UnknownNode)?;
        let preferences = match as_of {
            None => run.preferences.effective(node.id),
            Some(index) => run.preferences.effective_before(&run.graph, node.id, index),
        };
        Ok(Self {
            address,
            ordinal: NodeOrdinal::new(u32::try_from(basis).unwrap_or(u32::MAX)),
            workflow_id: run.started.workflow_id.clone(),
            workflow_hash: run.started.workflow_hash,
            snapshot: node.snapshot,
            preferences: preferences.unwrap_or(PREFERENCES_DEFAULT),
            ack: ordinal(made),
            checkpoint: ordinal(bookmarks(run, node).filter(|index| before(*index)).count()),
            blockers: None,
            gaps: Vec::new(),
            approved: approved(run, node.id, as_of),
            is_open_for_person: false,
            decisions: Vec::new(),
            guidance: GuidanceForm::Full,
        })
    }
}

fn with_snapshots(
    run: &RunState,
    decisions: Vec<RecordedDecision>,
) -> Vec<(RecordedDecision, SnapshotRef)> {
    let snapshot = |decision: &RecordedDecision| Some(run.graph.node(decision.node)?.snapshot);
    let found = |decision| snapshot(&decision).map(|snapshot| (decision, snapshot));
    decisions.into_iter().filter_map(found).collect()
}

/// True if a person had approved the step at a node before the event at `as_of`.
fn approved(run: &RunState, node: NodeId, as_of: Option<EventIndex>) -> bool {
    run.gaps.on(node).any(|gap| {
        matches!(gap.record.resolution, Resolution::Resolves { .. })
            && gap.record.reason == Reason::UserOnlyDependency(UserOnlyDependency::Approval)
            && as_of.is_none_or(|as_of| gap.index < as_of)
    })
}

/// Returns the indexes of the events that made bookmarks on a node.
fn bookmarks<'a>(run: &'a RunState, node: &'a RunNode) -> impl Iterator<Item = EventIndex> + 'a {
    let children = run.graph.children(node);
    children.filter(|child| child.kind == NodeKind::Checkpoint).map(|child| child.created)
}

fn ordinal(count: usize) -> AttemptOrdinal {
    AttemptOrdinal::new(u32::try_from(count).unwrap_or(u32::MAX))
}
