//! `node_output_appended`: a node has a new output.
//!
//! *Invariants*: an output never changes; a later one of the same node and channel may supersede it. Notes
//! are a recap and artifacts are artifacts, so the channel follows from the payload; it is stored for readers
//! and checked. An artifact is kept elsewhere, under its digest.

use piton_core::{BoundedText, Digest, OutputId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::payload::PayloadError;
use super::strict_json::present;
use crate::bounds::{CONTENT_TYPE_BYTES_MAX, NOTES_BYTES_MAX};

/// A node has a new output.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "OutputWire<OutputPayload>")]
pub struct NodeOutputAppended {
    /// The output.
    pub output_id: OutputId,
    /// The earlier output that it corrects.
    pub supersedes_output_id: Option<OutputId>,
    /// What it holds.
    pub payload: OutputPayload,
}

/// What an output holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "payloadKind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum OutputPayload {
    /// What happened and what comes next.
    Notes {
        /// The notes.
        notes_markdown: BoundedText<NOTES_BYTES_MAX>,
    },
    /// Something that is stored under its digest.
    ArtifactRef {
        /// The digest of its bytes.
        sha256: Digest,
        /// What the bytes are.
        content_type: ContentType,
        /// How many there are.
        byte_length: u32,
    },
}

/// The written form. Writing borrows the payload, so that the notes are not copied.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OutputWire<P> {
    output_channel: OutputChannel,
    output_id: OutputId,
    payload: P,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    supersedes_output_id: Option<OutputId>,
}

impl Serialize for NodeOutputAppended {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { output_id, supersedes_output_id, payload } = self;
        let written = OutputWire {
            output_channel: self.channel(),
            output_id: *output_id,
            payload,
            supersedes_output_id: *supersedes_output_id,
        };
        written.serialize(serializer)
    }
}

impl NodeOutputAppended {
    /// Returns the purpose of the output.
    pub const fn channel(&self) -> OutputChannel {
        self.payload.channel()
    }
}

impl OutputPayload {
    /// Creates notes. The end of a text that is too long is cut off and marked.
    pub fn notes(markdown: &str) -> Self {
        Self::Notes { notes_markdown: BoundedText::truncated(markdown) }
    }

    /// Returns the purpose of such an output.
    pub const fn channel(&self) -> OutputChannel {
        match self {
            Self::Notes { .. } => OutputChannel::Recap,
            Self::ArtifactRef { .. } => OutputChannel::Artifact,
        }
    }
}

impl TryFrom<OutputWire<OutputPayload>> for NodeOutputAppended {
    type Error = PayloadError;

    fn try_from(wire: OutputWire<OutputPayload>) -> Result<Self, PayloadError> {
        let expected = wire.payload.channel();
        if wire.output_channel != expected {
            return Err(PayloadError::Channel { expected });
        }
        let OutputWire { output_id, supersedes_output_id, payload, .. } = wire;
        Ok(Self { output_id, supersedes_output_id, payload })
    }
}

piton_core::checked_text! {
    /// A content type such as `application/json`: two names in lowercase and a slash, without parameters.
    pub struct ContentType: PayloadError, "a content type such as `text/markdown`",
    r"^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$", CONTENT_TYPE_BYTES_MAX,
    |text| is_content_type(text).then_some(()).ok_or(PayloadError::ContentType)
}

fn is_content_type(text: &str) -> bool {
    let allowed = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$&-^_.+".contains(&byte)
    };
    let name = |name: &str| !name.is_empty() && name.bytes().all(allowed);
    let names = text.split_once('/');
    text.len() <= CONTENT_TYPE_BYTES_MAX
        && names.is_some_and(|(kind, subtype)| name(kind) && name(subtype))
}

piton_core::closed_set! {
    /// What an output of a node is for.
    pub enum OutputChannel {
        /// Notes that say what happened and what comes next.
        Recap => "recap",
        /// A structured result, kept by its digest.
        Artifact => "artifact",
    }
}
