//! Artifacts, as agents and people read them again.

use piton_core::{Digest, NodeId, OutputId, RunId, SessionId};
use piton_workflow::projection::ArtifactText;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A part of an artifact, as an agent reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactPart {
    /// The digest of the whole artifact.
    pub digest: Digest,
    /// What it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How many bytes the whole artifact has.
    pub bytes: usize,
    /// Where this part begins.
    pub offset: usize,
    /// The part: JSON, whole if there is no `nextOffset`.
    pub text: String,
    /// Where the next part begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

impl ArtifactPart {
    /// Renders the part as text.
    pub fn text(&self) -> String {
        let Self { digest, kind, bytes, text, next_offset, .. } = self;
        let kind = kind.as_deref().unwrap_or("artifact");
        match next_offset {
            None => format!("{kind} ({bytes} bytes)\n\n{text}"),
            Some(next) => format!(
                "{kind} ({bytes} bytes, of which this is a part)\n\n{text}\n\nNext: get_artifact {{ \"digest\": \
                 \"{digest}\", \"offset\": {next} }}"
            ),
        }
    }
}

/// An artifact among others.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactShown {
    /// The output that it is.
    pub output_id: OutputId,
    /// The digest of its bytes; `piton session artifact` reads it whole.
    pub digest: Digest,
    /// How many bytes it has.
    pub bytes: u32,
    /// What it says it is; nothing if it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it holds, if it is small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl ArtifactShown {
    pub(crate) fn new(output_id: OutputId, digest: Digest, bytes: u32, text: ArtifactText) -> Self {
        let (kind, content, unreadable) = match text {
            ArtifactText::Whole(kind, text) => (kind, serde_json::from_str(&text).ok(), None),
            ArtifactText::Large(kind) => (kind, None, None),
            ArtifactText::Unreadable(reason) => (None, None, Some(reason)),
        };
        Self { output_id, digest, bytes, kind, content, unreadable }
    }
}

/// An artifact of a run, read whole by a person.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionArtifact {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node that it was submitted at.
    pub node_id: NodeId,
    /// The output that it is.
    pub output_id: OutputId,
    /// The digest of its bytes, which was checked.
    pub digest: Digest,
    /// What it says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it holds.
    pub content: Value,
}
