//! The errors of this crate, and the envelopes that present them to a person or an agent.
//!
//! *Invariants*: no error carries the value of an item. For a key that a node may not read, the error is the same
//! whether or not the key exists.

use piton_core::error::{Details, sentence};
use piton_core::{CanonicalError, Code, Envelope, PatternError};
use serde_json::json;

use crate::access::permissions::Operation;
use crate::bounds::{ITEMS_MAX, NODES_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX};
use crate::history::commit_id::CommitId;
use crate::names::{BackpackId, Key, NodeId, TextError};

/// Any error of a backpack.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a valid key, node or tag.
    #[error("{0}")]
    BadText(#[from] TextError),
    /// The text is not a valid namespace pattern.
    #[error("the namespace pattern is refused: {problem}")]
    BadPattern { problem: PatternError },
    /// The value has no faithful JSON form.
    #[error("the value for `{key}` is refused: {problem}")]
    BadValue { key: Key, problem: Box<CanonicalError> },
    /// The value is larger than a backpack accepts.
    #[error("the value for `{key}` has {measured} bytes; at most {VALUE_BYTES_MAX} are taken")]
    ValueTooLarge { key: Key, measured: usize },
    /// The value nests too deeply to be written into a journal.
    #[error("the value for `{key}` nests deeper than {VALUE_DEPTH_MAX} levels")]
    TooDeep { key: Key },
    /// A list has too many entries.
    #[error("{what}: {measured} are given; at most {max} are allowed")]
    TooMany { what: &'static str, measured: usize, max: usize },
    /// The reason for a quarantine is too long.
    #[error("the reason has {measured} bytes; at most {max} are allowed")]
    ReasonTooLong { measured: usize, max: usize },
    /// The backpack has no room for another key.
    #[error("the backpack holds {ITEMS_MAX} keys, and `{key}` would be one more")]
    Full { key: Key },
    /// Too many nodes act on the backpack.
    #[error("the backpack knows {NODES_MAX} nodes, and `{node}` would be one more")]
    TooManyNodes { node: NodeId },
    /// The node lacks permission for the operation.
    #[error("the node `{node}` may not {operation} `{key}`")]
    AccessDenied { node: NodeId, key: Key, operation: Operation },
    /// A required key does not exist.
    #[error("there is nothing under `{key}`")]
    Missing { key: Key },
    /// The value cannot be deserialized as the requested type.
    #[error(
        "the value of `{key}` is {found}, which does not read as `{wanted}`{}",
        problem.as_ref().map_or_else(String::new, |problem| format!(": {problem}"))
    )]
    WrongType {
        key: Key,
        /// The name of the requested Rust type.
        wanted: &'static str,
        /// The kind of JSON value that was found.
        found: &'static str,
        /// The message of the parser, unless the value is protected.
        problem: Option<String>,
    },
    /// The value was too large for the history that it would have come from.
    #[error("the value of `{key}` ({size} bytes) was too large to be kept in the history")]
    Unavailable { key: Key, size: u64 },
    /// The store cannot return a value that was packed.
    #[error(
        "the value of `{key}` ({size} bytes) is damaged: what the store has of it is not what was packed"
    )]
    DamagedValue { key: Key, size: u64 },
    /// No commit has this id.
    #[error("the backpack has no commit {id}")]
    UnknownCommit { id: CommitId },
    /// The node never made a commit.
    #[error("no commit of the backpack is by the node `{node}`")]
    UnknownNode { node: NodeId },
    /// The requested state lies before the oldest commit in memory.
    #[error(
        "{wanted} is no longer in memory; the oldest commit that can be reached is {}",
        oldest.map_or_else(|| "none".to_owned(), |id| id.to_string())
    )]
    BeforeHistory {
        /// A description of the requested state.
        wanted: String,
        /// The oldest commit in memory.
        oldest: Option<CommitId>,
    },
    /// The snapshot was taken from another backpack, or was written to since.
    #[error("the snapshot was taken from another backpack than `{id}`, or was written to since")]
    ForeignSnapshot { id: BackpackId },
    /// The schema cannot be used.
    #[error("the schema is refused: {problem}")]
    BadSchema { problem: String },
    /// The text is not the document of a backpack.
    #[error("this is not a backpack: {at}: {problem}")]
    BadDocument {
        /// The position of the problem in the document.
        at: String,
        problem: String,
    },
    /// The document has a version that this program does not know.
    #[error("the backpack has version {found}; this Piton knows {known}")]
    UnsupportedVersion { found: u64, known: u64 },
    /// Another process has the backpack open for writing.
    #[error(
        "the backpack `{id}` is open for writing elsewhere{}",
        holder.as_ref().map_or_else(String::new, |holder| format!(": {holder}"))
    )]
    Locked {
        id: BackpackId,
        /// The holder's description of itself.
        holder: Option<String>,
    },
    /// A backpack with the id of the new one exists already.
    #[error("there is a backpack `{id}` already")]
    Exists { id: BackpackId },
    /// The backpack was closed; nothing more can be written to it.
    #[error("the backpack `{id}` was closed; nothing more is written to it")]
    Closed { id: BackpackId },
    /// The events of the backpack contradict each other.
    #[error("event {event} of the backpack `{id}` does not fit those before it: {problem}")]
    BadStream {
        id: BackpackId,
        /// The index of the first event that does not fit.
        event: u64,
        problem: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
}

