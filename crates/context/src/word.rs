//! Short names that people give: frame types, agents, labels.
//!
//! *Invariants*: a name starts with a letter or digit and consists of letters, digits, `.`, `_` and `-`, so it can be
//! part of a key, of a command line and of a line of text without quoting.

use std::str::FromStr;
use std::sync::Arc;

use crate::bounds::WORD_BYTES_MAX;

/// Reason that a text is not such a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not {what}: use 1 to {WORD_BYTES_MAX} letters, digits, `.`, `_` and `-`, the first a letter or digit"
)]
pub struct WordError {
    what: &'static str,
    text: String,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident, $what:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = WordError;

            fn from_str(text: &str) -> Result<Self, WordError> {
                if is_word(text) {
                    return Ok(Self(text.into()));
                }
                Err(WordError { what: $what, text: text.chars().take(WORD_BYTES_MAX).collect() })
            }
        }

        piton_core::shown_as_text!($name);
        piton_core::text_form!($name, $what, "^[A-Za-z0-9][A-Za-z0-9._-]*$", WORD_BYTES_MAX);
    )+};
}

fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    bytes.len() <= WORD_BYTES_MAX
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(plain)
}

words! {
    /// What a frame says about its node, for example `summary`.
    FrameType, "a frame type";
    /// The name of an agent.
    AgentId, "the name of an agent";
    /// What people call a recorded tree.
    Label, "a label";
}
