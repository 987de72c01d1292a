//! Why a call fails, and how that is told.
//!
//! *Invariants*: an error names logical paths only. It says what was refused and what would work.
//! About a write-only Workspace it says the same whatever is there.

use std::fmt::Write as _;

use piton_core::{Code, Envelope, error::sentence};

use crate::{
    bounds::{ALTERNATIVES_MAX, SHOWN_BYTES_MAX},
    mask::Hidden,
    path::{LogicalPath, PathProblem},
    protection::Protected,
    scope::{AccessScope, Tool},
    store::StoreFault,
};

/// Why a call fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no path.
    #[error("the path `{shown}` is refused: {problem}")]
    Path {
        /// The start of the text, with everything escaped that is not plain.
        shown: String,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// No Workspace covers a path.
    #[error("{path} is in no Workspace{}", listed(". There are", .known))]
    Unmapped {
        /// The path.
        path: LogicalPath,
        /// The Workspaces that there are.
        known: Vec<LogicalPath>,
    },
    /// The Access Scope forbids an operation.
    #[error(
        "{path} is in the {scope} Workspace {workspace}, which does not permit `{tool}`{}",
        listed(". Permitted in", .permitted)
    )]
    Scope {
        /// The operation.
        tool: Tool,
        /// The path.
        path: LogicalPath,
        /// Its Workspace.
        workspace: LogicalPath,
        /// The scope of that.
        scope: AccessScope,
        /// The Workspaces that permit the operation.
        permitted: Vec<LogicalPath>,
    },
    /// A path is hidden from agents.
    #[error("{path} is hidden {why}")]
    Hidden {
        /// The path.
        path: LogicalPath,
        /// What hides it.
        why: Hidden,
    },
    /// Agents only read a path.
    #[error("{path} is protected{why}")]
    Protected {
        /// The path.
        path: LogicalPath,
        /// Why, and what would work.
        why: Protected,
    },
    /// A directory holds an inner Workspace.
    #[error("{path} holds the Workspace {inner}, so `{tool}` is refused for it as a whole")]
    Inner {
        /// The operation.
        tool: Tool,
        /// The directory.
        path: LogicalPath,
        /// The Workspace inside it.
        inner: LogicalPath,
    },
    /// The Store of the path failed.
    #[error("{path} {fault}")]
    File {
        /// The path.
        path: LogicalPath,
        /// Why.
        fault: StoreFault,
    },
    /// A write to a write-only Workspace failed.
    #[error("the write to {path} failed")]
    WriteFailed {
        /// The path.
        path: LogicalPath,
    },
    /// The text to replace does not occur.
    #[error("`old_string` does not occur in {path}{}", hint.as_deref().unwrap_or_default())]
    NoMatch {
        /// The file.
        path: LogicalPath,
        /// What is nearly there, if something is: a sentence that follows.
        hint: Option<String>,
    },
    /// The text to replace occurs more than once.
    #[error("`old_string` occurs {count} times in {path}, on lines {}", numbers(.lines))]
    Ambiguous {
        /// The file.
        path: LogicalPath,
        /// How often.
        count: u64,
        /// The first lines on which it begins.
        lines: Vec<u64>,
    },
    /// An argument is not valid.
    #[error("{0}")]
    BadArgument(String),
    /// An argument asks for more than is done.
    #[error("{0}")]
    Limit(String),
    /// A tool is not offered to this agent.
    #[error("there is no tool `{name}` here; the tools are: {}", .offered.join(", "))]
    NoSuchTool {
        /// What was called.
        name: String,
        /// What is offered.
        offered: Vec<&'static str>,
    },
    /// The configuration is refused.
    #[error("the Workspaces are not configured correctly: {}", .problems.join("; "))]
    Config {
        /// Every problem.
        problems: Vec<String>,
    },
    /// Something below an overlay changed since it was copied up.
    #[error(
        "nothing was applied, and nothing is lost: {} of {changes} changed paths changed below as well since the overlay changed them: {}",
        .paths.len(),
        .paths.join(", ")
    )]
    OverlayConflict {
        /// Every such path.
        paths: Vec<String>,
        /// How many paths the overlay changed.
        changes: usize,
    },
    /// Piton's own data failed.
    #[error("Piton's own data failed: {0}")]
    Data(Code),
}

impl Error {
    /// A refused path, made fit to be shown.
    pub fn path(text: &str, problem: PathProblem) -> Self {
        Self::Path { shown: quote(text), problem }
    }

    /// The closed code that stands for it.
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

    /// What a caller is told, with the next thing to do.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        envelope.with_suggestion(self.advice())
    }

    /// What a model reads as the result of its call: one line.
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

impl From<piton_store::Error> for Error {
    fn from(error: piton_store::Error) -> Self {
        Self::Data(error.code())
    }
}

/// The start of a foreign text, with control characters escaped.
pub(crate) fn quote(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    let mut escaped: String = start.escape_debug().collect();
    if start.len() < text.len() {
        let _ = write!(escaped, "… ({} bytes)", text.len());
    }
    escaped
}

/// Words and the first of some paths after them, with how many there are more; nothing if there is none.
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
