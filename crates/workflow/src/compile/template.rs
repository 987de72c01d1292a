//! Templates: steps that many workflows need, in Piton's words.
//!
//! *Invariants*: a template gives its steps in a fixed order, each with the id `<call>--<step>`.

use serde_json::{Value, json};

use super::delegation::Delegation;
use super::workflow::Probe;
use crate::capability::Capability;
use crate::contract::BuiltinContract;
use crate::contract::criteria::Criterion;
use crate::name::{LoopId, StepId};
use crate::source::strict::{Prompt, Prose, StrictTask};
use crate::source::{FromSource, ObjectReader, Pointer, Problems, TemplateId};

piton_core::closed_set! {
    /// A template that a workflow may call.
    pub enum Template {
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

/// A step that a template produces.
pub(super) struct Expansion {
    pub(super) task: StrictTask,
    pub(super) probe: Option<Probe>,
}

impl Template {
    /// Returns the id of the template.
    pub fn template_id(self) -> TemplateId {
        self.as_str().parse().expect("the names of the templates are ids of templates")
    }

    /// Returns the steps for a call `id` at `at` with `args`.
    pub(super) fn expand(
        self,
        id: &StepId,
        args: &Value,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Vec<Expansion>> {
        let step_id = json!(format!("{id}--{}", self.step_name()));
        let step_id = StepId::read(&step_id, &at.field("id"), problems);
        let mut object = ObjectReader::open(args, &at.field("args"), problems)?;
        let content = match self {
            Self::CapabilityProbe => object.required("capability", problems).map(probe),
            Self::ClosingReview => Some(closing_review()),
            Self::Delegation => Delegation::read(&mut object, problems).map(|work| delegate(&work)),
            Self::LoopDecision => object.required("loopId", problems).map(|id| decision(&id)),
            Self::Orientation => Some(orientation()),
        };
        object.finish(problems);
        Some(vec![content?.into_expansion(step_id?, at)])
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
    fn into_expansion(self, id: StepId, at: &Pointer) -> Expansion {
        let task = StrictTask {
            at: at.clone(),
            id,
            title: Prose::fixed(self.title),
            prompt: Prompt::Text(self.prompt),
            agent_role: None,
            require_confirmation: false,
            notes_optional: self.contract.is_some(),
            output_contract: self.contract.map(BuiltinContract::contract_ref),
            criteria: self.criteria,
            functions: Vec::new(),
            function_references: Vec::new(),
            needs_user: None,
            access: None,
        };
        Expansion { task, probe: self.probe }
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
    let template_id = Template::CapabilityProbe.template_id();
    TemplateContent {
        title,
        prompt,
        contract: Some(BuiltinContract::CapabilityObservation),
        criteria: Vec::new(),
        probe: Some(Probe { capability, template_id }),
    }
}

fn delegate(work: &Delegation) -> TemplateContent {
    let (title, prompt, criteria) = ("Have subagents do it", work.prompt(), work.criteria());
    TemplateContent { title, prompt, contract: None, criteria, probe: None }
}

fn decision(loop_id: &LoopId) -> TemplateContent {
    let prompt = format!(
        "Decide whether the loop `{loop_id}` turns once more. Continue if another turn would change the \
         result; stop if it would not. Say in the summary what the decision rests on."
    );
    let contract = Some(BuiltinContract::LoopControl);
    let title = "Decide whether to go on";
    TemplateContent { title, prompt, contract, criteria: Vec::new(), probe: None }
}

fn orientation() -> TemplateContent {
    let prompt = "Before you begin, say in your own words what this run is to reach, what is already \
                  known, and what would show that it succeeded. Do not start the work itself.";
    let title = "Find out what the run is for";
    TemplateContent {
        title,
        prompt: prompt.to_owned(),
        contract: None,
        criteria: Vec::new(),
        probe: None,
    }
}

fn closing_review() -> TemplateContent {
    let prompt = "Compare the result with what the run was to reach. Name what was reached and how that \
                  was checked, what was left out and why, and what the person should look at first.";
    let title = "Review the result";
    TemplateContent {
        title,
        prompt: prompt.to_owned(),
        contract: None,
        criteria: Vec::new(),
        probe: None,
    }
}
