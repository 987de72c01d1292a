//! Lowers the strict dialect to a compiled workflow.
//!
//! *Invariants*: authored steps keep their order. Names are resolved here, and every dangling one is
//! reported. A name is reported as missing only if the place that would declare it was read without problems,
//! so that one mistake is reported once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::feature::{self, Anchor, AppliedFeatures, Injection};
use super::step_template::StepTemplate;
use crate::compile::definitions::Definitions;
use crate::compile::draft::Draft;
use crate::compile::function::FunctionScope;
use crate::compile::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use crate::compile::step::{ProvenanceSource, StepProvenance};
use crate::compile::warning::WarningCode;
use crate::compile::workflow::{CompiledWorkflow, Metadata};
use crate::name::{ConditionId, LoopId, StepId};
use crate::source::strict::{Condition, Loop, StrictStep, StrictWorkflow, TemplateCall};
use crate::source::{Dialect, Pointer, ProblemCode, Problems, Prose};

/// Lowers `workflow`. Returns `None` if it has no id; the result is valid only if there are no problems.
pub(in crate::compile) fn lower(
    workflow: StrictWorkflow,
    definitions: &Definitions,
    problems: &mut Problems,
) -> Option<CompiledWorkflow> {
    // Features come first: they add steps and texts that the lowering of every step needs.
    let AppliedFeatures { features, injections, additions } = feature::apply(&workflow, problems);
    // Asked now, before lowering adds problems of its own.
    let steps_incomplete = problems.any_within(&Pointer::root().field("steps"));
    let of_loop = |condition: &Condition| (condition.id.clone(), condition.loop_id.clone());
    let draft = Draft::new(Dialect::Strict, definitions, problems, &workflow.functions);
    let mut lowering = StrictLowering {
        draft: Draft { additions, ..draft },
        steps_incomplete,
        conditions: workflow.conditions.iter().map(of_loop).collect(),
        conditions_used: BTreeSet::new(),
    };
    let mut sequence = lowering.injected(&injections, Anchor::Start);
    sequence.extend(lowering.body(&workflow.steps));
    sequence.extend(lowering.injected(&injections, Anchor::End));
    // Only now it is known which loops exist and which conditions they use.
    lowering.check_conditions(&workflow.conditions);
    Some(CompiledWorkflow {
        name: workflow.name.map(Prose::into_string),
        description: workflow.description.map(Prose::into_string),
        agent_role: workflow.agent_role.map(Prose::into_string),
        recommended_autonomy: workflow.recommended_autonomy,
        recommended_risk_policy: workflow.recommended_risk_policy,
        capabilities: workflow.capabilities,
        features,
        metadata: Metadata { tags: workflow.tags, ..Metadata::default() },
        ..lowering.draft.finish(workflow.id.as_ref(), sequence)?
    })
}

struct StrictLowering<'a> {
    draft: Draft<'a>,
    /// Set when some step could not be read, so that not every loop is known.
    steps_incomplete: bool,
    /// The conditions that the workflow declares, each with its loop.
    conditions: BTreeMap<ConditionId, LoopId>,
    conditions_used: BTreeSet<ConditionId>,
}

