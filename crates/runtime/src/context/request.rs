//! Requests about context.

use piton_context::synthesis::Missing;
use piton_context::word::{AgentId, FrameType};
use serde::{Deserialize, Serialize};

piton_core::closed_set! {
    /// An order of frames.
    pub enum OrderName {
        /// The newest first.
        Recency => "recency",
        /// By type, then the newest first.
        Type => "type",
        /// By agent, then the newest first.
        Agent => "agent",
        /// The nearest and freshest first.
        Relevance => "relevance",
    }
}

piton_core::closed_set! {
    /// Where a composition takes frames from.
    pub enum SourceName {
        /// The node itself.
        Own => "own",
        /// The directory that it is in.
        Parent => "parent",
        /// The other entries of that directory.
        Siblings => "siblings",
    }
}

piton_core::closed_set! {
    /// How the frames of a directory's entries become one.
    pub enum PolicyName {
        /// One after the other, each under its path.
        Concatenation => "concatenation",
        /// Headings, first sentences and names of symbols.
        Summarization => "summarization",
        /// One after the other, but only some of them.
        Filtering => "filtering",
    }
}

piton_core::closed_set! {
    /// How far a regeneration reaches.
    pub enum ScopeName {
        /// The node alone.
        Node => "node",
        /// The node and everything below it.
        Subtree => "subtree",
        /// The node and the directories above it.
        Ancestors => "ancestors",
    }
}

/// Shows a file or directory with the frames that agents put on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetContext {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// Only frames of these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// Only frames of these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Only fresh frames (true), or only stale ones (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh: Option<bool>,
    /// The most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<usize>,
    /// In which order; `recency` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderName>,
    /// Whether frames of the past are shown as well, not only the newest of each type.
    #[serde(default)]
    pub past: bool,
    /// Whether contents are left out.
    #[serde(default)]
    pub ids_only: bool,
}

/// Puts together what agents wrote about a file or directory and its surroundings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComposeContext {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// From where frames are taken; all three if you leave it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceName>,
    /// More paths to take frames from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// Only frames of these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// Only frames of these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// The most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<usize>,
    /// The most tokens of the text, at four bytes each; 8000 if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// In which order; `relevance` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderName>,
}

/// Puts a frame on a file or directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutFrame {
    /// The file or directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// What the frame says about it, for example `summary` or `review`.
    pub frame_type: FrameType,
    /// What it says.
    pub content: String,
    /// Whether an id that is not current any more is taken.
    #[serde(default)]
    pub allow_stale: bool,
}

/// Makes the frame of a directory from those of its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SynthesizeFrames {
    /// The directory: its path in the project, or the beginning of its id.
    pub node: String,
    /// The type of the new frame.
    pub frame_type: FrameType,
    /// The type of the frames that it is made from, or `*` for all; the type of the new frame if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// How; `concatenation` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyName>,
    /// With `summarization`: the most bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// With `filtering`: only these types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<FrameType>,
    /// With `filtering`: only these agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// With `filtering`: the most frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_frames: Option<u64>,
    /// Whether every directory below is done first.
    #[serde(default)]
    pub recursive: bool,
    /// What to do about directories below that lack the frame; `refuse` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Makes frames anew that were synthesised from what has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RegenerateFrames {
    /// Where: a path, or the beginning of an id; the whole project if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How far; `subtree` if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeName>,
    /// With `ancestors`: how many directories above; all of them if you leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Only frames of this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_type: Option<FrameType>,
    /// Only this frame, by its whole id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Whether everything is looked at, also where nothing is noted as changed.
    #[serde(default)]
    pub everything: bool,
}
