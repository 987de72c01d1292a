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
        /// Decides whether a loop turns once more. Takes `loopId`.
        LoopDecision => "wr.templates.loop_decision",
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
            Self::LoopDecision => "decide",
        }
    }
}

fn joined(call: &StepId, step: &str) -> String {
    format!("{call}--{step}")
}

/// The step that tries out `capability`; nothing if its id would be too long.
pub(super) fn probe(id: &StepId, capability: Capability, at: &Pointer) -> Option<Expansion> {
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
    let step = Template::CapabilityProbe.step_name();
    let contract = ContractPack::CapabilityObservation;
    let task = task(id, step, title, prompt, contract, at)?;
    let template_id = Template::CapabilityProbe.template_id();
    Some(Expansion { task, probe: Some(Probe { capability, template_id }) })
}

fn decision(id: &StepId, loop_id: &LoopId, at: &Pointer) -> Option<Expansion> {
    let prompt = format!(
        "Decide whether the loop `{loop_id}` turns once more. Continue if another turn would change the \
         result; stop if it would not. Say in the summary what the decision rests on."
    );
    let step = Template::LoopDecision.step_name();
    let title = "Decide whether to go on";
    let task = task(id, step, title, prompt, ContractPack::LoopControl, at)?;
    Some(Expansion { task, probe: None })
}

fn task(
    call: &StepId,
    step: &str,
    title: &str,
    prompt: String,
    contract: ContractPack,
    at: &Pointer,
) -> Option<Task> {
    Some(Task {
        at: at.clone(),
        id: joined(call, step).parse().ok()?,
        title: Prose::fixed(title),
        prompt: Prompt::Text(prompt),
        agent_role: None,
        require_confirmation: false,
        notes_optional: true,
        output_contract: Some(contract.contract_ref()),
        criteria: Vec::new(),
        functions: Vec::new(),
        function_references: Vec::new(),
    })
}
