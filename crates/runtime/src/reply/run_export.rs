//! A run as one document, for a reader who has nothing else.

use piton_core::{RunId, SessionId, TimestampMs};
use piton_workflow::label::Label;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A run as one document. Nothing in it is a token, a protected value or a path of this machine.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunExport {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The run as people call it.
    pub label: Label,
    /// The time of the export.
    pub exported_at: TimestampMs,
    /// The nodes: a `ShapedRun`.
    pub shape: Value,
    /// The steps, by node: each an [`ExportedStep`].
    pub steps: Map<String, Value>,
    /// The events of the run and of its session, in order: each a `SessionEvent`.
    pub events: Vec<Value>,
    /// Everything that is left out or replaced.
    pub omissions: Vec<ExportOmission>,
}

/// A step of an exported run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportedStep {
    /// A `StepDetail`.
    pub detail: Value,
    /// A `StepWrites`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Value>,
    /// A `RecapBlame`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recap: Option<Value>,
}

piton_core::closed_set! {
    /// What an exported run lacks.
    pub enum OmissionKind {
        /// Tokens of agents.
        Tokens => "tokens",
        /// Protected values of backpacks.
        ProtectedValues => "protected_values",
        /// Paths of the machine.
        MachinePaths => "machine_paths",
        /// Contents of large artifacts.
        ArtifactContents => "artifact_contents",
        /// Bytes of long prompts.
        PromptBytes => "prompt_bytes",
        /// Entries of long lists.
        Entries => "entries",
        /// Steps without their details.
        Steps => "steps",
        /// Steps without what they wrote.
        Writes => "writes",
        /// Steps without their recaps.
        Recaps => "recaps",
        /// Events.
        Events => "events",
    }
}

/// Something that an exported run lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportOmission {
    /// What it is.
    pub kind: OmissionKind,
    /// How many of them.
    pub count: usize,
    /// The same in a sentence.
    pub text: String,
}

impl ExportOmission {
    /// Returns the omission, unless there is none of its kind.
    pub(crate) fn new(kind: OmissionKind, count: usize) -> Option<Self> {
        let s = if count == 1 { "" } else { "s" };
        let (is, has) = if count == 1 { ("is", "has") } else { ("are", "have") };
        let text = match kind {
            OmissionKind::Tokens => format!("{count} token{s} of agents {is} replaced by [token]."),
            OmissionKind::ProtectedValues => {
                format!("{count} protected value{s} {is} left out.")
            }
            OmissionKind::MachinePaths => {
                format!("{count} path{s} of the machine {is} shortened to ~ or [directory].")
            }
            OmissionKind::ArtifactContents => {
                format!("{count} large artifact{s} {is} named by digest and size only.")
            }
            OmissionKind::PromptBytes => {
                format!("{count} byte{s} at the end of long prompts {is} left out.")
            }
            OmissionKind::Entries => format!(
                "{count} entr{} of long lists {is} left out.",
                if count == 1 { "y" } else { "ies" }
            ),
            OmissionKind::Steps => format!("{count} step{s} {has} no details, for lack of room."),
            OmissionKind::Writes => {
                format!("{count} step{s} {has} no list of what was written, for lack of room.")
            }
            OmissionKind::Recaps => format!("{count} step{s} {has} no recap, for lack of room."),
            OmissionKind::Events => format!("{count} event{s} {is} left out, for lack of room."),
        };
        (count > 0).then_some(Self { kind, count, text })
    }
}
