//! Lowers the strict dialect to a compiled workflow.
//!
//! *Invariants*: authored steps keep their order. Names are resolved here, and every dangling one is
//! reported. A name is reported as missing only if the place that would declare it was read without problems,
//! so that one mistake is reported once.

mod repeated;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::declared::{Functions, scopes};
use super::definitions::Definitions;
use super::delegation;
use super::feature::{self, Anchor, AppliedFeatures, Injection};
use super::function::{FunctionKey, FunctionScope};
use super::lint::lint;
use super::metadata::Metadata;
use super::prompt::{contract_section, criteria_section, render_blocks, resolve, text_digest};
use super::sequence::{CompiledCondition, CompiledLoop, SequenceEntry};
use super::template::{Expansion, Template};
use super::warning::{CompiledWarning, WarningCode};
use super::workflow::{
    Addition, CompiledStep, CompiledWorkflow, OutputContract, Probe, ProvenanceSource,
    SCHEMA_VERSION, StepProvenance,
};
use crate::contract::{BuiltinContract, ContractDefinition};
use crate::name::{ConditionId, LoopId, StepId};
use crate::source::strict::{
    Condition, Prompt, Prose, StrictStep, StrictTask, StrictWorkflow, TemplateCall,
};
use crate::source::{ContractRef, DeclaredId, Dialect, FeatureId, Pointer, ProblemCode, Problems};

/// Lowers `workflow`. Returns `None` if it has no id; the result is valid only if there are no problems.
pub(super) fn lower(
    workflow: StrictWorkflow,
    catalog: &Definitions,
    problems: &mut Problems,
) -> Option<CompiledWorkflow> {
    // Features come first: they add steps and texts that the lowering of every step needs.
    let applied = feature::apply(&workflow, problems);
    let mut lowering = Lowering::new(catalog, problems, &workflow, &applied.additions);
    let sequence = lowering.sequence(&workflow, &applied);
    // These checks need the whole file: only now it is known which loops exist and what they use.
    lowering.check_conditions(&workflow.conditions);
    lowering.check_unused();
    lowering.check_size();
    let Lowering { steps, loops, functions, contracts, mut warnings, .. } = lowering;
    let id = workflow.id?;
    // An older id still compiles; the warning makes its author add a namespace.
    if let DeclaredId::Legacy { declared, .. } = &id {
        let (code, subject) = (WarningCode::LegacyWorkflowId, declared.clone());
        warnings.insert(CompiledWarning { code, subject });
    }
    Some(CompiledWorkflow {
        schema_version: SCHEMA_VERSION,
        dialect: Dialect::Strict,
        workflow_id: id.workflow_id().clone(),
        name: workflow.name.map(Prose::into_string),
        description: workflow.description.map(Prose::into_string),
        agent_role: workflow.agent_role.map(Prose::into_string),
        recommended_autonomy: workflow.recommended_autonomy,
        recommended_risk_policy: workflow.recommended_risk_policy,
        capabilities: workflow.capabilities,
        features: applied.features,
        contracts: contracts.into_values().collect(),
        steps,
        sequence,
        conditions: conditions(workflow.conditions),
        loops: loops.into_values().collect(),
        functions: functions.into_definitions(),
        compiled_warnings: warnings.into_iter().collect(),
        metadata: Metadata { tags: workflow.tags, ..Metadata::default() },
        opening: String::new(),
        assessments: Vec::new(),
    })
}

fn conditions(declared: Vec<Condition>) -> Vec<CompiledCondition> {
    // Sorted by id, so the order in the file does not change the hash.
    let by_id: BTreeMap<_, _> =
        declared.into_iter().map(|condition| (condition.id, condition.loop_id)).collect();
    let compiled =
        |(condition_id, loop_id)| CompiledCondition::LoopControl { condition_id, loop_id };
    by_id.into_iter().map(compiled).collect()
}

struct Lowering<'a> {
    catalog: &'a Definitions,
    problems: &'a mut Problems,
    additions: &'a [(FeatureId, String)],
    /// Set when some step could not be read, so that not every loop is known.
    steps_incomplete: bool,
    /// The conditions that the workflow declares, each with its loop.
    conditions: BTreeMap<ConditionId, LoopId>,
    conditions_used: BTreeSet<ConditionId>,
    /// The loops around the step that is being lowered, outermost first.
    around: Vec<LoopId>,
    steps: Vec<CompiledStep>,
    step_ids: BTreeSet<StepId>,
    loops: BTreeMap<LoopId, CompiledLoop>,
    loop_ids: BTreeSet<LoopId>,
    functions: Functions,
    contracts: BTreeMap<ContractRef, ContractDefinition>,
    warnings: BTreeSet<CompiledWarning>,
}

