//! Features: additions that an author switches on for a whole workflow.
//!
//! *Invariants*: features are applied in the order of their ids, whatever the order in the file, and each
//! once. The steps that they add are at fixed anchors, ordered by feature, by template, and by an ordinal.
//! Every setting is part of the compiled workflow, with its default where the author gave none.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::step_template::StepTemplate;
use crate::bounds::NOTES_LINES_MAX;
use crate::capability::Capability;
use crate::compile::workflow::{CapabilityNeed, CompiledFeature, Setting};
use crate::name::StepId;
use crate::source::strict::{FeatureUse, StrictWorkflow};
use crate::source::{
    FeatureId, FromSource, ObjectReader, Pointer, ProblemCode, Problems, Whole, read_by_parsing,
};

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

/// The place where a feature adds a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Anchor {
    Start,
    End,
}

/// A template that a feature calls.
pub(super) struct Injection {
    pub(super) anchor: Anchor,
    pub(super) feature: FeatureId,
    pub(super) template: StepTemplate,
    /// The number of earlier calls of the same template by the same feature.
    pub(super) ordinal: usize,
    pub(super) call: StepId,
    pub(super) args: Value,
}

impl Injection {
    /// Returns the sort key: the anchor, then the feature, the template and the ordinal.
    fn key(&self) -> (Anchor, &FeatureId, &'static str, usize) {
        (self.anchor, &self.feature, self.template.as_str(), self.ordinal)
    }
}

/// The combined effect of a workflow's features.
pub(super) struct AppliedFeatures {
    pub(super) features: Vec<CompiledFeature>,
    /// Calls of templates by anchor, in order.
    pub(super) injections: Vec<Injection>,
    /// Texts for the end of the prompt of every step that requires notes.
    pub(super) additions: Vec<(FeatureId, String)>,
}

const LINES_MIN: u32 = 10;
const LINES_MAX: u32 = 30;

type FeatureLines = Whole<1, NOTES_LINES_MAX>;

impl Feature {
    fn feature_id(self) -> FeatureId {
        self.as_str().parse().expect("the names of the features are ids of features")
    }

    /// Returns every setting with its default.
    pub(crate) fn default_config(self) -> BTreeMap<String, Setting> {
        self.settings(&json!({}), &Pointer::root(), &mut Problems::default())
    }

    /// Reads every setting of the feature.
    fn settings(self, config: &Value, at: &Pointer, problems: &mut Problems) -> FeatureSettings {
        let mut settings = FeatureSettings::new();
        let Some(mut object) = ObjectReader::open(config, at, problems) else {
            return settings;
        };
        match self {
            Self::Capabilities => {
                let scope = object.optional("probe").unwrap_or(ProbeScope::Required);
                settings.insert("probe".into(), Setting::Name(scope.as_str().into()));
            }
            Self::NotesDiscipline => {
                let mut lines = |name, default| {
                    object.optional::<FeatureLines>(name).map_or(default, |lines| lines.0)
                };
                let (min, max) = (lines("linesMin", LINES_MIN), lines("linesMax", LINES_MAX));
                if min > max {
                    let reason = format!("no notes have at least {min} and at most {max} lines");
                    let fix = "make `linesMin` the smaller one";
                    object.problems.report(at, ProblemCode::OutOfRange, reason, fix);
                }
                settings.insert("linesMin".into(), Setting::Number(min));
                settings.insert("linesMax".into(), Setting::Number(max));
            }
            Self::ClosingReview | Self::Orientation => {}
        }
        object.finish();
        settings
    }
}

type FeatureSettings = BTreeMap<String, Setting>;

read_by_parsing!(UnknownName, "use required or required_and_preferred": ProbeScope);

/// Applies the features of `workflow`.
pub(super) fn apply(workflow: &StrictWorkflow, problems: &mut Problems) -> AppliedFeatures {
    let mut applied =
        AppliedFeatures { features: Vec::new(), injections: Vec::new(), additions: Vec::new() };
    for (feature, config) in resolve(workflow, problems) {
        let id = feature.feature_id();
        match feature {
            Feature::Capabilities => {
                applied.injections.extend(probes(&id, &config, &workflow.capabilities));
            }
            Feature::ClosingReview => {
                let (template, call) = (StepTemplate::ClosingReview, "wr_closing_review");
                applied.injections.push(single(Anchor::End, &id, template, call));
            }
            Feature::NotesDiscipline => applied.additions.push((id.clone(), notes(&config))),
            Feature::Orientation => {
                let (template, call) = (StepTemplate::Orientation, "wr_orientation");
                applied.injections.push(single(Anchor::Start, &id, template, call));
            }
        }
        applied.features.push(CompiledFeature { feature_id: id, config });
    }
    // Sorting makes the result independent of the file and of the order in which features were applied.
    applied.injections.sort_by(|one, other| one.key().cmp(&other.key()));
    applied
}

/// Returns each feature once, by id.
fn resolve(
    workflow: &StrictWorkflow,
    problems: &mut Problems,
) -> BTreeMap<Feature, FeatureSettings> {
    let mut resolved: BTreeMap<Feature, FeatureSettings> = BTreeMap::new();
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
            // Settings are compared with their defaults filled in, so naming a default is not a difference.
            Some(other) if *other != settings => {
                let reason = format!("`{id}` is there twice, with different settings");
                problems.report(at, ProblemCode::DuplicateId, reason, "keep one of them");
            }
            _ => drop(resolved.insert(feature, settings)),
        }
    }
    // Requiring a capability switches the probes on, unless the author has configured them already.
    let required = |need: &CapabilityNeed| *need == CapabilityNeed::Required;
    if workflow.capabilities.values().any(required) {
        resolved
            .entry(Feature::Capabilities)
            .or_insert_with(|| Feature::Capabilities.default_config());
    }
    resolved
}

fn probes(
    feature: &FeatureId,
    config: &FeatureSettings,
    capabilities: &BTreeMap<Capability, CapabilityNeed>,
) -> Vec<Injection> {
    let all = Setting::Name(ProbeScope::RequiredAndPreferred.as_str().into());
    let preferred_too = config.get("probe") == Some(&all);
    let tried = |need: &CapabilityNeed| match need {
        CapabilityNeed::Required => true,
        CapabilityNeed::Preferred => preferred_too,
        CapabilityNeed::Disabled => false,
    };
    let tried = capabilities.iter().filter(|(_, need)| tried(need));
    let template = StepTemplate::CapabilityProbe;
    let args =
        tried.map(|(capability, _)| (capability.as_str(), json!({ "capability": capability })));
    args.enumerate()
        .map(|(ordinal, (name, args))| Injection {
            anchor: Anchor::Start,
            feature: feature.clone(),
            template,
            ordinal,
            call: own_id(&format!("wr_capabilities--{name}")),
            args,
        })
        .collect()
}

/// Returns the call of a feature that adds a single step.
fn single(anchor: Anchor, feature: &FeatureId, template: StepTemplate, call: &str) -> Injection {
    let (feature, call, args) = (feature.clone(), own_id(call), json!({}));
    Injection { anchor, feature, template, ordinal: 0, call, args }
}

fn own_id(text: &str) -> StepId {
    text.parse().expect("ids of Piton's own steps are valid")
}

fn notes(config: &FeatureSettings) -> String {
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
