//! Lowers one step, in either dialect.

use std::collections::BTreeSet;

use piton_core::byte_len;

use super::draft::Draft;
use super::function::{FunctionKey, FunctionScope, displayed, scopes};
use super::lint::lint;
use super::prompt::{
    CompiledBlocks, around_prompt, assessments_section, contract_section, criteria_section,
    render_blocks, resolve, text_digest,
};
use super::sequence::SequenceEntry;
use super::step::{
    Addition, Assessment, CompiledStep, Confirmation, Fragment, OutputContract, StepProvenance,
};
use super::strict::delegation;
use super::warning::WarningCode;
use crate::bounds::{FUNCTIONS_BYTES_MAX, STATIC_PROMPT_BYTES_MAX};
use crate::contract::criteria::Criterion;
use crate::contract::{BuiltinContract, ContractDefinition, Presence};
use crate::source::{Dialect, FunctionReference, ProblemCode, Prompt, Task, TaskContent};

/// Returns a confirmation in the form of a compiled step: whether someone is always asked, and the remaining
/// details.
pub(super) fn confirmed(asked: Option<&Confirmation>) -> (bool, Option<Confirmation>) {
    let always = asked.is_some_and(|asked| asked.when.is_none());
    (always, asked.filter(|asked| **asked != Confirmation::default()).cloned())
}

impl<'a> Draft<'a> {
    /// Takes the id of a step. The second of two equal ids is reported and left out, so that what follows can
    /// rely on ids being unique.
    pub(super) fn take_id(&mut self, task: &Task) -> bool {
        let first = self.step_ids.insert(task.id.clone());
        if !first {
            self.problems.report_twice(&task.at.field("id"), "step", &task.id);
        }
        first
    }

    /// Lowers one step and nothing else.
    pub(super) fn task(
        &mut self,
        task: &Task,
        provenance: StepProvenance,
    ) -> Option<SequenceEntry> {
        if !self.take_id(task) {
            return None;
        }
        let (prompt_blocks, text) = self.text(task);
        let functions = self.functions_of(task, &text);
        let contract = self.contract(task);
        let assessments = self.assessments(task);
        let criteria = self.criteria(task);
        let mut prompt = match self.dialect {
            Dialect::Strict => {
                // Only the author's words are linted, before anything is appended.
                for code in delegation::lint(&text) {
                    self.warn(code, task.id.as_str());
                }
                text
            }
            Dialect::Classic => around_prompt(task, &text, self.meta_guidance),
        };
        let additions = self.add_feature_texts(task, &mut prompt);
        prompt.push_str(&assessments_section(&assessments, &task.consequences));
        prompt.push_str(&self.requirements(task, contract.as_ref(), &criteria));
        if let Some(need) = &task.needs_user {
            prompt.push_str(&need.section());
        }
        if let Some(access) = &task.access {
            prompt.push_str(&access.section());
        }
        // Only the classic dialect fills in values later.
        if self.dialect == Dialect::Classic {
            self.check_prompt(task, &prompt);
        }
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
            probe: task.probe.clone(),
            provenance,
            needs_user: task.needs_user.clone(),
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

    fn text(&mut self, task: &Task) -> (Option<CompiledBlocks>, String) {
        match &task.content {
            TaskContent::Prompt(Prompt::Text(text)) => (None, text.clone()),
            TaskContent::Prompt(Prompt::Blocks(blocks)) => {
                let blocks = resolve(blocks, &task.at, self.definitions, self.problems);
                let text = render_blocks(&blocks);
                (Some(blocks), text)
            }
            TaskContent::Call(_) => (None, String::new()),
        }
    }

    /// Appends the texts of features to `prompt`. Those of the strict dialect are about notes, and would only
    /// confuse in a step that needs none.
    fn add_feature_texts(&self, task: &Task, prompt: &mut String) -> Vec<Addition> {
        let needs_notes = !task.notes_optional && task.contract.is_none();
        let wanted = self.dialect == Dialect::Classic || needs_notes;
        let mut additions = Vec::new();
        for (feature_id, text) in self.additions.iter().filter(|_| wanted) {
            prompt.push_str(text);
            let (content_digest, bytes) = (text_digest(text), byte_len(text));
            additions.push(Addition { feature_id: feature_id.clone(), content_digest, bytes });
        }
        additions
    }

    /// Returns the functions that a step refers to; in the classic dialect also those that it defines, calls or
    /// mentions.
    fn functions_of(&mut self, task: &Task, text: &str) -> Vec<FunctionKey> {
        let own = FunctionScope::Step { step_id: task.id.clone() };
        self.functions.declare(&task.functions, &own, self.problems);
        let scopes = scopes(own, &self.around);
        if self.dialect == Dialect::Strict {
            return self.functions.referenced(&task.function_references, &scopes, self.problems);
        }
        let calls = task.function_calls.iter().map(|call| call.reference.clone());
        let defined = task.functions.iter().map(|function| {
            let (at, name) = (function.at.clone(), function.name.clone());
            FunctionReference { at, name }
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
    fn contract(&mut self, task: &Task) -> Option<ContractDefinition> {
        let contract = task.contract.as_ref()?;
        let contract_ref = &contract.reference;
        let Some(definition) = self.definitions.contracts.get(contract_ref) else {
            let at = contract.at.field("contractRef");
            self.problems.report_no_contract(&at, contract_ref, self.definitions.contracts.keys());
            return None;
        };
        let mut definition = definition.clone();
        if self.dialect == Dialect::Classic && BuiltinContract::LoopControl.is(contract_ref) {
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
    fn assessments(&mut self, task: &Task) -> Vec<&'a Assessment> {
        let declared = self.assessments;
        let mut found = Vec::new();
        for (index, id) in task.assessment_refs.iter().enumerate() {
            let mut all = declared.iter().map(|(_, assessment)| assessment);
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

    /// Returns the criteria that count, and warns about weak ones. A contract replaces them altogether, in the
    /// prompt as in the check of the output.
    fn criteria(&mut self, task: &Task) -> Vec<Criterion> {
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
        task: &Task,
        contract: Option<&ContractDefinition>,
        criteria: &[Criterion],
    ) -> String {
        let Some(contract) = contract else {
            return criteria_section(criteria);
        };
        // Only a decision inside a loop has one loop that it must be about; elsewhere the artifact names it.
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
    fn check_prompt(&mut self, task: &Task, prompt: &str) {
        let fragment = |fragment: &Fragment| byte_len(&fragment.text);
        let fragments: usize = task.fragments.iter().map(fragment).sum();
        // Counted as if every fragment were shown and every function definition used: the worst case must
        // fit.
        let bytes = byte_len(&self.opening) + byte_len(prompt) + fragments + FUNCTIONS_BYTES_MAX;
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
