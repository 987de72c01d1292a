//! Lowers one step, with the steps that follow from it.

use std::collections::BTreeSet;

use piton_core::byte_len;

use super::derived::after;
use super::lower::{Lowering, authored};
use super::routine::{self, Expanded};
use super::wording;
use crate::bounds::{FUNCTIONS_BYTES_MAX, STATIC_PROMPT_BYTES_MAX};
use crate::compile::assessment::Assessment;
use crate::compile::confirmation::Confirmation;
use crate::compile::declared::{displayed, scopes};
use crate::compile::fragment::Fragment;
use crate::compile::function::{FunctionKey, FunctionScope};
use crate::compile::lint::lint;
use crate::compile::prompt::{
    CompiledBlocks, contract_section, criteria_section, render_blocks, resolve, text_digest,
};
use crate::compile::sequence::SequenceEntry;
use crate::compile::warning::WarningCode;
use crate::compile::workflow::{
    Addition, CompiledStep, OutputContract, ProvenanceSource, StepProvenance,
};
use crate::contract::criteria::Criterion;
use crate::contract::{BuiltinContract, ContractDefinition, Presence};
use crate::source::ProblemCode;
use crate::source::shipped::{ShippedContent, ShippedTask, TemplateCall};
use crate::source::strict::Prompt;

/// Returns a confirmation in the form of a compiled step: whether someone is always asked, and the remaining
/// details.
pub(super) fn confirmed(asked: Option<&Confirmation>) -> (bool, Option<Confirmation>) {
    let always = asked.is_some_and(|asked| asked.when.is_none());
    (always, asked.filter(|asked| **asked != Confirmation::default()).cloned())
}

impl<'a> Lowering<'a> {
    /// Returns the entries for an authored step: itself or the routine that it calls, and the steps that
    /// follow from it.
    pub(super) fn task(&mut self, task: &ShippedTask) -> Vec<SequenceEntry> {
        if task.has_validation {
            self.warn(WarningCode::NoEffect, format!("{}.hasValidation", task.id));
        }
        match &task.content {
            ShippedContent::Prompt(_) => self.with_derived(task, &authored(None)),
            ShippedContent::Call(call) => self.call(task, call),
        }
    }

    fn call(&mut self, task: &ShippedTask, call: &TemplateCall) -> Vec<SequenceEntry> {
        // The call has no step of its own, but its id is the prefix of the routine's, so it must be unique as
        // well.
        if !self.ids.insert(task.id.clone()) {
            self.twice(task);
            return Vec::new();
        }
        let expanded = routine::expand(task, call, self.catalog, self.problems);
        let Some(Expanded { tasks, unused }) = expanded else {
            return Vec::new();
        };
        for name in unused {
            self.warn(WarningCode::NoEffect, format!("{}.templateCall.args.{name}", task.id));
        }
        let origin_id = Some(call.routine.as_str().to_owned());
        let provenance = StepProvenance { source: ProvenanceSource::TemplateInjected, origin_id };
        tasks.iter().flat_map(|task| self.with_derived(task, &provenance)).collect()
    }

    fn with_derived(
        &mut self,
        task: &ShippedTask,
        provenance: &StepProvenance,
    ) -> Vec<SequenceEntry> {
        let mut entries: Vec<_> = self.single(task, provenance.clone()).into_iter().collect();
        for derived in after(task, self.problems) {
            entries.extend(self.single(&derived, authored(Some(&task.id))));
        }
        entries
    }

    fn twice(&mut self, task: &ShippedTask) {
        self.problems.report_twice(&task.at.field("id"), "step", &task.id);
    }