impl<'a> Lowering<'a> {
    fn new(
        catalog: &'a Definitions,
        problems: &'a mut Problems,
        workflow: &StrictWorkflow,
        additions: &'a [(FeatureId, String)],
    ) -> Self {
        let of_loop = |condition: &Condition| (condition.id.clone(), condition.loop_id.clone());
        // Asked now, before lowering adds problems of its own.
        let steps_incomplete = problems.any_within(&Pointer::root().field("steps"));
        let mut lowering = Self {
            catalog,
            problems,
            additions,
            steps_incomplete,
            conditions: workflow.conditions.iter().map(of_loop).collect(),
            conditions_used: BTreeSet::new(),
            around: Vec::new(),
            steps: Vec::new(),
            step_ids: BTreeSet::new(),
            loops: BTreeMap::new(),
            loop_ids: BTreeSet::new(),
            functions: Functions::default(),
            contracts: BTreeMap::new(),
            warnings: BTreeSet::new(),
        };
        let scope = FunctionScope::Workflow;
        lowering.functions.declare(&workflow.functions, &scope, lowering.problems);
        lowering
    }

    /// Lowers the whole workflow: the steps that features put first, the authored ones, the steps that
    /// features put last.
    fn sequence(
        &mut self,
        workflow: &StrictWorkflow,
        applied: &AppliedFeatures,
    ) -> Vec<SequenceEntry> {
        let mut sequence = self.injected(applied, Anchor::Start);
        sequence.extend(self.body(&workflow.steps));
        sequence.extend(self.injected(applied, Anchor::End));
        sequence
    }

    fn injected(&mut self, applied: &AppliedFeatures, anchor: Anchor) -> Vec<SequenceEntry> {
        let at = Pointer::root().field("features");
        let mut entries = Vec::new();
        for injection in applied.injections.iter().filter(|injection| injection.anchor == anchor) {
            let Injection { feature, template, call, args, .. } = injection;
            let source = ProvenanceSource::FeatureInjected;
            let provenance =
                StepProvenance { source, origin_id: Some(feature.as_str().to_owned()) };
            entries.extend(self.expand(*template, call, args, &at, &provenance));
        }
        entries
    }

    fn expand(
        &mut self,
        template: Template,
        call: &StepId,
        args: &Value,
        at: &Pointer,
        provenance: &StepProvenance,
    ) -> Vec<SequenceEntry> {
        let expansions = template.expand(call, args, at, self.problems).unwrap_or_default();
        let lower = |Expansion { task, probe }| self.task(&task, probe, provenance.clone());
        expansions.into_iter().filter_map(lower).collect()
    }

    fn body(&mut self, steps: &[StrictStep]) -> Vec<SequenceEntry> {
        let mut entries = Vec::new();
        for step in steps {
            match step {
                StrictStep::Task(task) => {
                    let authored =
                        StepProvenance { source: ProvenanceSource::Authored, origin_id: None };
                    entries.extend(self.task(task, None, authored));
                }
                StrictStep::Loop(of) => entries.extend(self.repeated(of)),
                StrictStep::Call(call) => entries.extend(self.call(call)),
            }
        }
        entries
    }

    fn call(&mut self, call: &TemplateCall) -> Vec<SequenceEntry> {
        let Ok(template) = call.template.as_str().parse::<Template>() else {
            let fix = format!("use one of: {}", Template::NAMES.join(", "));
            let reason = format!("there is no template `{}`", call.template);
            let at = call.at.field("templateId");
            self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
            return Vec::new();
        };
        let none = json!({});
        let args = call.args.as_ref().unwrap_or(&none);
        self.check_loop_of(template, args, &call.at);
        let origin_id = Some(call.template.as_str().to_owned());
        let provenance = StepProvenance { source: ProvenanceSource::TemplateInjected, origin_id };
        self.expand(template, &call.id, args, &call.at, &provenance)
    }

    /// Checks that a decision inside a loop is about that loop; one before a loop may be about any.
    fn check_loop_of(&mut self, template: Template, args: &Value, at: &Pointer) {
        let (Some(around), Some(named)) = (self.around.last(), args.get("loopId")) else {
            return;
        };
        if template == Template::LoopDecision && named.as_str() != Some(around.as_str()) {
            let reason = format!("the step decides about the loop that it is in, `{around}`");
            let at = at.field("args").field("loopId");
            let fix = format!("write `{around}`");
            self.problems.report(&at, ProblemCode::LoopWithoutControl, reason, fix);
        }
    }

