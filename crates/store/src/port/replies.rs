//! Replies that a client may ask for again after it lost its connection.

use std::fmt;

use piton_core::{Digest, FileBytes};

use super::{Hold, StoreFuture};
use crate::LeaseName;

/// Names an entry kept for a client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyKey {
    /// The client: the digest of its session id, so that a name does not reveal the id.
    pub client: Digest,
    pub name: LeaseName,
}

impl ReplyKey {
    /// Creates the key of the entry `name` of the client whose session has this id.
    pub fn new(session: &str, name: LeaseName) -> Self {
        Self { client: Self::client(session), name }
    }

    /// Returns the client whose session has this id.
    pub fn client(session: &str) -> Digest {
        Digest::of(&FileBytes(session.as_bytes()))
    }
}

/// Keeps replies for a while, for whichever process the client comes back to.
///
/// Promise:
/// - `get` returns what the last `keep` under the same key stored, complete, or nothing.
/// - An entry outlives the process that kept it. A power cut may lose it.
/// - Storage is bounded. A client has [`REPLIES_PER_CLIENT_MAX`](crate::bounds::REPLIES_PER_CLIENT_MAX) entries and
///   [`REPLY_BYTES_PER_CLIENT_MAX`](crate::bounds::REPLY_BYTES_PER_CLIENT_MAX) bytes, and its oldest entries make room.
///   There are [`REPLY_CLIENTS_MAX`](crate::bounds::REPLY_CLIENTS_MAX) clients, and the one for which nothing was kept
///   for the longest time goes first.
/// - The entries of a client are gone when nothing was kept for it during [`REPLY_TIME`](crate::bounds::REPLY_TIME).
/// - A key has one claim at a time, across processes. A claim ends when it is dropped, and when its process dies,
///   however it dies. It says nothing about the entry, which anyone may keep or get meanwhile.
pub trait Replies: Send + Sync {
    /// Stores an entry, replacing any earlier one.
    fn keep<'a>(&'a self, key: &'a ReplyKey, bytes: Vec<u8>) -> StoreFuture<'a, ()>;

    /// Returns an entry.
    fn get<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Claims a key for the time in which its reply is being made. Returns `None` while another claim on it is held.
    fn claim<'a>(&'a self, key: &'a ReplyKey) -> StoreFuture<'a, Option<ReplyClaim>>;

    /// Forgets everything about a client.
    fn forget(&self, client: Digest) -> StoreFuture<'_, ()>;
}

/// A claim on a key, ended by dropping it.
pub struct ReplyClaim {
    _hold: Box<dyn Hold>,
}

impl ReplyClaim {
    pub(crate) fn new(hold: Box<dyn Hold>) -> Self {
        Self { _hold: hold }
    }
}

impl fmt::Debug for ReplyClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyClaim")
    }
}
