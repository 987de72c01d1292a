//! Step templates: ready-made steps that many workflows need, in Piton's words.
//!
//! *Invariants*: the step of a template has the id `<call>--<step>`.

use serde_json::{Value, json};

use super::delegation::Delegation;
use crate::capability::Capability;
use crate::compile::step::Probe;
use crate::contract::BuiltinContract;
use crate::contract::criteria::Criterion;
use crate::name::{LoopId, StepId};
use crate::source::{
    ContractUse, FromSource, ObjectReader, Pointer, Problems, Prompt, Task, TemplateId,
};

piton_core::closed_set! {
    /// A template that a workflow may call.
    pub enum StepTemplate {
        /// Finds out whether the agent has a capability. Takes `capability`.
        CapabilityProbe => "wr.templates.capability_probe",
        /// Compares the result with what was wanted.
        ClosingReview => "wr.templates.closing_review",
        /// Has work done by subagents in parallel. Takes `tasks` and perhaps an `executor`.
        Delegation => "wr.templates.delegation",
        /// Decides whether a loop turns once more. Takes `loopId`.
        LoopDecision => "wr.templates.loop_decision",
        /// Says what the run is for before the work begins.
        Orientation => "wr.templates.orientation",
    }
}

impl StepTemplate {
    /// Returns the id of the template.
    pub fn template_id(self) -> TemplateId {
        self.as_str().parse().expect("the names of the templates are ids of templates")
    }

    /// Returns the step for a call `id` at `at` with `args`.
    pub(super) fn expand(
        self,
        id: &StepId,
        args: &Value,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Task> {
        let step_id = json!(format!("{id}--{}", self.step_name()));
        let step_id = StepId::read(&step_id, &at.field("id"), problems);
        let mut object = ObjectReader::open(args, &at.field("args"), problems)?;
        let content = match self {
            Self::CapabilityProbe => object.required("capability").map(probe),
            Self::ClosingReview => Some(closing_review()),
            Self::Delegation => Delegation::read(&mut object).map(|work| delegate(&work)),
            Self::LoopDecision => object.required("loopId").map(|id| decision(&id)),
            Self::Orientation => Some(orientation()),
        };
        object.finish();
        Some(content?.into_task(step_id?, at))
    }

    const fn step_name(self) -> &'static str {
        match self {
            Self::CapabilityProbe => "probe",
            Self::ClosingReview => "review",
            Self::Delegation => "delegate",
            Self::LoopDecision => "decide",
            Self::Orientation => "orient",
        }
    }
}

/// The content of a template's step.
struct TemplateContent {
    title: &'static str,
    prompt: String,
    contract: Option<BuiltinContract>,
    criteria: Vec<Criterion>,
    probe: Option<Probe>,
}

impl TemplateContent {
    /// Makes the step. With a contract it needs no notes.
    fn into_task(self, id: StepId, at: &Pointer) -> Task {
        let contract = self.contract.map(|contract| ContractUse {
            at: at.field("outputContract"),
            reference: contract.contract_ref(),
            required: true,
        });
        Task {
            notes_optional: contract.is_some(),
            contract,
            criteria: self.criteria,
            probe: self.probe,
            ..Task::new(at.clone(), id, self.title.to_owned(), Prompt::Text(self.prompt))
        }
    }

    fn prompt(title: &'static str, prompt: impl Into<String>) -> Self {
        let prompt = prompt.into();
        Self { title, prompt, contract: None, criteria: Vec::new(), probe: None }
    }
}

fn probe(capability: Capability) -> TemplateContent {
    let (title, attempt) = match capability {
        Capability::Delegation => (
            "Try to delegate",
            "Try to hand a trivial task to another agent: ask it to answer with the word `ready`.",
        ),
        Capability::WebBrowsing => (
            "Try to read the web",
            "Try to read one public web page, for example https://example.com.",
        ),
    };
    let prompt = format!(
        "{attempt} Try once, and report what happened, not what you expect. If there is no tool for it, \
         the failure code is `tool_missing`."
    );
    let template_id = StepTemplate::CapabilityProbe.template_id();
    TemplateContent {
        contract: Some(BuiltinContract::CapabilityObservation),
        probe: Some(Probe { capability, template_id }),
        ..TemplateContent::prompt(title, prompt)
    }
}

fn delegate(work: &Delegation) -> TemplateContent {
    let content = TemplateContent::prompt("Have subagents do it", work.prompt());
    TemplateContent { criteria: work.criteria(), ..content }
}

fn decision(loop_id: &LoopId) -> TemplateContent {
    let prompt = format!(
        "Decide whether the loop `{loop_id}` turns once more. Continue if another turn would change the \
         result; stop if it would not. Say in the summary what the decision rests on."
    );
    let content = TemplateContent::prompt("Decide whether to go on", prompt);
    TemplateContent { contract: Some(BuiltinContract::LoopControl), ..content }
}

fn orientation() -> TemplateContent {
    let prompt = "Before you begin, say in your own words what this run is to reach, what is already \
                  known, and what would show that it succeeded. Do not start the work itself.";
    TemplateContent::prompt("Find out what the run is for", prompt)
}

fn closing_review() -> TemplateContent {
    let prompt = "Compare the result with what the run was to reach. Name what was reached and how that \
                  was checked, what was left out and why, and what the person should look at first.";
    TemplateContent::prompt("Review the result", prompt)
}
