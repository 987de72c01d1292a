//! Lowers a file from its first step to its last.

use std::collections::{BTreeMap, BTreeSet};

use super::derived::delegating;
use super::feature::{self, Features};
use super::wording::opening;
use crate::compile::declared::Functions;
use crate::compile::definitions::Definitions;
use crate::compile::function::FunctionScope;
use crate::compile::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use crate::compile::warning::{CompiledWarning, WarningCode};
use crate::compile::workflow::{
    CompiledStep, CompiledWorkflow, ProvenanceSource, SCHEMA_VERSION, StepProvenance,
};
use crate::contract::ContractDefinition;
use crate::name::{AssessmentId, ConditionId, LoopId, StepId};
use crate::source::shipped::{LoopBody, ShippedStep, ShippedWorkflow};
use crate::source::{ContractRef, DeclaredId, Dialect, FeatureId, Pointer, ProblemCode, Problems};

/// Lowers `workflow`. Returns `None` if it has no id; the result is valid only if there are no problems.
pub(in crate::compile) fn lower(
    workflow: &ShippedWorkflow,
    catalog: &Definitions,
    problems: &mut Problems,
) -> Option<CompiledWorkflow> {
    let Features { compiled: features, additions } = feature::apply(&workflow.features, problems);
    let opening = opening(workflow);
    let mut lowering = Lowering::new(workflow, catalog, additions, opening.len(), problems);
    lowering.check_assessments();
    let sequence = lowering.sequence();
    // These checks need the whole file: only now it is known which steps ended up in a loop.
    lowering.check_placed();
    lowering.check_size();
    lowering.warn_unused();
    let Lowering { steps, loops, conditions, functions, contracts, mut warnings, .. } = lowering;
    let id = workflow.id.as_ref()?;
    if let DeclaredId::Legacy { declared, .. } = id {
        let (code, subject) = (WarningCode::LegacyWorkflowId, declared.clone());
        warnings.insert(CompiledWarning { code, subject });
    }
    // Sorted by id, so the order in the file does not change the hash.
    let assessments: BTreeMap<_, _> =
        workflow.assessments.iter().map(|(_, assessment)| (&assessment.id, assessment)).collect();
    Some(CompiledWorkflow {
        schema_version: SCHEMA_VERSION,
        dialect: Dialect::Shipped,
        workflow_id: id.workflow_id().clone(),
        name: workflow.name.clone(),
        description: workflow.description.clone(),
        agent_role: None,
        recommended_autonomy: workflow.recommended.autonomy,
        recommended_risk_policy: workflow.recommended.risk_policy,
        capabilities: BTreeMap::new(),
        features,
        contracts: contracts.into_values().collect(),
        steps,
        sequence,
        conditions: conditions.into_values().collect(),
        loops: loops.into_values().collect(),
        functions: functions.into_definitions(),
        compiled_warnings: warnings.into_iter().collect(),
        metadata: workflow.metadata.clone(),
        opening,
        assessments: assessments.into_values().cloned().collect(),
    })
}

pub(super) struct Lowering<'a> {
    pub(super) workflow: &'a ShippedWorkflow,
    pub(super) catalog: &'a Definitions,
    pub(super) problems: &'a mut Problems,
    pub(super) additions: Vec<(FeatureId, &'static str)>,
    /// Number of bytes before the first prompt.
    pub(super) opening_bytes: usize,
    /// The loops around the step that is being lowered, outermost first.
    pub(super) around: Vec<LoopId>,
    /// Number of these loops that waive the notes of their steps.
    pub(super) notes_waived: usize,
    pub(super) steps: Vec<CompiledStep>,
    pub(super) ids: BTreeSet<StepId>,
    pub(super) loops: BTreeMap<LoopId, CompiledLoop>,
    pub(super) loop_ids: BTreeSet<LoopId>,
    pub(super) conditions: BTreeMap<ConditionId, CompiledCondition>,
    pub(super) functions: Functions,
    pub(super) contracts: BTreeMap<ContractRef, ContractDefinition>,
    pub(super) warnings: BTreeSet<CompiledWarning>,
    /// The steps that loops name as their body. `placed` holds those of them that were lowered there.
    named: BTreeSet<StepId>,
    placed: BTreeSet<StepId>,
}

