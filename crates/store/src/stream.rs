//! Names of streams, leases, and parts of an index.
//!
//! Invariants: a name is 1 to 96 characters of `[a-z0-9_-]`, so that every adapter can use it as a file name, a row key
//! or part of one without escaping.

use std::str::FromStr;
use std::sync::Arc;

use piton_core::SessionId;

use crate::bounds::NAME_BYTES_MAX;

/// Error for a text that is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a name: use 1 to {NAME_BYTES_MAX} characters of a-z, 0-9, `_` and `-`")]
pub struct NameError {
    text: String,
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $type(Arc<str>);

        impl $type {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
                if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(plain) {
                    let text = text.chars().take(NAME_BYTES_MAX).collect();
                    return Err(NameError { text });
                }
                Ok(Self(text.into()))
            }
        }

        piton_core::shown_as_text!($type);
        piton_core::text_form!($type, "a name", "^[a-z0-9_-]+$", NAME_BYTES_MAX);
    };
}

name! {
    /// Names one stream of events: a session, or a backpack.
    StreamId
}

name! {
    /// Names something that one process at a time may hold.
    LeaseName
}

name! {
    /// Names a collection of documents in an index, or a field of them.
    IndexName
}

impl StreamId {
    /// Returns the words for this stream in a sentence.
    pub(crate) fn phrase(&self) -> String {
        format!("the {} {self}", if self.is_session() { "session" } else { "backpack" })
    }

    /// True if this is the stream of a session. Any other is that of a backpack.
    pub(crate) fn is_session(&self) -> bool {
        self.0.strip_prefix(SessionId::PREFIX).is_some_and(|rest| rest.starts_with('_'))
    }
}

impl From<&StreamId> for LeaseName {
    /// The lease on a stream has the name of the stream.
    fn from(stream: &StreamId) -> Self {
        Self(Arc::clone(&stream.0))
    }
}

impl From<SessionId> for StreamId {
    fn from(session: SessionId) -> Self {
        Self(session.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_only_characters_that_every_adapter_can_store() {
        for good in ["a", "sess_01", "collection", "a-b_c9", &"x".repeat(96)] {
            assert_eq!(good.parse::<StreamId>().unwrap().as_str(), good);
        }
        for bad in ["", "A", "a b", "a/b", "..", "a.b", "ä", &"x".repeat(97)] {
            assert!(bad.parse::<StreamId>().is_err(), "{bad}");
            assert!(bad.parse::<LeaseName>().is_err(), "{bad}");
        }
    }
}
