//! The identity of a call among those of its client, and the ids of its events.
//!
//! Calls with the same id and message are numbered, and the number is part of the ids of their events. The record of
//! the newest call is stored under the message alone, where a repetition finds it. When another call follows, the
//! record moves to an entry with its number.
//!
//! *Invariants*: the id of an event identifies one call.

use std::sync::{Arc, OnceLock};

use piton_core::{Digest, FileBytes};
use piton_runtime::ReplyKey;
use rmcp::model::ClientJsonRpcMessage;

/// Owner of the streams without a session, together with the first character of their id. Their records are bounded as
/// if they belonged to that number of clients.
const NOBODY: &str = "without a session";

/// Number of hex digits that tell the requests of a session apart.
const REQUEST_DIGITS: usize = 32;

/// The events of one call. Clones refer to the same call.
#[derive(Clone)]
pub(super) struct CallStream {
    /// Key of the newest call with the same message.
    pub(super) key: ReplyKey,
    /// Tells calls with the same message apart. For a repetition it is known once the record of its call is seen.
    /// `None` for a call without a session.
    pub(super) number: Option<Arc<OnceLock<u64>>>,
}

impl CallStream {
    /// Returns the stream of a request in a session.
    pub(super) fn of_request(session: &str, request: &ClientJsonRpcMessage) -> Self {
        let bytes = serde_json::to_vec(request).expect("a message is JSON");
        let digits = Digest::of(&FileBytes(&bytes)).hex();
        let name = format!("c{}", &digits[..REQUEST_DIGITS]);
        let key = ReplyKey::new(session, name.parse().expect("hex digits are a name"));
        Self { key, number: Some(Arc::default()) }
    }

    /// Returns the stream of a call without a session, or `None` if the id cannot be one.
    pub(super) fn without_session(id: &str) -> Option<Self> {
        let nobody = format!("{NOBODY} {}", id.chars().next()?);
        Some(Self { key: ReplyKey::new(&nobody, format!("s{id}").parse().ok()?), number: None })
    }

    /// Parses the id of an event of a session into its stream and position.
    pub(super) fn of_event(session: &str, event: &str) -> Option<(Self, usize)> {
        let (call, place) = event.rsplit_once('-')?;
        // Older event ids have no call number.
        let (name, number) = call.split_once('-').unwrap_or((call, "0"));
        let digits = name.strip_prefix('c')?;
        let is_ours =
            digits.len() == REQUEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let key = ReplyKey::new(session, name.parse().ok().filter(|_| is_ours)?);
        Some((Self { key, number: None }.numbered(number.parse().ok()?), place.parse().ok()?))
    }

    /// Returns the stream of the call with this number and the same message.
    pub(super) fn numbered(&self, number: u64) -> Self {
        Self { key: self.key.clone(), number: Some(Arc::new(OnceLock::from(number))) }
    }

    pub(super) fn number(&self) -> Option<u64> {
        self.number.as_ref().and_then(|number| number.get().copied())
    }

    /// Returns the prefix of its event ids.
    fn label(&self) -> String {
        let name = self.key.name.as_str();
        self.number().map_or_else(|| name.to_owned(), |number| format!("{name}-{number}"))
    }

    /// Returns the key of the record after another call has followed.
    pub(super) fn earlier(&self) -> ReplyKey {
        let name = self.label().parse().expect("a name with a number is a name");
        ReplyKey { client: self.key.client, name }
    }

    pub(super) fn event(&self, place: usize) -> String {
        format!("{}-{place}", self.label())
    }
}