impl StrictLowering<'_> {
    fn injected(&mut self, injections: &[Injection], anchor: Anchor) -> Vec<SequenceEntry> {
        let at = Pointer::root().field("features");
        let mut entries = Vec::new();
        for injection in injections.iter().filter(|injection| injection.anchor == anchor) {
            let Injection { feature, template, call, args, .. } = injection;
            let source = ProvenanceSource::FeatureInjected;
            let provenance =
                StepProvenance { source, origin_id: Some(feature.as_str().to_owned()) };
            entries.extend(self.expand(*template, call, args, &at, provenance));
        }
        entries
    }

    fn expand(
        &mut self,
        template: StepTemplate,
        call: &StepId,
        args: &Value,
        at: &Pointer,
        provenance: StepProvenance,
    ) -> Option<SequenceEntry> {
        let task = template.expand(call, args, at, self.draft.problems)?;
        self.draft.task(&task, provenance)
    }

    fn body(&mut self, steps: &[StrictStep]) -> Vec<SequenceEntry> {
        let mut entries = Vec::new();
        for step in steps {
            match step {
                StrictStep::Task(task) => {
                    let authored =
                        StepProvenance { source: ProvenanceSource::Authored, origin_id: None };
                    entries.extend(self.draft.task(task, authored));
                }
                StrictStep::Loop(of) => entries.extend(self.lower_loop(of)),
                StrictStep::Call(call) => entries.extend(self.call(call)),
            }
        }
        entries
    }

    fn call(&mut self, call: &TemplateCall) -> Option<SequenceEntry> {
        let Ok(template) = call.template.as_str().parse::<StepTemplate>() else {
            let fix = format!("use one of: {}", StepTemplate::NAMES.join(", "));
            let reason = format!("there is no template `{}`", call.template);
            let at = call.at.field("templateId");
            self.draft.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            return None;
        };
        let none = json!({});
        let args = call.args.as_ref().unwrap_or(&none);
        self.check_loop_of(template, args, &call.at);
        let origin_id = Some(call.template.as_str().to_owned());
        let provenance = StepProvenance { source: ProvenanceSource::TemplateInjected, origin_id };
        self.expand(template, &call.id, args, &call.at, provenance)
    }

    /// Checks that a decision inside a loop is about that loop; one before a loop may be about any.
    fn check_loop_of(&mut self, template: StepTemplate, args: &Value, at: &Pointer) {
        let (Some(around), Some(named)) = (self.draft.around.last(), args.get("loopId")) else {
            return;
        };
        if template == StepTemplate::LoopDecision && named.as_str() != Some(around.as_str()) {
            let reason = format!("the step decides about the loop that it is in, `{around}`");
            let at = at.field("args").field("loopId");
            let fix = format!("write `{around}`");
            self.draft.problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
        }
    }

    fn lower_loop(&mut self, of: &Loop) -> Option<SequenceEntry> {
        if !self.draft.loop_ids.insert(of.id.clone()) {
            self.draft.problems.report_twice(&of.at.field("loopId"), "loop", &of.id);
            return None;
        }
        let scope = FunctionScope::Loop { loop_id: of.id.clone() };
        self.draft.functions.declare(&of.functions, &scope, self.draft.problems);
        self.check_while(of);
        // The body sees the loop as its innermost one: for the scope of functions and for decisions.
        self.draft.around.push(of.id.clone());
        let body = self.body(&of.body);
        self.draft.around.pop();
        self.check_decision(of, &body);
        let compiled = CompiledLoop {
            loop_id: of.id.clone(),
            title: of.title.as_ref().map(|title| title.as_str().to_owned()),
            condition_id: of.condition.clone(),
            max_iterations: of.turns_max,
            body,
            run_condition: None,
            variables: None,
        };
        self.draft.loops.insert(of.id.clone(), compiled);
        Some(SequenceEntry::Loop { loop_id: of.id.clone() })
    }

    /// Checks that the condition of a loop exists and is about this loop.
    fn check_while(&mut self, of: &Loop) {
        // A condition counts as used even if it is wrong, so that `check_conditions` does not report it
        // again.
        self.conditions_used.insert(of.condition.clone());
        let at = of.at.field("while").field("conditionId");
        match self.conditions.get(&of.condition) {
            Some(loop_id) if *loop_id == of.id => {}
            Some(other) => {
                let reason =
                    format!("the condition `{}` is about the loop `{other}`", of.condition);
                let fix = format!("declare a condition about `{}`", of.id);
                self.draft.problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
            }
            // A condition that could not be read may be the one that is meant.
            None if self.draft.problems.any_within(&Pointer::root().field("conditions")) => {}
            None => {
                let reason = format!("there is no condition `{}`", of.condition);
                let fix = "declare it in `conditions`, with kind `loop_control`";
                self.draft.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            }
        }
    }

    /// Checks that exactly one step of the body, not counting nested loops, decides whether the loop
    /// continues.
    fn check_decision(&mut self, of: &Loop, body: &[SequenceEntry]) {
        let at = of.at.field("body");
        // A step that could not be read may be the decision.
        if self.draft.problems.any_within(&at) {
            return;
        }
        let decisions = self.draft.decisions(body);
        if decisions != 1 {
            self.draft.problems.report_decisions(&at, decisions);
        }
    }

    /// Adds the conditions, which must have distinct ids and be about loops that exist.
    fn check_conditions(&mut self, conditions: &[Condition]) {
        let mut seen = BTreeSet::new();
        for Condition { at, id, loop_id } in conditions {
            if !seen.insert(id) {
                self.draft.problems.report_twice(&at.field("conditionId"), "condition", id);
            }
            // A loop that uses the condition has already reported that it is about another one.
            let reported = self.steps_incomplete || self.conditions_used.contains(id);
            if !self.draft.loop_ids.contains(loop_id) && !reported {
                let reason = format!("there is no loop `{loop_id}`");
                let fix = "name a loop of this workflow";
                let at = at.field("loopId");
                self.draft.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            }
        }
        for (condition_id, loop_id) in &self.conditions {
            if !self.conditions_used.contains(condition_id) {
                self.draft.warn(WarningCode::UnusedCondition, condition_id.as_str());
            }
            let condition = CompiledCondition::LoopControl {
                condition_id: condition_id.clone(),
                loop_id: loop_id.clone(),
            };
            self.draft.conditions.insert(condition_id.clone(), condition);
        }
    }
}
