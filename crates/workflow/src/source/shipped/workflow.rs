//! The top level of a file in the shipped dialect.

use piton_core::BoundedText;
use serde_json::Value;

use super::step::ShippedStep;
use super::{Line, Name, Paragraph, function, strings};
use crate::bounds::{ABOUT_BYTES_MAX, BLOCK_ITEMS_MAX, DECLARATIONS_MAX, STEPS_MAX};
use crate::compile::{Assessment, Metadata};
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, Whole, text};
use crate::source::strict::{Function, Recommended, tags};
use crate::source::{DeclaredId, FeatureId, Pointer, SourceOrigin};

const METRICS_PROFILES: [&str; 6] = ["coding", "review", "research", "design", "ticket", "none"];

/// A whole file. Parts with problems are missing from it.
#[derive(Debug)]
pub(crate) struct ShippedWorkflow {
    pub(crate) id: Option<DeclaredId>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) metadata: Metadata,
    pub(crate) recommended: Recommended,
    pub(crate) preconditions: Vec<String>,
    pub(crate) clarification_prompts: Vec<String>,
    pub(crate) meta_guidance: Vec<String>,
    pub(crate) functions: Vec<Function>,
    pub(crate) features: Vec<(Pointer, FeatureId)>,
    pub(crate) assessments: Vec<(Pointer, Assessment)>,
    pub(crate) references: Vec<FileReference>,
    pub(crate) steps: Vec<ShippedStep>,
    /// Fields that are present and have no meaning.
    pub(crate) without_effect: Vec<&'static str>,
}

/// A file that agents should know about.
#[derive(Debug)]
pub(crate) struct FileReference {
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) purpose: String,
    pub(crate) authoritative: bool,
    pub(crate) from_package: bool,
}

impl ShippedWorkflow {
    /// Reads a file from `origin`.
    pub(crate) fn read(
        value: &Value,
        origin: &SourceOrigin,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, &Pointer::root(), problems)?;
        let id = DeclaredId::of(&mut object, origin, problems);
        let name = object.required::<Line>("name", problems);
        let description = object.required::<Paragraph>("description", problems);
        let mut texts = |name| strings(object.list::<Paragraph>(name, BLOCK_ITEMS_MAX, problems));
        let (preconditions, clarification_prompts) =
            (texts("preconditions"), texts("clarificationPrompts"));
        let meta_guidance = texts("metaGuidance");
        let recommended = object.optional("recommendedPreferences", problems);
        let _: Vec<TemplateSlot> = object.list("extensionPoints", DECLARATIONS_MAX, problems);
        let features =
            object.list_by("features", DECLARATIONS_MAX, problems, |value, at, problems| {
                Some((at.clone(), FeatureId::read(value, at, problems)?))
            });
        let assessments =
            object.list_by("assessments", DECLARATIONS_MAX, problems, |value, at, problems| {
                Some((at.clone(), Assessment::read(value, at, problems)?))
            });
        let workflow = Self {
            id,
            name: name.map(BoundedText::into_string),
            description: description.map(BoundedText::into_string),
            metadata: metadata(&mut object, problems),
            recommended: recommended.unwrap_or_default(),
            preconditions,
            clarification_prompts,
            meta_guidance,
            functions: object.list_by(
                "functionDefinitions",
                DECLARATIONS_MAX,
                problems,
                function::read,
            ),
            features,
            assessments,
            references: object.list("references", DECLARATIONS_MAX, problems),
            steps: object.filled_list("steps", STEPS_MAX, problems),
            without_effect: without_effect(&mut object, problems),
        };
        object.finish(problems);
        Some(workflow)
    }
}

fn metadata(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Metadata {
    let version = object.required::<Name>("version", problems).map(BoundedText::into_string);
    if let Some(version) = version.as_ref().filter(|version| !is_version(version)) {
        let reason = format!("`{version}` is not a version");
        let fix = "write three numbers, such as 1.0.0";
        problems.report(&object.at("version"), ProblemCode::InvalidId, reason, fix);
    }
    let about = object.optional::<BoundedText<ABOUT_BYTES_MAX>>("about", problems);
    Metadata {
        tags: tags(object, problems),
        version,
        about: about.map(BoundedText::into_string),
        examples: strings(object.list::<Line>("examples", BLOCK_ITEMS_MAX, problems)),
        model_tier: object.optional("modelTier", problems),
    }
}

/// True for three numbers, with anything after a `-` or `+`.
fn is_version(text: &str) -> bool {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3 && numbers.split('.').all(number)
}

/// Returns the fields that are accepted only because existing files have them.
fn without_effect(object: &mut ObjectReader<'_>, problems: &mut Problems) -> Vec<&'static str> {
    let mut found = Vec::new();
    if let Some(profile) = object.raw("metricsProfile") {
        found.push("metricsProfile");
        let at = object.at("metricsProfile");
        let profile = text(profile, &at, problems);
        if let Some(profile) = profile.filter(|profile| !METRICS_PROFILES.contains(profile)) {
            let reason = format!("`{profile}` is not a profile");
            let fix = format!("use one of: {}, or remove the field", METRICS_PROFILES.join(", "));
            problems.report(&at, ProblemCode::UnknownName, reason, fix);
        }
    }
    if let Some(version) = object.raw("validatedAgainstSpecVersion") {
        found.push("validatedAgainstSpecVersion");
        let at = object.at("validatedAgainstSpecVersion");
        Whole::<0, { u32::MAX }>::read(version, &at, problems);
    }
    found
}

/// A slot. Every use of it in the file is filled in before the file is read.
struct TemplateSlot;

impl FromSource for TemplateSlot {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        object.required::<Name>("slotId", problems);
        object.required::<Paragraph>("purpose", problems);
        object.required::<Paragraph>("default", problems);
        object.list::<Name>("acceptedKinds", DECLARATIONS_MAX, problems);
        object.finish(problems);
        Some(Self)
    }
}

impl FromSource for FileReference {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        object.required::<Name>("id", problems);
        let title = object.required::<Line>("title", problems);
        let source = object.required::<Paragraph>("source", problems);
        let purpose = object.required::<Paragraph>("purpose", problems);
        let authoritative = object.optional("authoritative", problems).unwrap_or(false);
        let from_package = match object.raw("resolveFrom").map(Value::as_str) {
            None | Some(Some("workspace")) => false,
            Some(Some("package")) => true,
            Some(_) => {
                let reason = "a reference is resolved from `workspace` or `package`";
                let fix = "write one of the two";
                problems.report(&object.at("resolveFrom"), ProblemCode::UnknownName, reason, fix);
                false
            }
        };
        object.finish(problems);
        Some(Self {
            title: title?.into_string(),
            source: source?.into_string(),
            purpose: purpose?.into_string(),
            authoritative,
            from_package,
        })
    }
}