    /// Lowers one step and nothing else.
    pub(super) fn single(
        &mut self,
        task: &ShippedTask,
        provenance: StepProvenance,
    ) -> Option<SequenceEntry> {
        if !self.ids.insert(task.id.clone()) {
            self.twice(task);
            return None;
        }
        let (prompt_blocks, text) = self.text(task);
        let functions = self.functions_of(task, &text);
        let contract = self.contract(task);
        let assessments = self.assessments(task);
        let criteria = self.criteria(task);
        let mut prompt = wording::around(task, &text, &self.workflow.meta_guidance);
        let mut additions = Vec::new();
        for (feature_id, text) in &self.additions {
            prompt.push_str(text);
            let (content_digest, bytes) = (text_digest(text), byte_len(text));
            additions.push(Addition { feature_id: feature_id.clone(), content_digest, bytes });
        }
        prompt.push_str(&wording::assessments(&assessments, &task.consequences));
        prompt.push_str(&self.requirements(task, contract.as_ref(), &criteria));
        if let Some(access) = &task.access {
            prompt.push_str(&access.section());
        }
        self.check_prompt(task, &prompt);
        let (require_confirmation, confirmation) = confirmed(task.confirmation.as_ref());
        let output_contract = task.contract.as_ref().map(|contract| OutputContract {
            contract_ref: contract.reference.clone(),
            optional: !contract.required,
        });
        self.steps.push(CompiledStep {
            step_id: task.id.clone(),
            title: task.title.clone(),
            agent_role: task.agent_role.clone(),
            require_confirmation,
            notes_optional: task.notes_optional || self.notes_waived > 0,
            prompt_blocks,
            prompt,
            additions,
            output_contract,
            validation_criteria: criteria,
            functions,
            probe: None,
            provenance,
            needs_user: None,
            run_condition: task.run_condition.clone(),
            confirmation,
            fragments: task.fragments.clone(),
            assessment_refs: task.assessment_refs.clone(),
            consequences: task.consequences.clone(),
            model_tier: task.model_tier,
            access: task.access.clone(),
        });
        Some(SequenceEntry::Step { step_id: task.id.clone() })
    }

    fn text(&mut self, task: &ShippedTask) -> (Option<CompiledBlocks>, String) {
        match &task.content {
            ShippedContent::Prompt(Prompt::Text(text)) => (None, text.clone()),
            ShippedContent::Prompt(Prompt::Blocks(blocks)) => {
                let blocks = resolve(blocks, &task.at, self.catalog, self.problems);
                let text = render_blocks(&blocks);
                (Some(blocks), text)
            }
            ShippedContent::Call(_) => (None, String::new()),
        }
    }

    /// Returns the functions that a step defines, refers to, calls or mentions.
    fn functions_of(&mut self, task: &ShippedTask, text: &str) -> Vec<FunctionKey> {
        let own = FunctionScope::Step { step_id: task.id.clone() };
        self.functions.declare(&task.functions, &own, self.problems);
        let scopes = scopes(own, &self.around);
        let calls = task.function_calls.iter().map(|call| call.reference.clone());
        let defined = task.functions.iter().map(|function| {
            let (at, name) = (function.at.clone(), function.name.clone());
            crate::source::strict::FunctionReference { at, name }
        });
        let names: Vec<_> =
            task.function_references.iter().cloned().chain(calls).chain(defined).collect();
        let referenced = self.functions.referenced(&names, &scopes, self.problems);
        let fragments = task.fragments.iter().map(|fragment| fragment.text.as_str());
        let guidance = task.guidance.iter().map(String::as_str);
        let words: Vec<_> = [text].into_iter().chain(fragments).chain(guidance).collect();
        // A function that the text mentions counts as well, listed or not.
        let mentioned = self.functions.mentioned(&words.join("\n"), &scopes);
        let keys: BTreeSet<_> = referenced.into_iter().chain(mentioned).collect();
        displayed(keys, &scopes)
    }

    /// Returns the contract of a step and embeds it in the workflow.
    fn contract(&mut self, task: &ShippedTask) -> Option<ContractDefinition> {
        let contract = task.contract.as_ref()?;
        let contract_ref = &contract.reference;
        let Some(definition) = self.catalog.contracts.get(contract_ref) else {
            let at = contract.at.field("contractRef");
            self.problems.report_no_contract(&at, contract_ref, self.catalog.contracts.keys());
            return None;
        };
        let mut definition = definition.clone();
        if BuiltinContract::LoopControl.is(contract_ref) {
            // A step inside a loop decides about that loop, so it need not name it.
            let named = definition.fields.iter_mut().find(|field| field.name == "loopId");
            if let Some(field) = named {
                field.presence = Presence::Optional;
            }
        }
        self.contracts.insert(contract_ref.clone(), definition.clone());
        Some(definition)
    }

