//! Workflow files: their text, what is wrong with it, what it compiles to, and what saving it led to.

use piton_core::{Digest, WorkflowHash, WorkflowId};
use piton_workflow::SourceKind;
use piton_workflow::catalogue::CatalogueEntry;
use piton_workflow::compile::CompiledWorkflow;
use piton_workflow::source::{Dialect, SourceProblem, TextRange};
use schemars::JsonSchema;
use serde::Serialize;

use super::workflows::WorkflowWarning;
use crate::library::ShadowedFile;
use crate::text_diff::DiffLine;

/// A workflow file as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// The id that the library knows it by; none if it does not load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<WorkflowId>,
    /// None if it ships with Piton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub source_kind: SourceKind,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_routine: bool,
    /// Set if it cannot be saved, but copied.
    pub is_read_only: bool,
    pub text: String,
    /// The digest of the bytes, which saving asks for.
    pub digest: Digest,
    pub check: SourceCheck,
    /// Files with the same id that do not count because of this one, or the one that counts in its stead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shadowed: Vec<ShadowedFile>,
}

/// The compiler's verdict on the text of a workflow file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceCheck {
    pub is_sound: bool,
    /// None if the text is not JSON, or mixes both dialects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Dialect>,
    /// Everything that keeps it from loading, by place.
    pub problems: Vec<LocatedProblem>,
    /// Advice about a text that loads.
    pub warnings: Vec<WorkflowWarning>,
    /// The id of a text that loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<WorkflowId>,
    /// The hash that runs of a text that loads would be pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_hash: Option<WorkflowHash>,
}

/// A problem with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocatedProblem {
    #[serde(flatten)]
    pub problem: SourceProblem,
    pub range: TextRange,
}

/// The result of saving a workflow file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SaveOutcome {
    Saved(SavedSource),
    /// The file is not the one that was read. Nothing was written.
    Conflict(SaveConflict),
    /// The text does not load. Nothing was written.
    Unsound {
        check: SourceCheck,
    },
}

/// A workflow file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedSource {
    pub path: String,
    /// The digest of the bytes as they are now.
    pub digest: Digest,
    pub check: SourceCheck,
}

/// A file that somebody else changed since it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveConflict {
    pub path: String,
    /// The digest that the caller had read; none if it expected no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest_read: Option<Digest>,
    /// The digest of the file as it is; none if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The text of the file as it is; none if it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// From the file as it is to the text that was to be saved.
    pub lines: Vec<DiffLine>,
    pub lines_left_out: usize,
}

/// A workflow as runs are pinned to it. Each step and each addition to a prompt names its provenance.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompiledSource {
    /// The digest of the canonical JSON of `workflow`, and of nothing else.
    pub workflow_hash: WorkflowHash,
    /// The parts of that JSON, so that two hashes can be compared part by part.
    pub hash_inputs: Vec<HashInput>,
    /// The files that it was compiled from.
    pub files: Vec<InputFile>,
    pub workflow: CompiledWorkflow,
    /// Set if it was asked for by an older id, or is a routine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A part of a compiled workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HashInput {
    /// A field, such as `sequence`, or a step, such as `steps/plan`.
    pub part: String,
    /// The size of its canonical JSON.
    pub bytes: usize,
    pub digest: Digest,
}

/// A file that a workflow was compiled from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputFile {
    /// None if it ships with Piton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub digest: Digest,
    pub is_routine: bool,
}

/// Everything that an editor of workflow files completes from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceCompletions {
    /// What ships with Piton, by kind and name.
    pub builtins: Vec<CatalogueEntry>,
    /// The ids of routines that files here may call.
    pub routines: Vec<String>,
    /// The ids of workflows here.
    pub workflows: Vec<WorkflowId>,
    /// The fields of a step, by dialect.
    pub step_fields: Vec<StepFields>,
    /// The values of `reason` in `needsUser`.
    pub needs_user_reasons: &'static [&'static str],
    /// The values of `choice` in `needsUser`.
    pub needs_user_choices: &'static [&'static str],
}

/// The fields of a step in one dialect.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepFields {
    pub dialect: Dialect,
    pub fields: Vec<&'static str>,
}