impl<'a> Lowering<'a> {
    fn new(
        workflow: &'a ShippedWorkflow,
        catalog: &'a Definitions,
        additions: Vec<(FeatureId, &'static str)>,
        opening_bytes: usize,
        problems: &'a mut Problems,
    ) -> Self {
        // Named bodies are collected before anything is lowered, because a loop may name a step that comes
        // before it.
        let mut named = BTreeSet::new();
        workflow.steps.iter().for_each(|step| collect_named(step, &mut named));
        let mut functions = Functions::default();
        functions.declare(&workflow.functions, &FunctionScope::Workflow, problems);
        Self {
            workflow,
            catalog,
            problems,
            additions,
            opening_bytes,
            around: Vec::new(),
            notes_waived: 0,
            steps: Vec::new(),
            ids: BTreeSet::new(),
            loops: BTreeMap::new(),
            loop_ids: BTreeSet::new(),
            conditions: BTreeMap::new(),
            functions,
            contracts: BTreeMap::new(),
            warnings: BTreeSet::new(),
            named,
            placed: BTreeSet::new(),
        }
    }

    /// Lowers the steps of the workflow, except those that loops name as their body.
    fn sequence(&mut self) -> Vec<SequenceEntry> {
        let workflow = self.workflow;
        let own = workflow.steps.iter().filter(|step| !self.named.contains(id_of(step)));
        let own: Vec<_> = own.collect();
        self.body(own)
    }

    pub(super) fn body<'b>(
        &mut self,
        steps: impl IntoIterator<Item = &'b ShippedStep>,
    ) -> Vec<SequenceEntry> {
        let mut entries = Vec::new();
        for step in steps {
            match step {
                ShippedStep::Task(task) => entries.extend(self.task(task)),
                ShippedStep::Loop(of) => entries.extend(self.repeated(of)),
                ShippedStep::Parallel(parallel) => {
                    for task in delegating(parallel, self.problems) {
                        // The first step has the id of the authored one; only the synthesis is derived from
                        // it.
                        let origin = (task.id != parallel.id).then_some(&parallel.id);
                        entries.extend(self.single(&task, authored(origin)));
                    }
                }
            }
        }
        entries
    }

    /// Lowers the step that a loop names as its body.
    pub(super) fn named_body(&mut self, id: &StepId, at: &Pointer) -> Vec<SequenceEntry> {
        let workflow = self.workflow;
        let Some(step) = workflow.steps.iter().find(|step| id_of(step) == id) else {
            // A step that could not be read may be the one that is meant.
            if !self.problems.any_within(&Pointer::root().field("steps")) {
                let reason = format!("there is no step `{id}` in the list of the workflow");
                let fix = "name a step of `steps`, or write the steps of the body here";
                self.problems.report(at, ProblemCode::UnresolvedReference, reason, fix);
            }
            return Vec::new();
        };
        // Marked before its body is lowered. A loop that contains itself by name is therefore refused here
        // instead of recursing without end.
        if !self.placed.insert(id.clone()) {
            let reason = format!("the step `{id}` is the body of two loops");
            let fix = "give each loop a step of its own";
            self.problems.report(at, ProblemCode::DuplicateId, reason, fix);
            return Vec::new();
        }
        self.body([step])
    }

    pub(super) fn warn(&mut self, code: WarningCode, subject: impl Into<String>) {
        self.warnings.insert(CompiledWarning { code, subject: subject.into() });
    }

    /// Checks that every step that a loop names is in that loop, which fails only if loops name each other.
    fn check_placed(&mut self) {
        let at = Pointer::root().field("steps");
        if self.problems.any_within(&at) {
            return;
        }
        let known = |id: &&StepId| self.workflow.steps.iter().any(|step| id_of(step) == *id);
        let lost = self.named.iter().filter(known).find(|id| !self.placed.contains(*id));
        if let Some(id) = lost {
            let reason = format!("no run comes to the step `{id}`: loops name each other as body");
            let fix = "write the steps of one of the bodies out";
            self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
        }
    }

    fn check_assessments(&mut self) {
        let mut seen: BTreeSet<&AssessmentId> = BTreeSet::new();
        for (at, assessment) in &self.workflow.assessments {
            if !seen.insert(&assessment.id) {
                self.problems.report_twice(&at.field("id"), "assessment", &assessment.id);
            }
        }
    }

    fn check_size(&mut self) {
        self.problems.check_steps(self.steps.len());
    }

    fn warn_unused(&mut self) {
        let unused: Vec<_> = self.functions.unused().map(|name| name.as_str().to_owned()).collect();
        for name in unused {
            self.warn(WarningCode::UnusedFunction, name);
        }
        for field in &self.workflow.without_effect {
            self.warn(WarningCode::NoEffect, *field);
        }
    }
}

/// Returns the provenance of a step that its author wrote, or that follows from their step `origin`.
pub(super) fn authored(origin: Option<&StepId>) -> StepProvenance {
    let origin_id = origin.map(|id| id.as_str().to_owned());
    StepProvenance { source: ProvenanceSource::Authored, origin_id }
}

fn id_of(step: &ShippedStep) -> &StepId {
    match step {
        ShippedStep::Task(task) => &task.id,
        ShippedStep::Loop(of) => &of.id,
        ShippedStep::Parallel(parallel) => &parallel.id,
    }
}

fn collect_named(step: &ShippedStep, named: &mut BTreeSet<StepId>) {
    let ShippedStep::Loop(of) = step else {
        return;
    };
    match &of.body {
        LoopBody::Named { id, .. } => drop(named.insert(id.clone())),
        LoopBody::Steps(steps) => steps.iter().for_each(|step| collect_named(step, named)),
    }
}
