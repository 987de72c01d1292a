//! The entries of a decision trace, in the words of the engine.
//!
//! *Invariants*: every entry about a loop refers to the loop, and to the turn if there is one. Turns are counted from
//! one in texts and from zero in references.

use crate::bounds::TRACE_DRAFT_ENTRIES_MAX;
use crate::compile::CompiledLoop;
use crate::event::{TraceEntry, TraceEntryKind, TraceRef};
use crate::loop_path::{Iteration, LoopPosition};
use crate::name::StepId;
use crate::predicate::Predicate;

/// The trace of the engine's decisions so far.
#[derive(Default)]
pub(super) struct DecisionTrace(Vec<TraceEntry>);

/// Reasons for a loop to end.
#[derive(Clone, Copy)]
pub(super) enum ExitCause {
    ConditionFalse,
    /// It has had as many turns as it may have.
    LimitReached,
    /// Very many positions in it were visited, and every step was skipped.
    NothingToDo,
}

impl DecisionTrace {
    pub(super) fn into_entries(self) -> Vec<TraceEntry> {
        self.0
    }

    /// Adds an entry. A walk past very many skipped steps keeps only its first entries and its destination.
    fn push(&mut self, kind: TraceEntryKind, summary: &str, refs: Vec<TraceRef>) {
        if self.0.len() < TRACE_DRAFT_ENTRIES_MAX || kind == TraceEntryKind::SelectedNextStep {
            self.0.push(TraceEntry::new(kind, summary, refs).expect("the refs are few"));
        }
    }

    pub(super) fn entered(&mut self, this_loop: &CompiledLoop) {
        let CompiledLoop { loop_id, max_iterations, .. } = this_loop;
        let summary =
            format!("Began the loop `{loop_id}` with turn 1 of at most {max_iterations}.");
        self.push(TraceEntryKind::EnteredLoop, &summary, about(this_loop, Some(Iteration::ZERO)));
    }

    /// Records the evaluation of a loop's condition, before its first turn or at the end of `turn`.
    pub(super) fn evaluated(
        &mut self,
        this_loop: &CompiledLoop,
        turn: Option<Iteration>,
        holds: bool,
        why: &str,
    ) {
        let CompiledLoop { condition_id, loop_id, .. } = this_loop;
        let when = match turn {
            None => "before its first turn".to_owned(),
            Some(turn) => format!("after turn {}", turn.get() + 1),
        };
        let result = if holds { "holds" } else { "does not hold" };
        let summary =
            format!("Condition `{condition_id}` of the loop `{loop_id}` {when} {result}: {why}.");
        let mut refs = about(this_loop, turn);
        refs.push(TraceRef::ConditionId { condition_id: condition_id.clone() });
        self.push(TraceEntryKind::EvaluatedCondition, &summary, refs);
    }

    /// Records the check of a loop's run condition.
    pub(super) fn asked_to_begin(
        &mut self,
        this_loop: &CompiledLoop,
        holds: bool,
        when: &Predicate,
    ) {
        let loop_id = &this_loop.loop_id;
        let summary = if holds {
            format!("The loop `{loop_id}` may begin: {when}.")
        } else {
            format!("Skipped the loop `{loop_id}`; it begins only if {when}.")
        };
        self.push(TraceEntryKind::EvaluatedCondition, &summary, about(this_loop, None));
    }

    /// Records the check of a step's run condition.
    pub(super) fn asked_to_run(
        &mut self,
        step_id: &StepId,
        innermost: Option<&LoopPosition>,
        holds: bool,
        when: &Predicate,
    ) {
        let summary = if holds {
            format!("The step `{step_id}` is to be done: {when}.")
        } else {
            format!("Skipped the step `{step_id}`; it is done only if {when}.")
        };
        let (refs, _) = place(step_id, innermost);
        self.push(TraceEntryKind::EvaluatedCondition, &summary, refs);
    }

    /// Records the end of a loop, after `turn` or without any.
    pub(super) fn exited(
        &mut self,
        this_loop: &CompiledLoop,
        turn: Option<Iteration>,
        cause: ExitCause,
    ) {
        let CompiledLoop { loop_id, max_iterations, .. } = this_loop;
        let when = match turn {
            None => "before its first turn".to_owned(),
            Some(turn) => format!("after turn {} of at most {max_iterations}", turn.get() + 1),
        };
        let why = match cause {
            ExitCause::ConditionFalse => "its condition does not hold",
            ExitCause::LimitReached => "its limit is reached",
            ExitCause::NothingToDo => "every step was skipped for too long",
        };
        let summary = format!("Ended the loop `{loop_id}` {when}: {why}.");
        self.push(TraceEntryKind::ExitedLoop, &summary, about(this_loop, turn));
    }

    pub(super) fn selected(&mut self, step_id: &StepId, innermost: Option<&LoopPosition>) {
        let (refs, place) = place(step_id, innermost);
        let summary = format!("Chose the step `{step_id}`{place}.");
        self.push(TraceEntryKind::SelectedNextStep, &summary, refs);
    }
}

fn about(this_loop: &CompiledLoop, turn: Option<Iteration>) -> Vec<TraceRef> {
    let loop_id = TraceRef::LoopId { loop_id: this_loop.loop_id.clone() };
    [loop_id].into_iter().chain(turn.map(|value| TraceRef::Iteration { value })).collect()
}

/// Returns the references of an entry about a step, and the position of the step in words.
fn place(step_id: &StepId, innermost: Option<&LoopPosition>) -> (Vec<TraceRef>, String) {
    let mut refs = vec![TraceRef::StepId { step_id: step_id.clone() }];
    let mut words = String::new();
    if let Some(LoopPosition { loop_id, iteration }) = innermost {
        words = format!(" in turn {} of the loop `{loop_id}`", iteration.get() + 1);
        refs.push(TraceRef::LoopId { loop_id: loop_id.clone() });
        refs.push(TraceRef::Iteration { value: *iteration });
    }
    (refs, words)
}