impl Error {
    /// Returns the stable code of the error.
    pub fn code(&self) -> Code {
        match self {
            Self::BadText(_)
            | Self::BadPattern { .. }
            | Self::BadValue { .. }
            | Self::ValueTooLarge { .. }
            | Self::TooMany { .. }
            | Self::ReasonTooLong { .. }
            | Self::TooDeep { .. }
            | Self::BadSchema { .. }
            | Self::ForeignSnapshot { .. }
            | Self::Exists { .. } => Code::ValidationError,
            Self::BadDocument { .. } => Code::BackpackInvalidFormat,
            Self::Locked { .. } => Code::BackpackLocked,
            Self::Closed { .. } => Code::BackpackClosed,
            Self::BadStream { .. } => Code::StoreInvariantViolation,
            Self::DamagedValue { .. } => Code::BackpackDamaged,
            Self::Store(piton_store::Error::NotFound { .. }) => Code::BackpackNotFound,
            Self::Store(error) => error.code(),
            Self::UnsupportedVersion { .. } => Code::BackpackUnsupportedVersion,
            Self::Full { .. } | Self::TooManyNodes { .. } => Code::BackpackLimitExceeded,
            Self::AccessDenied { .. } => Code::BackpackAccessDenied,
            Self::Missing { .. } => Code::BackpackKeyMissing,
            Self::WrongType { .. } => Code::BackpackWrongType,
            Self::Unavailable { .. } => Code::BackpackUnavailable,
            Self::UnknownCommit { .. } | Self::UnknownNode { .. } => Code::BackpackUnknownCommit,
            Self::BeforeHistory { .. } => Code::BackpackBeforeHistory,
        }
    }

    /// Builds the envelope that is shown to the caller, with a suggestion for the next step.
    pub fn envelope(&self) -> Envelope {
        if let Self::Store(error) = self
            && self.code() == error.code()
        {
            // The store may know a better next step than its code suggests in general.
            return error.envelope();
        }
        let mut envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        if let Self::WrongType { key, .. } = self {
            envelope = envelope.with_name("KEY", piton_core::shell_word(key.as_str()));
        }
        let details = match self {
            Self::AccessDenied { node, key, operation } => {
                json!({ "node": node, "key": key, "operation": operation })
            }
            Self::Missing { key } | Self::WrongType { key, .. } => json!({ "key": key }),
            Self::Unavailable { key, size } | Self::DamagedValue { key, size } => {
                json!({ "key": key, "bytes": size })
            }
            Self::BeforeHistory { oldest: Some(oldest), .. } => json!({ "oldest": oldest }),
            _ => return envelope,
        };
        envelope.with_details(Details::of(&details).expect("a few short entries are small"))
    }
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}

impl From<TextError> for Envelope {
    fn from(error: TextError) -> Self {
        Error::from(error).into()
    }
}
