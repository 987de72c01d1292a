//! Errors of calls, and their presentation.
//!
//! *Invariants*: an error names logical paths only. It says what was refused and what would work. About a write-only
//! Workspace it says the same no matter what is there.

use std::fmt::Write as _;

use piton_core::error::sentence;
use piton_core::{Code, Envelope};
use serde::{Serialize, Serializer};

use crate::bounds::{ALTERNATIVES_MAX, SHOWN_BYTES_MAX};
use crate::mask::Hidden;
use crate::path::{LogicalPath, PathProblem};
use crate::protection::Protected;
use crate::scope::{AccessScope, Tool};
use crate::store::StoreFault;

/// Reason that a call fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is not a path.
    #[error("the path `{shown}` is refused: {problem}")]
    Path {
        /// Start of the text, with all special characters escaped.
        shown: String,
        problem: PathProblem,
    },
    /// No Workspace covers the path.
    #[error("{path} is in no Workspace{}", listed(". There are", .known))]
    Unmapped {
        path: LogicalPath,
        /// Existing Workspaces.
        known: Vec<LogicalPath>,
    },
    /// The Access Scope forbids the operation.
    #[error(
        "{path} is in the {scope} Workspace {workspace}, which does not permit `{tool}`{}",
        listed(". Permitted in", .permitted)
    )]
    Scope {
        tool: Tool,
        path: LogicalPath,
        workspace: LogicalPath,
        /// Scope of that Workspace.
        scope: AccessScope,
        /// Workspaces that permit the operation.
        permitted: Vec<LogicalPath>,
    },
    /// The path is hidden from agents.
    #[error("{path} is hidden {why}")]
    Hidden { path: LogicalPath, why: Hidden },
    /// Agents may only read the path.
    #[error("{path} is protected{why}")]
    Protected {
        path: LogicalPath,
        /// Reason, and what would work.
        why: Protected,
    },
    /// The directory holds an inner Workspace.
    #[error("{path} holds the Workspace {inner}, so `{tool}` is refused for it as a whole")]
    Inner {
        tool: Tool,
        path: LogicalPath,
        /// The Workspace inside the directory.
        inner: LogicalPath,
    },
    /// The Store of the path failed.
    #[error("{path} {fault}")]
    File { path: LogicalPath, fault: StoreFault },
    /// A write to a write-only Workspace failed.
    #[error("the write to {path} failed")]
    WriteFailed { path: LogicalPath },
    /// The text to replace does not occur.
    #[error("`old_string` does not occur in {path}{}", hint.as_deref().unwrap_or_default())]
    NoMatch {
        path: LogicalPath,
        /// A following clause about text that nearly matches, if there is any.
        hint: Option<String>,
    },
    /// The text to replace occurs more than once.
    #[error("`old_string` occurs {count} times in {path}, on lines {}", numbers(.lines))]
    Ambiguous {
        path: LogicalPath,
        count: u64,
        /// First lines on which it begins.
        lines: Vec<u64>,
    },
    /// An argument is invalid.
    #[error("{0}")]
    BadArgument(String),
    /// An argument exceeds a limit.
    #[error("{0}")]
    Limit(String),
    /// The tool is not offered to this agent.
    #[error("there is no tool `{name}` here; the tools are: {}", .offered.join(", "))]
    NoSuchTool { name: String, offered: Vec<&'static str> },
    /// The configuration is refused.
    #[error("the Workspaces are not configured correctly: {}", .problems.join("; "))]
    Config { problems: Vec<String> },
    /// Something below an overlay changed since it was copied up.
    #[error(
        "nothing was applied, and nothing is lost: {} of {changes} changed paths changed below as well since the overlay changed them: {}",
        .paths.len(),
        .paths.join(", ")
    )]
    OverlayConflict {
        paths: Vec<String>,
        /// Number of paths that the overlay changed.
        changes: usize,
    },
    /// Piton's own data failed.
    #[error("Piton's own data failed: {0}")]
    Data(Code),
}

impl Error {
    /// Creates the error for a refused path, with the path made safe to display.
    pub fn path(text: &str, problem: PathProblem) -> Self {
        Self::Path { shown: quote(text), problem }
    }

    /// Returns the stable error code.
    pub fn code(&self) -> Code {
        match self {
            Self::Path { .. } => Code::WorkspaceBadPath,
            Self::Unmapped { .. } => Code::WorkspaceUnmapped,
            Self::Scope { .. } => Code::WorkspaceScope,
            Self::Hidden { .. } => Code::WorkspaceHidden,
            Self::Protected { .. } => Code::WorkspaceProtected,
            Self::Inner { .. } => Code::WorkspaceInner,
            Self::File { fault, .. } => fault.code(),
            Self::WriteFailed { .. } => Code::WorkspaceWriteFailed,
            Self::NoMatch { .. } => Code::WorkspaceNoMatch,
            Self::Ambiguous { .. } => Code::WorkspaceAmbiguous,
            Self::BadArgument(_) | Self::NoSuchTool { .. } => Code::WorkspaceBadArgument,
            Self::Limit(_) => Code::WorkspaceLimit,
            Self::Config { .. } => Code::WorkspaceConfig,
            Self::OverlayConflict { .. } => Code::WorkspaceConflict,
            Self::Data(code) => *code,
        }
    }

    /// Returns the error in the form for callers, with the next thing to do.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        envelope.with_suggestion(self.advice())
    }

    /// Returns the error as one line that a model reads as the result of its call.
    pub fn for_model(&self) -> String {
        format!("Error: {self}. {}", self.advice())
    }

    fn advice(&self) -> &'static str {
        match self {
            Self::Hidden { why: Hidden::Data, .. } => "Go on without it; nobody can show it.",
            _ => self.code().advice(),
        }
    }
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}

/// Writes the error in the form for callers.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.envelope().serialize(serializer)
    }
}

impl From<piton_store::Error> for Error {
    fn from(error: piton_store::Error) -> Self {
        Self::Data(error.code())
    }
}

/// Returns the start of a foreign text, with control characters escaped.
pub(crate) fn quote(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    let mut escaped: String = start.escape_debug().collect();
    if start.len() < text.len() {
        let _ = write!(escaped, "… ({} bytes)", text.len());
    }
    escaped
}

/// Returns the words followed by the first of the paths and the number of further ones. Empty if there are no paths.
pub(crate) fn listed(words: &str, paths: &[LogicalPath]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = paths.iter().take(ALTERNATIVES_MAX).map(LogicalPath::as_str).collect();
    let rest = paths.len() - names.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{words} {}{more}", names.join(", "))
}

fn numbers(lines: &[u64]) -> String {
    let lines: Vec<String> = lines.iter().map(u64::to_string).collect();
    lines.join(", ")
}
