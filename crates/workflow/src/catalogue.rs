//! Everything that an author may use from Piton by name, with the text to paste.
//!
//! [`catalogue`] returns a [`CatalogueEntry`] for each contract, feature, probe, text and template. Editors
//! complete from it, and the reference page is generated from it.
//!
//! *Invariants*: entries are made from the sets that the compiler itself uses, so there is no second list
//! that could differ. A match over the whole set selects a description, so a new entry does not compile without
//! one. The text to paste compiles at the place where it belongs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::capability::Capability;
use crate::compile::{Feature, Reference, StepTemplate};
use crate::contract::BuiltinContract;

piton_core::closed_set! {
    /// What an entry is.
    pub enum BuiltinKind {
        /// What a step must submit.
        Contract => "contract",
        /// What is switched on for a whole workflow.
        Feature => "feature",
        /// A capability that is tried out before the first step.
        Probe => "probe",
        /// A text that prompts take in.
        Ref => "ref",
        /// Steps in Piton's words.
        Template => "template",
    }
}

piton_core::closed_set! {
    /// Where the form of an entry is pasted.
    pub enum PastePoint {
        /// Its fields are fields of the workflow.
        Workflow => "workflow",
        /// It is an item of the workflow's `features`.
        Features => "features",
        /// It is an item of `steps`, or of the `body` of a loop.
        Steps => "steps",
        /// Its fields are fields of a step.
        Step => "step",
        /// It is a part of an item of `goal`, `constraints`, `procedure` or `verify`.
        PromptPart => "prompt_part",
    }
}

/// One thing that an author may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueEntry {
    /// Its name in workflow files.
    pub id: String,
    /// What it is.
    pub kind: BuiltinKind,
    /// Its name for people.
    pub label: String,
    /// What it does, in a sentence or two.
    pub description: String,
    /// What to paste.
    pub insert: Value,
    /// Where to paste it.
    pub place: PastePoint,
    /// What it brings: of a contract an artifact that keeps it, of a text the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
}

impl PastePoint {
    /// Returns the place in words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Workflow => "a field of the workflow",
            Self::Features => "an item of the workflow's `features`",
            Self::Steps => "an item of `steps`, or of the `body` of a loop",
            Self::Step => "a field of a step",
            Self::PromptPart => {
                "a part of an item of `goal`, `constraints`, `procedure` or `verify`"
            }
        }
    }
}

/// Returns every entry, by kind and by name.
pub fn catalogue() -> Vec<CatalogueEntry> {
    let contracts = BuiltinContract::ALL.iter().copied().map(contract);
    let features = Feature::ALL.iter().copied().map(feature);
    let probes = Capability::ALL.iter().copied().map(probe);
    let references = Reference::ALL.iter().copied().map(reference);
    let templates = StepTemplate::ALL.iter().copied().map(template);
    contracts.chain(features).chain(probes).chain(references).chain(templates).collect()
}

fn entry(
    kind: BuiltinKind,
    id: &str,
    description: &str,
    place: PastePoint,
    insert: Value,
) -> CatalogueEntry {
    let (id, label, description) = (id.to_owned(), label(id), description.to_owned());
    CatalogueEntry { id, kind, label, description, insert, place, content: None }
}

fn contract(contract: BuiltinContract) -> CatalogueEntry {
    let insert = json!({ "outputContract": { "contractRef": contract } });
    let content = Some(contract.definition().example);
    let entry = entry(
        BuiltinKind::Contract,
        contract.as_str(),
        describe_contract(contract),
        PastePoint::Step,
        insert,
    );
    CatalogueEntry { content, ..entry }
}

fn feature(feature: Feature) -> CatalogueEntry {
    let config = feature.default_config();
    let insert = if config.is_empty() {
        json!(feature)
    } else {
        json!({ "featureId": feature, "config": config })
    };
    entry(
        BuiltinKind::Feature,
        feature.as_str(),
        describe_feature(feature),
        PastePoint::Features,
        insert,
    )
}

fn probe(capability: Capability) -> CatalogueEntry {
    let insert = json!({ "capabilities": { capability.as_str(): "required" } });
    entry(
        BuiltinKind::Probe,
        capability.as_str(),
        describe_probe(capability),
        PastePoint::Workflow,
        insert,
    )
}

fn reference(reference: Reference) -> CatalogueEntry {
    let insert = json!({ "kind": "ref", "refId": reference });
    let content = Some(json!(reference.text()));
    let entry = entry(
        BuiltinKind::Ref,
        reference.as_str(),
        describe_reference(reference),
        PastePoint::PromptPart,
        insert,
    );
    CatalogueEntry { content, ..entry }
}

