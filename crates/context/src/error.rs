//! Errors of calls, and how they are reported.
//!
//! *Invariants*: the same condition gives the same message, without any clock, process id or memory address. When a
//! call fails, nothing was written.

use piton_core::error::sentence;
use piton_core::{Code, Envelope};

use crate::agent::{Right, Role};
use crate::tree::{PathError, TreeNodeId, TreePath};
use crate::word::{AgentId, FrameType, WordError};

/// Reasons that a call fails.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// A text is not a path of a tree.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A text is not a name.
    #[error(transparent)]
    Word(#[from] WordError),
    #[error("the project directory {path} cannot be read: {reason}")]
    Unscannable {
        path: String,
        /// Message of the operating system.
        reason: String,
    },
    /// No tree is recorded yet.
    #[error("the project directory has not been scanned")]
    NotScanned,
    #[error("there is no tree node {asked}{}", nearest.as_ref().map(|path| format!("; the nearest path is {path}")).unwrap_or_default())]
    NodeNotFound {
        asked: String,
        /// The most similar path.
        nearest: Option<TreePath>,
    },
    #[error("no recorded tree is {asked}")]
    RootNotFound { asked: String },
    #[error("there is no frame {asked}")]
    FrameNotFound {
        asked: String,
        /// Path that was searched; `None` if that was everywhere.
        path: Option<TreePath>,
    },
    /// A prefix of an id matches several.
    #[error("{asked} fits more than one {what}")]
    Ambiguous {
        asked: String,
        /// Kind of the things that match.
        what: &'static str,
    },
    /// The node changed since its id was read.
    #[error("{path} has changed: its id is {current} now, not {given}")]
    NodeStale {
        path: TreePath,
        given: TreeNodeId,
        /// Id of the node that is there now, or `gone`.
        current: String,
    },
    #[error("there is no agent {agent}")]
    UnknownAgent { agent: AgentId },
    #[error("the agent {agent} may not {right}: its role is {role}")]
    Forbidden { agent: AgentId, role: Role, right: Right },
    /// A frame names another agent or node than its target.
    #[error("the frame is {given} and was submitted as {expected}")]
    Impersonation {
        /// Claim of the frame.
        given: String,
        /// Target of the call.
        expected: String,
    },
    /// Directories below lack a frame.
    #[error("directories below {path} have no {frame_type} frame: {first}{}", and_more(*count))]
    Incomplete {
        /// Directory to be synthesised.
        path: TreePath,
        frame_type: FrameType,
        /// Number of directories that lack it.
        count: usize,
        first: TreePath,
    },
    /// Nothing in a directory has a frame that one of its own could be made from.
    #[error("nothing in {path} has a {}frame that one could be made from", frame_type.as_ref().map(|one| format!("{one} ")).unwrap_or_default())]
    NothingDescribed {
        path: TreePath,
        /// Type of the missing frame; `None` if any type would do.
        frame_type: Option<FrameType>,
    },
    /// Stored data does not match its id.
    #[error("{what} was changed after it was written: {detail}")]
    Integrity { what: String, detail: String },
    /// Other processes were faster on every attempt.
    #[error("{what} while this call was made; nothing was written")]
    Crowded {
        /// Description of what they did.
        what: String,
    },
    /// The call carries something that cannot be accepted.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    /// Returns the closed code of the error.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Path(_) | Self::Word(_) | Self::Invalid(_) => Code::ValidationError,
            Self::Crowded { .. } => Code::StoreConflict,
            Self::Unscannable { .. } => Code::ContextUnreadable,
            Self::NotScanned => Code::ContextNotScanned,
            Self::NodeNotFound { .. } => Code::ContextNodeNotFound,
            Self::RootNotFound { .. } => Code::ContextRootNotFound,
            Self::FrameNotFound { .. } => Code::ContextFrameNotFound,
            Self::Ambiguous { .. } => Code::ContextAmbiguous,
            Self::NodeStale { .. } => Code::ContextNodeStale,
            Self::UnknownAgent { .. } => Code::ContextUnknownAgent,
            Self::Forbidden { .. } | Self::Impersonation { .. } => Code::ContextForbidden,
            Self::Incomplete { .. } | Self::NothingDescribed { .. } => Code::ContextIncomplete,
            Self::Integrity { .. } => Code::ContextIntegrity,
        }
    }

    /// Returns the report for the caller, with the next thing to do.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Store(error) => error.envelope(),
            Self::FrameNotFound { path: Some(path), .. } => {
                Envelope::new(self.code(), sentence(&self.to_string())).with_name("PATH", path)
            }
            Self::NothingDescribed { frame_type, .. } => {
                let frame_type = frame_type.as_ref().map_or("TYPE", FrameType::as_str);
                let advice = format!(
                    "Put a frame on something in it with `piton context put-frame PATH --type {frame_type} --text TEXT`, \
                     then repeat the call."
                );
                Envelope::new(self.code(), sentence(&self.to_string())).with_suggestion(advice)
            }
            _ => Envelope::new(self.code(), sentence(&self.to_string())),
        }
    }

    /// Creates the error for a call that lost against other processes on every attempt.
    pub(crate) fn too_many(what: impl Into<String>) -> Self {
        Self::Crowded { what: what.into() }
    }

    /// Creates the error for stored data that cannot be decoded or does not match its key.
    pub(crate) fn integrity(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Integrity { what: what.into(), detail: detail.into() }
    }

    /// True if stored data is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Integrity { .. } | Self::Store(piton_store::Error::BlobCorrupt { .. }))
    }

    /// True if another process was faster, and repeating the call may succeed.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(piton_store::Error::Conflict { .. }))
    }
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}

/// Formats the number of items besides the first.
fn and_more(count: usize) -> String {
    if count > 1 { format!(" and {} more", count - 1) } else { String::new() }
}
