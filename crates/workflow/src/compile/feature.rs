//! Features: what an author switches on for a whole workflow.
//!
//! *Invariants*: features are applied in the order of their ids, whatever the order in the file, and each
//! once. Steps that they bring stand at fixed anchors, ordered by feature, by what brought them, and by an
//! ordinal. Every setting is part of the compiled workflow, with its default where the author gave none.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::template::{Expansion, probe};
use super::workflow::{CapabilityNeed, CompiledFeature, Setting};
use crate::capability::Capability;
use crate::source::strict::{FeatureUse, Prompt, Prose, Task, Workflow};
use crate::source::{FeatureId, Object, Pointer, ProblemCode, Problems, Read};

piton_core::closed_set! {
    /// A feature that a workflow may switch on.
    pub enum Feature {
        /// Tries out capabilities before the first step. On by itself where a capability is required.
        Capabilities => "wr.features.capabilities",
        /// Asks at the end whether the result is what was wanted.
        ClosingReview => "wr.features.closing_review",
        /// Says in the prompt of every step that must have notes what good notes hold.
        NotesDiscipline => "wr.features.notes_discipline",
        /// Asks before the first step what the run is for.
        Orientation => "wr.features.orientation",
    }
}

piton_core::closed_set! {
    /// Which capabilities are tried out.
    enum ProbeScope {
        /// The required ones.
        Required => "required",
        /// The preferred ones as well.
        RequiredAndPreferred => "required_and_preferred",
    }
}

/// Where a feature puts a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Anchor {
    Start,
    End,
}

/// A step that a feature brings.
pub(super) struct Injected {
    pub(super) anchor: Anchor,
    pub(super) feature: FeatureId,
    pub(super) origin: String,
    pub(super) ordinal: usize,
    pub(super) expansion: Expansion,
}

/// What the features of a workflow come to.
pub(super) struct Applied {
    pub(super) features: Vec<CompiledFeature>,
    /// Steps by anchor, in their order.
    pub(super) steps: Vec<Injected>,
    /// Texts for the end of every prompt whose step must have notes.
    pub(super) additions: Vec<(FeatureId, String)>,
}

const LINES_MIN: u32 = 10;
const LINES_MAX: u32 = 30;
const LINES_LIMIT: u32 = 500;

type Lines = crate::source::Whole<1, LINES_LIMIT>;

impl Feature {
    fn feature_id(self) -> FeatureId {
        self.as_str().parse().expect("the names of the features are ids of features")
    }

    /// Every setting of the feature.
    fn settings(self, config: &Value, at: &Pointer, problems: &mut Problems) -> Settings {
        let mut settings = Settings::new();
        let Some(mut object) = Object::open(config, at, problems) else {
            return settings;
        };
        match self {
            Self::Capabilities => {
                let scope = object.optional("probe", problems).unwrap_or(ProbeScope::Required);
                settings.insert("probe".into(), Setting::Name(scope.as_str().into()));
            }
            Self::NotesDiscipline => {
                let min =
                    object.optional::<Lines>("linesMin", problems).map_or(LINES_MIN, |min| min.0);
                let max =
                    object.optional::<Lines>("linesMax", problems).map_or(LINES_MAX, |max| max.0);
                if min > max {
                    let reason = format!("no notes have at least {min} and at most {max} lines");
                    problems.report(
                        at,
                        ProblemCode::OutOfRange,
                        reason,
                        "make `linesMin` the smaller one",
                    );
                }
                settings.insert("linesMin".into(), Setting::Number(min));
                settings.insert("linesMax".into(), Setting::Number(max));
            }
            Self::ClosingReview | Self::Orientation => {}
        }
        object.finish(problems);
        settings
    }
}

type Settings = BTreeMap<String, Setting>;

impl Read for ProbeScope {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let fix = "use required or required_and_preferred";
        crate::source::parsed(value, at, (ProblemCode::UnknownName, fix), problems)
    }
}

/// Applies the features of `workflow`.
pub(super) fn apply(workflow: &Workflow, problems: &mut Problems) -> Applied {
    let mut applied = Applied { features: Vec::new(), steps: Vec::new(), additions: Vec::new() };
    for (feature, config) in resolve(workflow, problems) {
        let id = feature.feature_id();
        match feature {
            Feature::Capabilities => {
                applied.steps.extend(probes(&id, &config, &workflow.capabilities));
            }
            Feature::ClosingReview => applied.steps.push(closing_review(&id)),
            Feature::NotesDiscipline => applied.additions.push((id.clone(), notes(&config))),
            Feature::Orientation => applied.steps.push(orientation(&id)),
        }
        applied.features.push(CompiledFeature { feature_id: id, config });
    }
    applied.steps.sort_by(|one, other| {
        let key = |step: &Injected| {
            (step.anchor, step.feature.clone(), step.origin.clone(), step.ordinal)
        };
        key(one).cmp(&key(other))
    });
    applied
}