fn template(template: StepTemplate) -> CatalogueEntry {
    let (id, args) = match template {
        StepTemplate::CapabilityProbe => ("try_delegation", json!({ "capability": "delegation" })),
        StepTemplate::ClosingReview => ("closing", json!({})),
        StepTemplate::Delegation => {
            let task = json!({
                "name": "reader",
                "routine": "What the subagent does, and in which form it answers.",
                "params": "what it needs to know from this run",
                "description": "What it is for, in a few words",
            });
            ("delegated", json!({ "tasks": [task] }))
        }
        StepTemplate::LoopDecision => ("again", json!({ "loopId": "rounds" })),
        StepTemplate::Orientation => ("opening", json!({})),
    };
    let insert = json!({ "type": "template_call", "id": id, "templateId": template, "args": args });
    entry(
        BuiltinKind::Template,
        template.as_str(),
        describe_template(template),
        PastePoint::Steps,
        insert,
    )
}

/// Returns the last part of an id as words: `Review verdict` for `wr.contracts.review_verdict`.
pub(super) fn label(id: &str) -> String {
    let name = id.rsplit('.').next().unwrap_or(id).replace('_', " ");
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

const fn describe_contract(described: BuiltinContract) -> &'static str {
    match described {
        BuiltinContract::Assessment => {
            "A rating along dimensions that the prompt names, each with a level and a reason."
        }
        BuiltinContract::CapabilityObservation => "The result of trying out a capability.",
        BuiltinContract::CodingHandoff => {
            "What a coder leaves for who comes next: decisions, limitations, tests, files."
        }
        BuiltinContract::CoordinatorSignal => {
            "News for whoever coordinates several runs: progress, a finding, a need, a block."
        }
        BuiltinContract::DifferentiationHandoff => {
            "What sets an idea apart, with the shape that follows from it."
        }
        BuiltinContract::DiscoveryHandoff => {
            "The direction that was found: what it is, what it stands on, where it is written down."
        }
        BuiltinContract::Divergence => "The way of the workflow was left on purpose, and why.",
        BuiltinContract::GateVerdict => {
            "Whether a gate opens: approved, rejected or uncertain, with reasons."
        }
        BuiltinContract::LoopControl => {
            "Whether a loop turns once more. Exactly one step of the body of a loop has it."
        }
        BuiltinContract::ReviewVerdict => {
            "What a review came to: clean, minor or blocking, with findings by severity."
        }
        BuiltinContract::ShapingHandoff => {
            "The shape that was chosen for a piece of work, with its limits, for who builds it."
        }
    }
}

const fn describe_feature(described: Feature) -> &'static str {
    match described {
        Feature::Capabilities => {
            "Tries out capabilities before the first step: the required ones, or the preferred ones as \
             well. It is on by itself where a capability is required."
        }
        Feature::ClosingReview => "Adds a last step that compares the result with what was wanted.",
        Feature::NotesDiscipline => {
            "Says in the prompt of every step that must have notes what good notes hold, and how long \
             they are."
        }
        Feature::Orientation => "Adds a first step that asks what the run is for.",
    }
}

const fn describe_probe(described: Capability) -> &'static str {
    match described {
        Capability::Delegation => {
            "The run needs an agent that can hand work to other agents, and a first step finds out."
        }
        Capability::WebBrowsing => {
            "The run needs an agent that can read the web, and a first step finds out."
        }
    }
}

const fn describe_reference(described: Reference) -> &'static str {
    match described {
        Reference::AdversarialChallenge => "How to challenge a result before it is accepted.",
        Reference::AdversarialChallengeRules => "By which rules a result is challenged.",
        Reference::AppendOnlyRecord => {
            "That what is submitted is never changed, and how to correct it."
        }
        Reference::AutonomyLevels => "What the levels of autonomy mean for the run.",
        Reference::MemoryQuery => "How to ask a memory that outlives the run.",
        Reference::MemoryStore => "What to keep in a memory that outlives the run.",
        Reference::MemoryUsage => "What a memory that outlives the run is for.",
        Reference::NotesFirst => "Why notes matter, and what they hold.",
        Reference::NotesFirstDurability => "Why what must last stands in the notes.",
        Reference::ParallelThought => "Who thinks side by side, and who joins the results.",
        Reference::SynthesisUnderDisagreement => "How to join results that differ.",
    }
}

const fn describe_template(described: StepTemplate) -> &'static str {
    match described {
        StepTemplate::CapabilityProbe => {
            "A step that tries out one capability and reports what happened. Takes `capability`."
        }
        StepTemplate::ClosingReview => "A step that compares the result with what was wanted.",
        StepTemplate::Delegation => {
            "A step that has work done by subagents in parallel, and asks for a heading with the result \
             of each. Takes `tasks`, each with `name`, `routine`, `params` and `description`, and \
             perhaps an `executor`, the type of subagent."
        }
        StepTemplate::LoopDecision => {
            "A step that decides whether a loop turns once more. Takes `loopId`."
        }
        StepTemplate::Orientation => "A step that says what the run is for before the work begins.",
    }
}
