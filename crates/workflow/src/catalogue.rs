//! Everything that an author may use from Piton by name, with the text to paste.
//!
//! [`catalogue`] returns a [`CatalogueEntry`] for each contract, feature, probe, text and template. Editors
//! complete from it, and the reference page is generated from it.
//!
//! *Invariants*: entries are made from the sets that the compiler itself uses, so there is no second list
//! that could differ. A match over the whole set selects a description, so a new entry does not compile without
//! one. The text to paste compiles at the place where it belongs.

use serde::Serialize;
use serde_json::{Value, json};

use crate::capability::Capability;
use crate::compile::{Feature, Reference, Template};
use crate::contract::BuiltinContract;

piton_core::closed_set! {
    /// What an entry is.
    pub enum BuiltinKind {
        /// What a step must hand in.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    let templates = Template::ALL.iter().copied().map(template);
    contracts.chain(features).chain(probes).chain(references).chain(templates).collect()
}

fn entry(
    kind: BuiltinKind,
    id: &str,
    of: &impl Describe,
    place: PastePoint,
    insert: Value,
) -> CatalogueEntry {
    let (id, label, description) = (id.to_owned(), label(id), of.description().to_owned());
    CatalogueEntry { id, kind, label, description, insert, place, content: None }
}

fn contract(pack: BuiltinContract) -> CatalogueEntry {
    let insert = json!({ "outputContract": { "contractRef": pack } });
    let content = Some(pack.definition().example);
    let entry = entry(BuiltinKind::Contract, pack.as_str(), &pack, PastePoint::Step, insert);
    CatalogueEntry { content, ..entry }
}

fn feature(feature: Feature) -> CatalogueEntry {
    let config = feature.default_config();
    let insert = if config.is_empty() {
        json!(feature)
    } else {
        json!({ "featureId": feature, "config": config })
    };
    entry(BuiltinKind::Feature, feature.as_str(), &feature, PastePoint::Features, insert)
}

fn probe(capability: Capability) -> CatalogueEntry {
    let insert = json!({ "capabilities": { capability.as_str(): "required" } });
    entry(BuiltinKind::Probe, capability.as_str(), &capability, PastePoint::Workflow, insert)
}

fn reference(reference: Reference) -> CatalogueEntry {
    let insert = json!({ "kind": "ref", "refId": reference });
    let content = Some(json!(reference.text()));
    let entry =
        entry(BuiltinKind::Ref, reference.as_str(), &reference, PastePoint::PromptPart, insert);
    CatalogueEntry { content, ..entry }
}

fn template(template: Template) -> CatalogueEntry {
    let (id, args) = match template {
        Template::CapabilityProbe => ("try_delegation", json!({ "capability": "delegation" })),
        Template::ClosingReview => ("closing", json!({})),
        Template::Delegation => {
            let task = json!({
                "name": "reader",
                "routine": "What the subagent does, and in which form it answers.",
                "params": "what it needs to know from this run",
                "description": "What it is for, in a few words",
            });
            ("delegated", json!({ "tasks": [task] }))
        }
        Template::LoopDecision => ("again", json!({ "loopId": "rounds" })),
        Template::Orientation => ("opening", json!({})),
    };
    let insert = json!({ "type": "template_call", "id": id, "templateId": template, "args": args });
    entry(BuiltinKind::Template, template.as_str(), &template, PastePoint::Steps, insert)
}

/// A description of one or two sentences.
pub(super) trait Describe {
    fn description(&self) -> &'static str;
}

/// Returns the last part of an id as words: `Review verdict` for `wr.contracts.review_verdict`.
pub(super) fn label(id: &str) -> String {
    let name = id.rsplit('.').next().unwrap_or(id).replace('_', " ");
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

impl Describe for BuiltinContract {
    fn description(&self) -> &'static str {
        match self {
            Self::Assessment => {
                "A rating along dimensions that the prompt names, each with a level and a reason."
            }
            Self::CapabilityObservation => "What came of trying out a capability.",
            Self::CodingHandoff => {
                "What a coder leaves for who comes next: decisions, limitations, tests, files."
            }
            Self::CoordinatorSignal => {
                "News for whoever coordinates several runs: progress, a finding, a need, a block."
            }
            Self::DifferentiationHandoff => {
                "What sets an idea apart, with the shape that follows from it."
            }
            Self::DiscoveryHandoff => {
                "The direction that was found: what it is, what it stands on, where it is written down."
            }
            Self::Divergence => "The way of the workflow was left on purpose, and why.",
            Self::GateVerdict => {
                "Whether a gate opens: approved, rejected or uncertain, with reasons."
            }
            Self::LoopControl => {
                "Whether a loop turns once more. Exactly one step of the body of a loop has it."
            }
            Self::ReviewVerdict => {
                "What a review came to: clean, minor or blocking, with findings by severity."
            }
            Self::ShapingHandoff => {
                "The shape that was chosen for a piece of work, with its limits, for who builds it."
            }
        }
    }
}

impl Describe for Feature {
    fn description(&self) -> &'static str {
        match self {
            Self::Capabilities => {
                "Tries out capabilities before the first step: the required ones, or the preferred ones as \
                 well. It is on by itself where a capability is required."
            }
            Self::ClosingReview => {
                "Adds a last step that compares the result with what was wanted."
            }
            Self::NotesDiscipline => {
                "Says in the prompt of every step that must have notes what good notes hold, and how long \
                 they are."
            }
            Self::Orientation => "Adds a first step that asks what the run is for.",
        }
    }
}

impl Describe for Capability {
    fn description(&self) -> &'static str {
        match self {
            Self::Delegation => {
                "The run needs an agent that can hand work to other agents, and a first step finds out."
            }
            Self::WebBrowsing => {
                "The run needs an agent that can read the web, and a first step finds out."
            }
        }
    }
}

impl Describe for Reference {
    fn description(&self) -> &'static str {
        match self {
            Self::AdversarialChallenge => "How to challenge a result before it is accepted.",
            Self::AdversarialChallengeRules => "By which rules a result is challenged.",
            Self::AppendOnlyRecord => {
                "That what is handed in is never changed, and how to correct it."
            }
            Self::AutonomyLevels => "What the levels of autonomy mean for the run.",
            Self::MemoryQuery => "How to ask a memory that outlives the run.",
            Self::MemoryStore => "What to keep in a memory that outlives the run.",
            Self::MemoryUsage => "What a memory that outlives the run is for.",
            Self::NotesFirst => "Why notes matter, and what they hold.",
            Self::NotesFirstDurability => "Why what must last stands in the notes.",
            Self::ParallelThought => "Who thinks side by side, and who joins the results.",
            Self::SynthesisUnderDisagreement => "How to join results that differ.",
        }
    }
}

impl Describe for Template {
    fn description(&self) -> &'static str {
        match self {
            Self::CapabilityProbe => {
                "A step that tries out one capability and reports what happened. Takes `capability`."
            }
            Self::ClosingReview => "A step that compares the result with what was wanted.",
            Self::Delegation => {
                "A step that has work done by subagents in parallel, and asks for a heading with the result \
                 of each. Takes `tasks`, each with `name`, `routine`, `params` and `description`, and \
                 perhaps an `executor`, the type of subagent."
            }
            Self::LoopDecision => {
                "A step that decides whether a loop turns once more. Takes `loopId`."
            }
            Self::Orientation => "A step that says what the run is for before the work begins.",
        }
    }
}
