//! Replies: what a client that lost its connection may ask for again.

use std::fmt;

use piton_core::{Digest, FileBytes};

use super::{BoxFuture, Hold};
use crate::{Error, LeaseName};

/// Names what was kept for a client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyKey {
    /// The client: the digest of its session id, so that a name gives no id away.
    pub client: Digest,
    /// Which of its entries.
    pub name: LeaseName,
}

impl ReplyKey {
    /// The entry `name` of the client whose session has this id.
    pub fn new(session: &str, name: LeaseName) -> Self {
        Self { client: Self::client(session), name }
    }

    /// The client whose session has this id.
    pub fn client(session: &str) -> Digest {
        Digest::of(&FileBytes(session.as_bytes()))
    }
}

/// Keeps replies for a while, for whichever process the client comes back to.
///
/// Promise:
/// - `get` returns what the last `keep` under the same key stored, whole, or nothing.
/// - An entry outlives the process that kept it. A power cut may lose it.
/// - What is kept is bounded: [`REPLIES_PER_CLIENT_MAX`](crate::bounds::REPLIES_PER_CLIENT_MAX) entries and
///   [`REPLY_BYTES_PER_CLIENT_MAX`](crate::bounds::REPLY_BYTES_PER_CLIENT_MAX) bytes of a client, whose oldest entries
///   make room, and [`REPLY_CLIENTS_MAX`](crate::bounds::REPLY_CLIENTS_MAX) clients, of which the one goes that has not
///   kept anything for the longest time.
/// - What belongs to a client is gone when nothing was kept for it during
///   [`REPLY_TIME`](crate::bounds::REPLY_TIME).
/// - A key is claimed by one at a time, whichever process asks. A claim ends when it is dropped, and when its process
///   dies, however it dies. It says nothing of the entry, which anybody may keep or get meanwhile.
pub trait Replies: Send + Sync {
    /// Stores an entry, replacing what was there.
    fn keep<'a>(&'a self, key: &'a ReplyKey, bytes: Vec<u8>) -> BoxFuture<'a, Result<(), Error>>;

    /// An entry.
    fn get<'a>(&'a self, key: &'a ReplyKey) -> BoxFuture<'a, Result<Option<Vec<u8>>, Error>>;

    /// Claims a key for the time in which its reply is being made; nothing while somebody else claims it.
    fn claim<'a>(&'a self, key: &'a ReplyKey) -> BoxFuture<'a, Result<Option<ReplyClaim>, Error>>;

    /// Forgets everything of a client.
    fn forget(&self, client: Digest) -> BoxFuture<'_, Result<(), Error>>;
}

/// A claim on a key. Dropping it ends it.
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
