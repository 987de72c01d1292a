//! Why a call fails, and how that is told.
//!
//! *Invariants*: the same condition gives the same words: no clock, process id or memory address is in them. Nothing
//! was written when a call fails.

use piton_core::error::sentence;
use piton_core::{Code, Envelope};

use crate::{
    agent::{Right, Role},
    tree::{PathError, TreeNodeId, TreePath},
    word::{AgentId, FrameType, WordError},
};

/// Why a call fails.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// A text is not a path of a tree.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A text is not a name.
    #[error(transparent)]
    Word(#[from] WordError),
    /// The project directory cannot be read.
    #[error("the project directory {path} cannot be read: {reason}")]
    Unscannable {
        /// Which.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// No tree is recorded.
    #[error("the project directory has not been scanned")]
    NotScanned,
    /// There is no such tree node.
    #[error("there is no tree node {asked}{}", nearest.as_ref().map(|path| format!("; the nearest path is {path}")).unwrap_or_default())]
    NodeNotFound {
        /// What was asked for.
        asked: String,
        /// The path that is most like it.
        nearest: Option<TreePath>,
    },
    /// There is no such recorded tree.
    #[error("no recorded tree is {asked}")]
    RootNotFound {
        /// What was asked for.
        asked: String,
    },
    /// There is no such frame.
    #[error("there is no frame {asked}")]
    FrameNotFound {
        /// What was asked for.
        asked: String,
        /// Where it was looked for, unless that was everywhere.
        path: Option<TreePath>,
    },
    /// The beginning of an id fits several.
    #[error("{asked} fits more than one {what}")]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// What there are several of.
        what: &'static str,
    },
    /// The node changed.
    #[error("{path} has changed: its id is {current} now, not {given}")]
    NodeStale {
        /// Where it is, or was.
        path: TreePath,
        /// The id that was given.
        given: TreeNodeId,
        /// The id of what is there now, or `gone`.
        current: String,
    },
    /// No such agent.
    #[error("there is no agent {agent}")]
    UnknownAgent {
        /// Its name.
        agent: AgentId,
    },
    /// The role does not allow it.
    #[error("the agent {agent} may not {right}: its role is {role}")]
    Forbidden {
        /// Its name.
        agent: AgentId,
        /// Its role.
        role: Role,
        /// What it may not do.
        right: Right,
    },
    /// A frame names another agent or node than its target.
    #[error("the frame is {given} and was handed in as {expected}")]
    Impersonation {
        /// What the frame says.
        given: String,
        /// What the call says.
        expected: String,
    },
    /// Directories below lack a frame.
    #[error("directories below {path} have no {frame_type} frame: {first}{}", and_more(*count))]
    Incomplete {
        /// Where the synthesis was asked for.
        path: TreePath,
        /// The type of frame that is missing.
        frame_type: FrameType,
        /// How many directories lack it.
        count: usize,
        /// The first of them.
        first: TreePath,
    },
    /// Nothing in a directory has a frame that one of its own could be made from.
    #[error("nothing in {path} has a {}frame that one could be made from", frame_type.as_ref().map(|one| format!("{one} ")).unwrap_or_default())]
    NothingDescribed {
        /// The directory.
        path: TreePath,
        /// The type of frame that is missing; none if any would do.
        frame_type: Option<FrameType>,
    },
    /// Something stored is not what its id says.
    #[error("{what} was changed after it was written: {detail}")]
    Integrity {
        /// What.
        what: String,
        /// In what way.
        detail: String,
    },
    /// Others were faster, every time.
    #[error("{what} while this call was made; nothing was written")]
    Crowded {
        /// What they did.
        what: String,
    },
    /// The call carries something that cannot be taken.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    /// The closed code that stands for it.
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

    /// What a caller is told, with the next thing to do.
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

    /// Others were faster, every time.
    pub(crate) fn too_many(what: impl Into<String>) -> Self {
        Self::Crowded { what: what.into() }
    }

    /// Something stored that cannot be understood or is not what its key says.
    pub(crate) fn integrity(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Integrity { what: what.into(), detail: detail.into() }
    }

    /// Whether something that is stored is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Integrity { .. } | Self::Store(piton_store::Error::BlobCorrupt { .. }))
    }

    /// Whether another process was faster, and the same call again may succeed.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(piton_store::Error::Conflict { .. }))
    }
}

/// How many there are beside the first.
fn and_more(count: usize) -> String {
    if count > 1 { format!(" and {} more", count - 1) } else { String::new() }
}
