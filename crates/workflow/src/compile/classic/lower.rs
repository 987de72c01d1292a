//! Lowers a file from its first step to its last.

use std::collections::BTreeSet;

use super::derived::{after, delegating};
use super::feature::{self, Features};
use super::routine::{self, Expanded};
use crate::compile::definitions::Definitions;
use crate::compile::draft::Draft;
use crate::compile::prompt::opening;
use crate::compile::sequence::SequenceEntry;
use crate::compile::step::{ProvenanceSource, StepProvenance};
use crate::compile::warning::WarningCode;
use crate::compile::workflow::CompiledWorkflow;
use crate::name::{AssessmentId, StepId};
use crate::source::classic::{ClassicStep, ClassicWorkflow, LoopBody};
use crate::source::{Dialect, Pointer, ProblemCode, Problems, RoutineCall, Task, TaskContent};

/// Lowers `workflow`. Returns `None` if it has no id; the result is valid only if there are no problems.
pub(in crate::compile) fn lower(
    workflow: &ClassicWorkflow,
    definitions: &Definitions,
    problems: &mut Problems,
) -> Option<CompiledWorkflow> {
    let Features { compiled: features, additions } = feature::apply(&workflow.features, problems);
    // Named bodies are collected before anything is lowered, because a loop may name a step that comes before
    // it.
    let mut named = BTreeSet::new();
    workflow.steps.iter().for_each(|step| collect_named(step, &mut named));
    let draft = Draft::new(Dialect::Classic, definitions, problems, &workflow.functions);
    let draft = Draft {
        additions,
        assessments: &workflow.assessments,
        meta_guidance: &workflow.meta_guidance,
        opening: opening(workflow),
        ..draft
    };
    let mut lowering = ClassicLowering { draft, workflow, named, placed: BTreeSet::new() };
    lowering.check_assessments();
    // Steps that loops name as their body are lowered there.
    let own = workflow.steps.iter().filter(|step| !lowering.named.contains(id_of(step)));
    let own: Vec<_> = own.collect();
    let sequence = lowering.body(own);
    // Only now it is known which steps ended up in a loop.
    lowering.check_placed();
    lowering.warn_without_effect();
    Some(CompiledWorkflow {
        name: workflow.name.clone(),
        description: workflow.description.clone(),
        recommended_autonomy: workflow.recommended.autonomy,
        recommended_risk_policy: workflow.recommended.risk_policy,
        features,
        metadata: workflow.metadata.clone(),
        ..lowering.draft.finish(workflow.id.as_ref(), sequence)?
    })
}

pub(super) struct ClassicLowering<'a> {
    pub(super) draft: Draft<'a>,
    workflow: &'a ClassicWorkflow,
    /// The steps that loops name as their body. `placed` holds those of them that were lowered there.
    named: BTreeSet<StepId>,
    placed: BTreeSet<StepId>,
}

