//! Templates: steps that many workflows need, in Piton's words.
//!
//! *Invariants*: a template gives its steps in a fixed order, and each the id `<call>--<step>`.

use serde_json::{Value, json};

use super::workflow::Probe;
use crate::capability::Capability;
use crate::contract::ContractPack;
use crate::name::{LoopId, StepId};
use crate::source::strict::{Prompt, Prose, Task};
use crate::source::{Object, Pointer, Problems, Read, TemplateId};

piton_core::closed_set! {
    /// A template that a workflow may call.
    pub enum Template {
        /// Finds out whether the agent has a capability. Takes `capability`.
        CapabilityProbe => "wr.templates.capability_probe",
        /// Compares the result with what was wanted.
        ClosingReview => "wr.templates.closing_review",
        /// Decides whether a loop turns once more. Takes `loopId`.
        LoopDecision => "wr.templates.loop_decision",
        /// Says what the run is for before the work begins.
        Orientation => "wr.templates.orientation",
    }
}

/// A step that a template gives.
pub(super) struct Expansion {
    pub(super) task: Task,
    pub(super) probe: Option<Probe>,
}

impl Template {
    /// Its name.
    pub fn template_id(self) -> TemplateId {
        self.as_str().parse().expect("the names of the templates are ids of templates")
    }

    /// The steps for a call `id` at `at` with `args`.
    pub(super) fn expand(
        self,
        id: &StepId,
        args: &Value,
        at: &Pointer,
        problems: &mut Problems,
    ) -> Option<Vec<Expansion>> {
        let args_at = at.field("args");
        let mut object = Object::open(args, &args_at, problems)?;
        let expansion = match self {
            Self::CapabilityProbe => {
                let capability: Option<Capability> = object.required("capability", problems);
                capability.map(|capability| probe(id, capability, at))
            }
            Self::LoopDecision => {
                let loop_id: Option<LoopId> = object.required("loopId", problems);
                loop_id.map(|loop_id| decision(id, &loop_id, at))
            }
            Self::ClosingReview => Some(closing_review(id, at)),
            Self::Orientation => Some(orientation(id, at)),
        };
        object.finish(problems);
        expansion?.map(|expansion| vec![expansion]).or_else(|| {
            // Both ids fit on their own and are too long when they are joined.
            let at = at.field("id");
            StepId::read(&json!(joined(id, self.step_name())), &at, problems);
            None
        })
    }

    const fn step_name(self) -> &'static str {
        match self {
            Self::CapabilityProbe => "probe",
            Self::ClosingReview => "review",
            Self::LoopDecision => "decide",
            Self::Orientation => "orient",
        }
    }
}

fn joined(call: &StepId, step: &str) -> String {
    format!("{call}--{step}")
}

fn probe(id: &StepId, capability: Capability, at: &Pointer) -> Option<Expansion> {
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
    let template = Template::CapabilityProbe;
    let contract = Some(ContractPack::CapabilityObservation);
    let task = task(template, id, title, prompt, contract, at)?;
    let probe = Probe { capability, template_id: template.template_id() };
    Some(Expansion { task, probe: Some(probe) })
}

fn decision(id: &StepId, loop_id: &LoopId, at: &Pointer) -> Option<Expansion> {
    let prompt = format!(
        "Decide whether the loop `{loop_id}` turns once more. Continue if another turn would change the \
         result; stop if it would not. Say in the summary what the decision rests on."
    );
    let (template, title) = (Template::LoopDecision, "Decide whether to go on");
    let task = task(template, id, title, prompt, Some(ContractPack::LoopControl), at)?;
    Some(Expansion { task, probe: None })
}

fn orientation(id: &StepId, at: &Pointer) -> Option<Expansion> {
    let prompt = "Before you begin, say in your own words what this run is to reach, what is already \
                  known, and what would show that it succeeded. Do not start the work itself.";
    let (template, title) = (Template::Orientation, "Find out what the run is for");
    let task = task(template, id, title, prompt.to_owned(), None, at)?;
    Some(Expansion { task, probe: None })
}

fn closing_review(id: &StepId, at: &Pointer) -> Option<Expansion> {
    let prompt = "Compare the result with what the run was to reach. Name what was reached and how that \
                  was checked, what was left out and why, and what the person should look at first.";
    let (template, title) = (Template::ClosingReview, "Review the result");
    let task = task(template, id, title, prompt.to_owned(), None, at)?;
    Some(Expansion { task, probe: None })
}

/// A step of a template; nothing if its id would be too long. With a contract it needs no notes.
fn task(
    template: Template,
    call: &StepId,
    title: &str,
    prompt: String,
    contract: Option<ContractPack>,
    at: &Pointer,
) -> Option<Task> {
    Some(Task {
        at: at.clone(),
        id: joined(call, template.step_name()).parse().ok()?,
        title: Prose::fixed(title),
        prompt: Prompt::Text(prompt),
        agent_role: None,
        require_confirmation: false,
        notes_optional: contract.is_some(),
        output_contract: contract.map(ContractPack::contract_ref),
        criteria: Vec::new(),
        functions: Vec::new(),
        function_references: Vec::new(),
    })
}