/// Each feature once, by id.
fn resolve(workflow: &Workflow, problems: &mut Problems) -> BTreeMap<Feature, Settings> {
    let mut resolved: BTreeMap<Feature, Settings> = BTreeMap::new();
    for FeatureUse { at, id, config } in &workflow.features {
        let Ok(feature) = id.as_str().parse::<Feature>() else {
            let fix = format!("use one of: {}", Feature::NAMES.join(", "));
            let reason = format!("there is no feature `{id}`");
            problems.report(at, ProblemCode::UnresolvedReference, reason, fix);
            continue;
        };
        let config = config.clone().unwrap_or_else(|| json!({}));
        let settings = feature.settings(&config, &at.field("config"), problems);
        match resolved.get(&feature) {
            Some(other) if *other != settings => {
                let reason = format!("`{id}` is there twice, with different settings");
                problems.report(at, ProblemCode::DuplicateId, reason, "keep one of them");
            }
            _ => drop(resolved.insert(feature, settings)),
        }
    }
    let required = |need: &CapabilityNeed| *need == CapabilityNeed::Required;
    if workflow.capabilities.values().any(required) {
        resolved.entry(Feature::Capabilities).or_insert_with(|| {
            Feature::Capabilities.settings(&json!({}), &Pointer::root(), problems)
        });
    }
    resolved
}

fn probes(
    feature: &FeatureId,
    config: &Settings,
    capabilities: &BTreeMap<Capability, CapabilityNeed>,
) -> Vec<Injected> {
    let all = Setting::Name(ProbeScope::RequiredAndPreferred.as_str().into());
    let preferred_too = config.get("probe") == Some(&all);
    let tried = |need: &CapabilityNeed| match need {
        CapabilityNeed::Required => true,
        CapabilityNeed::Preferred => preferred_too,
        CapabilityNeed::Disabled => false,
    };
    let tried = capabilities.iter().filter(|(_, need)| tried(need));
    tried
        .enumerate()
        .map(|(ordinal, (capability, _))| {
            let call = format!("wr_capabilities--{capability}");
            let call = call.parse().expect("the names of capabilities are parts of ids");
            let at = Pointer::root().field("capabilities").field(capability.as_str());
            let expansion = probe(&call, *capability, &at).expect("the id is short");
            let origin = super::template::Template::CapabilityProbe.as_str().to_owned();
            Injected { anchor: Anchor::Start, feature: feature.clone(), origin, ordinal, expansion }
        })
        .collect()
}

fn orientation(feature: &FeatureId) -> Injected {
    let prompt = "Before you begin, say in your own words what this run is to reach, what is already \
                  known, and what would show that it succeeded. Do not start the work itself.";
    injected(Anchor::Start, feature, "wr_orientation", "Find out what the run is for", prompt)
}

fn closing_review(feature: &FeatureId) -> Injected {
    let prompt = "Compare the result with what the run was to reach. Name what was reached and how that was \
                  checked, what was left out and why, and what the person should look at first.";
    injected(Anchor::End, feature, "wr_closing_review", "Review the result", prompt)
}

fn injected(anchor: Anchor, feature: &FeatureId, id: &str, title: &str, prompt: &str) -> Injected {
    let task = Task {
        at: Pointer::root().field("features"),
        id: id.parse().expect("ids of Piton's own steps are valid"),
        title: Prose::fixed(title),
        prompt: Prompt::Text(prompt.to_owned()),
        agent_role: None,
        require_confirmation: false,
        notes_optional: false,
        output_contract: None,
        criteria: Vec::new(),
        functions: Vec::new(),
        function_references: Vec::new(),
    };
    let expansion = Expansion { task, probe: None };
    Injected { anchor, feature: feature.clone(), origin: id.to_owned(), ordinal: 0, expansion }
}

fn notes(config: &Settings) -> String {
    let lines = |name| match config.get(name) {
        Some(Setting::Number(lines)) => *lines,
        _ => LINES_MIN,
    };
    format!(
        "\n\n## Notes\nWrite notes of {} to {} lines in Markdown about this step only: what you did and \
         decided, what you made (files, paths, numbers), and which risks, questions and omissions remain.",
        lines("linesMin"),
        lines("linesMax")
    )
}