    fn task(
        &mut self,
        task: &StrictTask,
        probe: Option<Probe>,
        provenance: StepProvenance,
    ) -> Option<SequenceEntry> {
        // The second of two equal ids is left out, so that what follows can rely on ids being unique.
        if !self.step_ids.insert(task.id.clone()) {
            self.problems.report_twice(&task.at.field("id"), "step", &task.id);
            return None;
        }
        let scope = FunctionScope::Step { step_id: task.id.clone() };
        self.functions.declare(&task.functions, &scope, self.problems);
        let functions = self.referenced(task, scope);
        let contract = self.contract(task);
        let criteria = self.criteria(task);
        let (prompt_blocks, mut prompt) = match &task.prompt {
            Prompt::Text(text) => (None, text.clone()),
            Prompt::Blocks(blocks) => {
                let blocks = resolve(blocks, &task.at, self.catalog, self.problems);
                let text = render_blocks(&blocks);
                (Some(blocks), text)
            }
        };
        // Only the author's words are linted, before anything is appended.
        self.warn(task, delegation::lint(&prompt));
        let mut additions = Vec::new();
        // A feature's text about notes would only confuse in a step that needs none.
        let needs_notes = !task.notes_optional && task.output_contract.is_none();
        for (feature_id, text) in self.additions.iter().filter(|_| needs_notes) {
            prompt.push_str(text);
            let (content_digest, bytes) = (text_digest(text), piton_core::byte_len(text));
            additions.push(Addition { feature_id: feature_id.clone(), content_digest, bytes });
        }
        // A contract replaces the criteria altogether, in the prompt as in the check of the output.
        match &contract {
            Some(contract) => {
                // Only a decision inside a loop has one loop that it must be about; elsewhere the artifact
                // names it.
                let decides = BuiltinContract::LoopControl
                    .is(&contract.contract_ref)
                    .then(|| self.around.last())
                    .flatten();
                prompt.push_str(&contract_section(contract, decides));
            }
            None => prompt.push_str(&criteria_section(&criteria)),
        }
        if let Some(need) = &task.needs_user {
            prompt.push_str(&need.section());
        }
        if let Some(access) = &task.access {
            prompt.push_str(&access.section());
        }
        let contract_ref = task.output_contract.clone();
        self.steps.push(CompiledStep {
            step_id: task.id.clone(),
            title: task.title.as_str().to_owned(),
            agent_role: task.agent_role.as_ref().map(|role| role.as_str().to_owned()),
            require_confirmation: task.require_confirmation,
            notes_optional: task.notes_optional,
            prompt_blocks,
            prompt,
            additions,
            output_contract: contract_ref
                .map(|contract_ref| OutputContract { contract_ref, optional: false }),
            validation_criteria: criteria,
            functions,
            probe,
            provenance,
            needs_user: task.needs_user.clone(),
            run_condition: None,
            confirmation: None,
            fragments: Vec::new(),
            assessment_refs: Vec::new(),
            consequences: Vec::new(),
            model_tier: None,
            access: task.access.clone(),
        });
        Some(SequenceEntry::Step { step_id: task.id.clone() })
    }

    /// Returns the contract of a step and embeds it in the workflow.
    fn contract(&mut self, task: &StrictTask) -> Option<ContractDefinition> {
        let contract_ref = task.output_contract.as_ref()?;
        let Some(definition) = self.catalog.contracts.get(contract_ref) else {
            let at = task.at.field("outputContract").field("contractRef");
            self.problems.report_no_contract(&at, contract_ref, self.catalog.contracts.keys());
            return None;
        };
        self.contracts.insert(contract_ref.clone(), definition.clone());
        Some(definition.clone())
    }

    /// Returns the criteria that count, and warns about weak ones.
    fn criteria(&mut self, task: &StrictTask) -> Vec<crate::contract::criteria::Criterion> {
        if task.criteria.is_empty() {
            return Vec::new();
        }
        if task.output_contract.is_some() {
            self.warn(task, [WarningCode::CriteriaIgnored]);
            return Vec::new();
        }
        self.warn(task, [WarningCode::ContractPreferred]);
        self.warn(task, lint(&task.criteria));
        task.criteria.clone()
    }

    fn warn(&mut self, task: &StrictTask, codes: impl IntoIterator<Item = WarningCode>) {
        let about = |code| CompiledWarning { code, subject: task.id.as_str().to_owned() };
        self.warnings.extend(codes.into_iter().map(about));
    }

    /// Returns the functions that a step refers to.
    fn referenced(&mut self, task: &StrictTask, scope: FunctionScope) -> Vec<FunctionKey> {
        let scopes = scopes(scope, &self.around);
        self.functions.referenced(&task.function_references, &scopes, self.problems)
    }

    fn check_unused(&mut self) {
        let unused = self.conditions.keys().filter(|id| !self.conditions_used.contains(*id));
        let conditions = unused.map(|id| (WarningCode::UnusedCondition, id.as_str().to_owned()));
        let functions = self.functions.unused();
        let functions =
            functions.map(|name| (WarningCode::UnusedFunction, name.as_str().to_owned()));
        let warning = |(code, subject)| CompiledWarning { code, subject };
        self.warnings.extend(conditions.chain(functions).map(warning));
    }

    fn check_size(&mut self) {
        self.problems.check_steps(self.steps.len());
    }
}
