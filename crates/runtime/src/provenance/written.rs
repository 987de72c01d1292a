//! The writes of one side of a comparison: keys of backpacks, files and frames.

use piton_core::Digest;
use serde::Serialize;

use crate::text_diff::DiffLine;

/// Keys, files and frames that were written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WrittenThings {
    /// The keys of backpacks, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<KeyWritten>,
    /// How many more keys there are.
    pub keys_left_out: usize,
    /// The files, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileWritten>,
    /// How many more files there are.
    pub files_left_out: usize,
    /// The frames, in order. Of two trees: those about what differs, against those about what was there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameWritten>,
    /// How many more frames there are.
    pub frames_left_out: usize,
}

impl WrittenThings {
    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.files.is_empty() && self.frames.is_empty()
    }
}

piton_core::closed_set! {
    /// What happened to a key, a file or a frame.
    pub enum WrittenKind {
        /// It is new.
        Added => "added",
        /// It is another.
        Modified => "modified",
        /// It is gone.
        Deleted => "deleted",
    }
}

#[cfg(feature = "flow")]
impl WrittenKind {
    /// Returns the kind of change of something that was there before, or is there now.
    pub(crate) fn between(was_there: bool, is_there: bool) -> Self {
        match (was_there, is_there) {
            (false, _) => Self::Added,
            (true, true) => Self::Modified,
            (true, false) => Self::Deleted,
        }
    }
}

/// A key that was written: what it held is told in a few words, unless it is protected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeyWritten {
    /// The backpack.
    pub backpack: String,
    /// The key.
    pub key: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<String>,
}

/// A file that was written: its contents are told by their digests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileWritten {
    /// Its path.
    pub path: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<Digest>,
}

/// The frame of an agent that was made, and the one of the same type that it came after: both are told by their ids.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FrameWritten {
    /// The file or directory that it is about.
    pub path: String,
    /// What it says about that.
    pub frame_type: String,
    /// What became of it.
    #[serde(flatten)]
    pub became: Became<Digest>,
}

/// What became of something that was written; `Held` stands for what it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Became<Held> {
    /// What happened.
    pub kind: WrittenKind,
    /// Who did it last, if that is known; of a frame, whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it held before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Held>,
    /// What it holds since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Held>,
    /// How that differs, line by line; empty if it is protected or no text, or if Piton does not keep both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diff: Vec<DiffLine>,
    /// Lines that are left out.
    pub left_out: usize,
}
