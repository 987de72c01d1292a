//! What each tool takes. The comments are what models read.
//!
//! *Invariants*: an argument that is not known is refused, and so is one that is given under two
//! names: what was checked is what is used.

use schemars::JsonSchema;
use serde::Deserialize;

/// `ls`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LsRequest {
    /// Directory; `/` if left out
    #[serde(default = "root", alias = "file_path")]
    pub path: String,
}

fn root() -> String {
    "/".into()
}

/// `read`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// File
    #[serde(alias = "file_path")]
    pub path: String,
    /// First line, from 1
    #[serde(default)]
    pub offset: Option<u64>,
    /// Lines, 2000 if left out
    #[serde(default)]
    pub limit: Option<u64>,
    /// Put its number and a tab before each line
    #[serde(default)]
    pub numbers: bool,
}

/// `write`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// File; missing directories are made
    #[serde(alias = "file_path")]
    pub path: String,
    /// The text
    pub content: String,
    /// Add to the end instead of replacing
    #[serde(default)]
    pub append: bool,
    /// Replace only this version, as `read` gave it
    #[serde(default)]
    pub version: Option<String>,
}

/// `edit`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// File
    #[serde(alias = "file_path")]
    pub path: String,
    /// Text as it stands in the file, without line numbers
    pub old_string: String,
    /// Text instead of it
    pub new_string: String,
    /// Replace every occurrence
    #[serde(default)]
    pub replace_all: bool,
    /// Edit only this version, as `read` gave it
    #[serde(default)]
    pub version: Option<String>,
}

/// `glob`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobRequest {
    /// `*.rs` matches at any depth, `src/**/*.rs` from `path` on
    pub pattern: String,
    /// Where to start; `/` if left out
    #[serde(default = "root", alias = "file_path")]
    pub path: String,
    /// Hidden and git-ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results, 250 if left out
    #[serde(default)]
    pub limit: Option<u64>,
}

/// What `grep` tells of a file that matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrepOutput {
    /// The lines.
    #[default]
    Lines,
    /// Its path.
    Files,
    /// Its path and how many lines match.
    Count,
}

/// `grep`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepRequest {
    /// Regular expression
    pub pattern: String,
    /// Directory or file; `/` if left out
    #[serde(default = "root", alias = "file_path")]
    pub path: String,
    /// Only files that match, such as `*.rs`
    #[serde(default)]
    pub glob: Option<String>,
    /// Only files of this type, such as `rust` or `py`
    #[serde(default, rename = "type")]
    pub file_type: Option<String>,
    /// What to show of each file
    #[serde(default)]
    pub output: GrepOutput,
    /// Lines around each match
    #[serde(default)]
    pub context: u64,
    /// Upper and lower case are the same
    #[serde(default)]
    pub ignore_case: bool,
    /// The pattern is plain text
    #[serde(default)]
    pub literal: bool,
    /// Hidden and git-ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results, 250 if left out
    #[serde(default)]
    pub limit: Option<u64>,
}

/// `stat`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatRequest {
    /// File or directory
    #[serde(alias = "file_path")]
    pub path: String,
}

/// `copy`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyRequest {
    /// File
    #[serde(alias = "source")]
    pub from: String,
    /// New path, at which there is nothing
    #[serde(alias = "destination")]
    pub to: String,
}

/// `move`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// File or directory
    #[serde(alias = "source")]
    pub from: String,
    /// New path, at which there is nothing
    #[serde(alias = "destination")]
    pub to: String,
}

/// `delete`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// File or directory
    #[serde(alias = "file_path")]
    pub path: String,
    /// A directory with everything in it
    #[serde(default)]
    pub recursive: bool,
}

/// `mkdir`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MkdirRequest {
    /// Directory; those above it are made too
    #[serde(alias = "file_path")]
    pub path: String,
}