    /// Returns the assessments of a step, and checks that its consequences can occur.
    fn assessments(&mut self, task: &ShippedTask) -> Vec<&'a Assessment> {
        let workflow = self.workflow;
        let mut found = Vec::new();
        for (index, id) in task.assessment_refs.iter().enumerate() {
            let mut all = workflow.assessments.iter().map(|(_, assessment)| assessment);
            match all.find(|assessment| assessment.id == *id) {
                Some(assessment) => found.push(assessment),
                None if self.problems.any_in_field("assessments") => {}
                None => {
                    let reason = format!("there is no assessment `{id}`");
                    let fix = "declare it in `assessments` of the workflow";
                    let at = task.at.field("assessmentRefs").item(index);
                    self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
                }
            }
        }
        for (index, consequence) in task.consequences.iter().enumerate() {
            let about = |assessment: &&&'a Assessment| {
                let wanted = consequence.for_assessment.as_ref();
                wanted.is_none_or(|id| assessment.id == *id)
            };
            let mut dimensions = found.iter().filter(about).flat_map(|of| &of.dimensions);
            let level = &consequence.any_equals_level;
            // An assessment that could not be read or found may have the level, and that problem was already
            // reported.
            if dimensions.any(|dimension| dimension.level(level).is_some())
                || self.problems.any_in_field("assessments")
                || found.len() != task.assessment_refs.len()
            {
                continue;
            }
            let reason = format!("no dimension of the step's assessments has the level `{level}`");
            let fix = "name a level of an assessment in `assessmentRefs`";
            let at = task.at.field("assessmentConsequences").item(index).field("when");
            self.problems.report(&at, ProblemCode::UnresolvedReference, reason, fix);
        }
        // The engine checks assessments against the embedded contract, like any other artifact.
        if !found.is_empty() {
            let pack = BuiltinContract::Assessment;
            self.contracts.entry(pack.contract_ref()).or_insert_with(|| pack.definition());
        }
        found
    }

    /// Returns the criteria that count, and warns about weak ones.
    fn criteria(&mut self, task: &ShippedTask) -> Vec<Criterion> {
        if task.criteria.is_empty() {
            return Vec::new();
        }
        let subject = task.id.as_str();
        if task.contract.is_some() {
            self.warn(WarningCode::CriteriaIgnored, subject);
            return Vec::new();
        }
        self.warn(WarningCode::ContractPreferred, subject);
        for code in lint(&task.criteria) {
            self.warn(code, subject);
        }
        task.criteria.clone()
    }

    /// Renders the requirements on the output.
    fn requirements(
        &self,
        task: &ShippedTask,
        contract: Option<&ContractDefinition>,
        criteria: &[Criterion],
    ) -> String {
        let Some(contract) = contract else {
            return criteria_section(criteria);
        };
        let decides = BuiltinContract::LoopControl
            .is(&contract.contract_ref)
            .then(|| self.around.last())
            .flatten();
        let section = contract_section(contract, decides);
        let optional = task.contract.as_ref().is_some_and(|contract| !contract.required);
        let waived = if optional { "\n- The artifact may be left out." } else { "" };
        section + waived
    }

    /// Checks that the prompt leaves room for the values that are filled in later.
    fn check_prompt(&mut self, task: &ShippedTask, prompt: &str) {
        let fragment = |fragment: &Fragment| byte_len(&fragment.text);
        let fragments: usize = task.fragments.iter().map(fragment).sum();
        // Counted as if every fragment were shown and every function definition used: the worst case must
        // fit.
        let bytes = self.opening_bytes + byte_len(prompt) + fragments + FUNCTIONS_BYTES_MAX;
        if bytes > STATIC_PROMPT_BYTES_MAX {
            let reason = format!(
                "the prompt has up to {bytes} bytes with everything that is added to it, \
                 {STATIC_PROMPT_BYTES_MAX} are allowed"
            );
            let fix = "shorten what is said to every step, or split the step";
            self.problems.report(&task.at, ProblemCode::OverBudget, reason, fix);
        }
    }
}
