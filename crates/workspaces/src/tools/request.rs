//! Arguments of each tool. Models read the comments on the request types.
//!
//! *Invariants*: an unknown argument is refused, and so is one that is given under two names: the value that was
//! checked is the value that is used.

use schemars::JsonSchema;
use serde::Deserialize;

/// Alternative names that models use for arguments, each with the real name.
pub const ALIASES: &[(&str, &str)] =
    &[("file_path", "path"), ("source", "from"), ("destination", "to")];

/// `ls`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LsRequest {
    /// Directory; else `/`
    #[serde(default = "root")]
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
    pub path: String,
    /// First line, from 1
    #[serde(default)]
    pub offset: Option<u64>,
    /// Lines; else 2000
    #[serde(default)]
    pub limit: Option<u64>,
    /// Number the lines
    #[serde(default)]
    pub numbers: bool,
}

/// `write`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// File; missing directories are made
    pub path: String,
    /// The text
    pub content: String,
    /// Add to the end
    #[serde(default)]
    pub append: bool,
    /// Only if it has this version, from `read`
    #[serde(default)]
    pub version: Option<String>,
}

/// `edit`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// File
    pub path: String,
    /// Text as in the file, without line numbers
    pub old_string: String,
    /// Text instead of it
    pub new_string: String,
    /// Replace every occurrence
    #[serde(default)]
    pub replace_all: bool,
    /// Only if it has this version, from `read`
    #[serde(default)]
    pub version: Option<String>,
}

/// `glob`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobRequest {
    /// `*.rs` matches at any depth, `src/**/*.rs` from `path` on
    pub pattern: String,
    /// Where to start; else `/`
    #[serde(default = "root")]
    pub path: String,
    /// Hidden and ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results; else 250
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
    /// Directory or file; else `/`
    #[serde(default = "root")]
    pub path: String,
    /// Only files such as `*.rs`
    #[serde(default)]
    pub glob: Option<String>,
    /// Only this file type, such as `rust`
    #[serde(default, rename = "type")]
    pub file_type: Option<String>,
    /// What to show of each file
    #[serde(default)]
    pub output: GrepOutput,
    /// Lines around each match
    #[serde(default)]
    pub context: u64,
    /// Ignore case
    #[serde(default)]
    pub ignore_case: bool,
    /// The pattern is plain text
    #[serde(default)]
    pub literal: bool,
    /// Hidden and ignored files too
    #[serde(default)]
    pub all: bool,
    /// Results; else 250
    #[serde(default)]
    pub limit: Option<u64>,
}

/// `stat`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatRequest {
    /// File or directory
    pub path: String,
}

/// `copy`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopyRequest {
    /// File
    pub from: String,
    /// New path; must be free
    pub to: String,
}

/// `move`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// File or directory
    pub from: String,
    /// New path; must be free
    pub to: String,
}

/// `delete`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// File or directory
    pub path: String,
    /// A directory with everything in it
    #[serde(default)]
    pub recursive: bool,
}

/// `mkdir`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MkdirRequest {
    /// Directory, with those above it
    pub path: String,
}
