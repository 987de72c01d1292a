//! The top level of a file in the classic dialect.

use piton_core::BoundedText;
use serde_json::Value;

use super::step::ClassicStep;
use super::{Line, Name, Paragraph, strings};
use crate::bounds::{ABOUT_BYTES_MAX, BLOCK_ITEMS_MAX, DECLARATIONS_MAX, STEPS_MAX};
use crate::compile::{Assessment, Metadata};
use crate::source::function::Function;
use crate::source::problem::{ProblemCode, Problems};
use crate::source::read::{FromSource, ObjectReader, Whole};
use crate::source::strict::{Recommended, tags};
use crate::source::{DeclaredId, Dialect, FeatureId, Pointer, SourceOrigin, function};

const METRICS_PROFILES: [&str; 6] = ["coding", "review", "research", "design", "ticket", "none"];

/// A whole file. Parts with problems are missing from it.
#[derive(Debug)]
pub(crate) struct ClassicWorkflow {
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
    pub(crate) steps: Vec<ClassicStep>,
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

impl ClassicWorkflow {
    /// Reads a file from `origin`.
    pub(crate) fn read(
        value: &Value,
        origin: &SourceOrigin,
        problems: &mut Problems,
    ) -> Option<Self> {
        let mut object = ObjectReader::open(value, &Pointer::root(), problems)?;
        object.schema_address();
        let id = DeclaredId::of(&mut object, origin);
        let name = object.required::<Line>("name");
        let description = object.required::<Paragraph>("description");
        let mut texts = |name| strings(object.list::<Paragraph>(name, BLOCK_ITEMS_MAX));
        let (preconditions, clarification_prompts) =
            (texts("preconditions"), texts("clarificationPrompts"));
        let meta_guidance = texts("metaGuidance");
        let recommended = object.optional("recommendedPreferences");
        let _: Vec<TemplateSlot> = object.list("extensionPoints", DECLARATIONS_MAX);
        let features = object.list_by("features", DECLARATIONS_MAX, |value, at, problems| {
            Some((at.clone(), FeatureId::read(value, at, problems)?))
        });
        let assessments = object.list_by("assessments", DECLARATIONS_MAX, |value, at, problems| {
            Some((at.clone(), Assessment::read(value, at, problems)?))
        });
        let workflow = Self {
            id,
            name: name.map(BoundedText::into_string),
            description: description.map(BoundedText::into_string),
            metadata: metadata(&mut object),
            recommended: recommended.unwrap_or_default(),
            preconditions,
            clarification_prompts,
            meta_guidance,
            functions: function::definitions(&mut object, Dialect::Classic),
            features,
            assessments,
            references: object.list("references", DECLARATIONS_MAX),
            steps: object.filled_list("steps", STEPS_MAX),
            without_effect: without_effect(&mut object),
        };
        object.finish();
        Some(workflow)
    }
}

fn metadata(object: &mut ObjectReader<'_, '_>) -> Metadata {
    let version = object.required::<Name>("version").map(BoundedText::into_string);
    if let Some(version) = version.as_ref().filter(|version| !is_version(version)) {
        let reason = format!("`{version}` is not a version");
        let fix = "write three numbers, such as 1.0.0";
        object.report("version", ProblemCode::InvalidId, reason, fix);
    }
    let about = object.optional::<BoundedText<ABOUT_BYTES_MAX>>("about");
    Metadata {
        tags: tags(object),
        version,
        about: about.map(BoundedText::into_string),
        examples: strings(object.list::<Line>("examples", BLOCK_ITEMS_MAX)),
        model_tier: object.optional("modelTier"),
    }
}

/// True for three numbers, with anything after a `-` or `+`.
fn is_version(text: &str) -> bool {
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3 && numbers.split('.').all(number)
}

/// Returns the fields that are accepted only because existing files have them.
fn without_effect(object: &mut ObjectReader<'_, '_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    if object.raw("metricsProfile").is_some() {
        found.push("metricsProfile");
        object.one_of("metricsProfile", &METRICS_PROFILES);
    }
    if object.raw("validatedAgainstSpecVersion").is_some() {
        found.push("validatedAgainstSpecVersion");
        object.optional::<Whole<0, { u32::MAX }>>("validatedAgainstSpecVersion");
    }
    found
}

/// A slot. Every use of it in the file is filled in before the file is read.
struct TemplateSlot;

impl FromSource for TemplateSlot {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        object.required::<Name>("slotId");
        object.required::<Paragraph>("purpose");
        object.required::<Paragraph>("default");
        object.list::<Name>("acceptedKinds", DECLARATIONS_MAX);
        object.finish();
        Some(Self)
    }
}

impl FromSource for FileReference {
    fn read(value: &Value, at: &Pointer, problems: &mut Problems) -> Option<Self> {
        let mut object = ObjectReader::open(value, at, problems)?;
        object.required::<Name>("id");
        let title = object.required::<Line>("title");
        let source = object.required::<Paragraph>("source");
        let purpose = object.required::<Paragraph>("purpose");
        let authoritative = object.flag("authoritative");
        let from_package = match object.raw("resolveFrom").map(Value::as_str) {
            None | Some(Some("workspace")) => false,
            Some(Some("package")) => true,
            Some(_) => {
                let reason = "a reference is resolved from `workspace` or `package`";
                let fix = "write one of the two";
                object.report("resolveFrom", ProblemCode::UnknownName, reason, fix);
                false
            }
        };
        object.finish();
        Some(Self {
            title: title?.into_string(),
            source: source?.into_string(),
            purpose: purpose?.into_string(),
            authoritative,
            from_package,
        })
    }
}