impl ClassicLowering<'_> {
    pub(super) fn body<'b>(
        &mut self,
        steps: impl IntoIterator<Item = &'b ClassicStep>,
    ) -> Vec<SequenceEntry> {
        let mut entries = Vec::new();
        for step in steps {
            match step {
                ClassicStep::Task(task) => entries.extend(self.task(task)),
                ClassicStep::Loop(of) => entries.extend(self.lower_loop(of)),
                ClassicStep::Parallel(parallel) => {
                    for task in delegating(parallel, self.draft.problems) {
                        // The first step has the id of the authored one; only the synthesis is derived from
                        // it.
                        let origin = (task.id != parallel.id).then_some(&parallel.id);
                        entries.extend(self.draft.task(&task, authored(origin)));
                    }
                }
            }
        }
        entries
    }

    /// Returns the entries for an authored step: itself or the routine that it calls, and the steps that
    /// follow from it.
    pub(super) fn task(&mut self, task: &Task) -> Vec<SequenceEntry> {
        if task.has_validation {
            self.draft.warn(WarningCode::NoEffect, format!("{}.hasValidation", task.id));
        }
        match &task.content {
            TaskContent::Prompt(_) => self.with_derived(task, &authored(None)),
            TaskContent::Call(call) => self.call(task, call),
        }
    }

    fn call(&mut self, task: &Task, call: &RoutineCall) -> Vec<SequenceEntry> {
        // The call has no step of its own, but its id is the prefix of the routine's, so it must be unique as
        // well.
        if !self.draft.take_id(task) {
            return Vec::new();
        }
        let expanded = routine::expand(task, call, self.draft.definitions, self.draft.problems);
        let Some(Expanded { tasks, unused }) = expanded else {
            return Vec::new();
        };
        for name in unused {
            self.draft.warn(WarningCode::NoEffect, format!("{}.templateCall.args.{name}", task.id));
        }
        let origin_id = Some(call.routine.as_str().to_owned());
        let provenance = StepProvenance { source: ProvenanceSource::TemplateInjected, origin_id };
        tasks.iter().flat_map(|task| self.with_derived(task, &provenance)).collect()
    }

    fn with_derived(&mut self, task: &Task, provenance: &StepProvenance) -> Vec<SequenceEntry> {
        let mut entries: Vec<_> = self.draft.task(task, provenance.clone()).into_iter().collect();
        for derived in after(task, self.draft.problems) {
            entries.extend(self.draft.task(&derived, authored(Some(&task.id))));
        }
        entries
    }

    /// Lowers the step that a loop names as its body.
    pub(super) fn named_body(&mut self, id: &StepId, at: &Pointer) -> Vec<SequenceEntry> {
        let workflow = self.workflow;
        let Some(step) = workflow.steps.iter().find(|step| id_of(step) == id) else {
            // A step that could not be read may be the one that is meant.
            if !self.draft.problems.any_within(&Pointer::root().field("steps")) {
                let reason = format!("there is no step `{id}` in the list of the workflow");
                let fix = "name a step of `steps`, or write the steps of the body here";
                self.draft.problems.report(at, ProblemCode::UnresolvedReference, reason, fix);
            }
            return Vec::new();
        };
        // Marked before its body is lowered. A loop that contains itself by name is therefore refused here
        // instead of recursing without end.
        if !self.placed.insert(id.clone()) {
            let reason = format!("the step `{id}` is the body of two loops");
            let fix = "give each loop a step of its own";
            self.draft.problems.report(at, ProblemCode::DuplicateId, reason, fix);
            return Vec::new();
        }
        self.body([step])
    }

    /// Checks that every step that a loop names is in that loop, which fails only if loops name each other.
    fn check_placed(&mut self) {
        let at = Pointer::root().field("steps");
        if self.draft.problems.any_within(&at) {
            return;
        }
        let known = |id: &&StepId| self.workflow.steps.iter().any(|step| id_of(step) == *id);
        let lost = self.named.iter().filter(known).find(|id| !self.placed.contains(*id));
        if let Some(id) = lost {
            let reason = format!("no run comes to the step `{id}`: loops name each other as body");
            let fix = "write the steps of one of the bodies out";
            self.draft.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
        }
    }

    fn check_assessments(&mut self) {
        let mut seen: BTreeSet<&AssessmentId> = BTreeSet::new();
        for (at, assessment) in &self.workflow.assessments {
            if !seen.insert(&assessment.id) {
                self.draft.problems.report_twice(&at.field("id"), "assessment", &assessment.id);
            }
        }
    }

    fn warn_without_effect(&mut self) {
        for field in &self.workflow.without_effect {
            self.draft.warn(WarningCode::NoEffect, *field);
        }
    }
}

/// Returns the provenance of a step that its author wrote, or that follows from their step `origin`.
pub(super) fn authored(origin: Option<&StepId>) -> StepProvenance {
    let origin_id = origin.map(|id| id.as_str().to_owned());
    StepProvenance { source: ProvenanceSource::Authored, origin_id }
}

fn id_of(step: &ClassicStep) -> &StepId {
    match step {
        ClassicStep::Task(task) => &task.id,
        ClassicStep::Loop(of) => &of.id,
        ClassicStep::Parallel(parallel) => &parallel.id,
    }
}

fn collect_named(step: &ClassicStep, named: &mut BTreeSet<StepId>) {
    let ClassicStep::Loop(of) = step else {
        return;
    };
    match &of.body {
        LoopBody::Named { id, .. } => drop(named.insert(id.clone())),
        LoopBody::Steps(steps) => steps.iter().for_each(|step| collect_named(step, named)),
    }
}
