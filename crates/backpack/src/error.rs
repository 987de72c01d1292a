//! The errors of this crate, and how each is told to a person or an agent.
//!
//! *Invariants*: no error carries a value of an item. What a node is told about a key that it may not read is the
//! same whether the key is there or not.

use piton_core::error::Details;
use piton_core::error::sentence;
use piton_core::{CanonicalError, Code, Envelope, PatternError};
use serde_json::json;

use crate::access::Operation;
use crate::backpack_id::BackpackId;
use crate::bounds::{ITEMS_MAX, NODES_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX};
use crate::commit_id::CommitId;
use crate::text::{Key, NodeId, TextError};

/// Everything that can go wrong with a backpack.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is not a key, a node or a tag.
    #[error("{0}")]
    BadText(#[from] TextError),
    /// A text is not a pattern of namespaces.
    #[error("the namespace pattern is refused: {problem}")]
    BadPattern {
        /// Why not.
        problem: PatternError,
    },
    /// A value has no faithful JSON form.
    #[error("the value for `{key}` is refused: {problem}")]
    BadValue {
        /// The key that it was for.
        key: Key,
        /// Why not.
        problem: Box<CanonicalError>,
    },
    /// A value is larger than a backpack takes.
    #[error("the value for `{key}` has {measured} bytes; at most {VALUE_BYTES_MAX} are taken")]
    ValueTooLarge {
        /// The key that it was for.
        key: Key,
        /// Its size.
        measured: usize,
    },
    /// A value nests too deeply to be written into a journal.
    #[error("the value for `{key}` nests deeper than {VALUE_DEPTH_MAX} levels")]
    TooDeep {
        /// The key that it was for.
        key: Key,
    },
    /// Too many of something.
    #[error("{what}: {measured} are given; at most {max} are allowed")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        measured: usize,
        /// The limit.
        max: usize,
    },
    /// The reason of a quarantine is too long.
    #[error("the reason has {measured} bytes; at most {max} are allowed")]
    ReasonTooLong {
        /// Its size.
        measured: usize,
        /// The limit.
        max: usize,
    },
    /// No more keys fit.
    #[error("the backpack holds {ITEMS_MAX} keys, and `{key}` would be one more")]
    Full {
        /// The key that did not fit.
        key: Key,
    },
    /// Too many nodes act on one backpack.
    #[error("the backpack knows {NODES_MAX} nodes, and `{node}` would be one more")]
    TooManyNodes {
        /// The node.
        node: NodeId,
    },
    /// A node may not do this.
    #[error("the node `{node}` may not {operation} `{key}`")]
    AccessDenied {
        /// The node.
        node: NodeId,
        /// The key.
        key: Key,
        /// What it wanted to do.
        operation: Operation,
    },
    /// A key that has to be there is not.
    #[error("there is nothing under `{key}`")]
    Missing {
        /// The key.
        key: Key,
    },
    /// A value does not read as what was asked for.
    #[error(
        "the value of `{key}` is {found}, which does not read as `{wanted}`{}",
        problem.as_ref().map_or_else(String::new, |problem| format!(": {problem}"))
    )]
    WrongType {
        /// The key.
        key: Key,
        /// The type that was asked for.
        wanted: &'static str,
        /// What kind of value it is.
        found: &'static str,
        /// What the parser said, unless the value is protected.
        problem: Option<String>,
    },
    /// A value was too large for the history that it was to come from.
    #[error("the value of `{key}` ({size} bytes) was too large to be kept in the history")]
    Unavailable {
        /// The key.
        key: Key,
        /// Its size.
        size: u64,
    },
    /// The store cannot give a value that was packed.
    #[error(
        "the value of `{key}` ({size} bytes) is damaged: what the store has of it is not what was packed"
    )]
    DamagedValue {
        /// The key.
        key: Key,
        /// Its size.
        size: u64,
    },
    /// There is no such commit.
    #[error("the backpack has no commit {id}")]
    UnknownCommit {
        /// The id.
        id: CommitId,
    },
    /// No commit is by that node.
    #[error("no commit of the backpack is by the node `{node}`")]
    UnknownNode {
        /// The node.
        node: NodeId,
    },
    /// The history does not reach back so far.
    #[error(
        "{wanted} is no longer in memory; the oldest commit that can be reached is {}",
        oldest.map_or_else(|| "none".to_owned(), |id| id.to_string())
    )]
    BeforeHistory {
        /// What was asked for.
        wanted: String,
        /// The oldest commit in memory.
        oldest: Option<CommitId>,
    },
    /// A snapshot is not one of this backpack.
    #[error("the snapshot was taken from another backpack than `{id}`, or was written to since")]
    ForeignSnapshot {
        /// The backpack.
        id: BackpackId,
    },
    /// A schema cannot be used.
    #[error("the schema is refused: {problem}")]
    BadSchema {
        /// Why.
        problem: String,
    },
    /// A text is not a backpack.
    #[error("this is not a backpack: {at}: {problem}")]
    BadDocument {
        /// Where.
        at: String,
        /// What is wrong there.
        problem: String,
    },
    /// A backpack has a version that this program does not know.
    #[error("the backpack has version {found}; this Piton knows {known}")]
    UnsupportedVersion {
        /// Its version.
        found: u64,
        /// The version known here.
        known: u64,
    },
    /// Another process has the backpack open for writing.
    #[error(
        "the backpack `{id}` is open for writing elsewhere{}",
        holder.as_ref().map_or_else(String::new, |holder| format!(": {holder}"))
    )]
    Locked {
        /// The backpack.
        id: BackpackId,
        /// Who has it open, in its own words.
        holder: Option<String>,
    },
    /// There is a backpack where a new one was to be made.
    #[error("there is a backpack `{id}` already")]
    Exists {
        /// The backpack.
        id: BackpackId,
    },
    /// The backpack was closed.
    #[error("the backpack `{id}` was closed; nothing more is written to it")]
    Closed {
        /// The backpack.
        id: BackpackId,
    },
    /// The events of a backpack contradict each other.
    #[error("event {event} of the backpack `{id}` does not fit those before it: {problem}")]
    BadStream {
        /// The backpack.
        id: BackpackId,
        /// The place of the event.
        event: u64,
        /// What does not fit.
        problem: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
}

impl Error {
    /// The closed code that stands for it.
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

    /// What a caller is told, with the next thing to do.
    pub fn envelope(&self) -> Envelope {
        if let Self::Store(error) = self
            && self.code() == error.code()
        {
            // The store may know better what to do than its code says in general.
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
