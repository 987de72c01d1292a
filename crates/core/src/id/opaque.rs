//! Opaque ids: a prefix that names the kind, and 128 bits that mean nothing.
//!
//! *Invariants*: an id contains no time, so that ordering by id never means ordering by the clock. An id is either
//! minted from entropy or derived from a digest; both give the same kind of text.

use std::str::FromStr;

use super::error::{IdError, IdProblem};
use crate::base32;
use crate::digest::Digest;
use crate::port::Entropy;
use crate::text_form::lent_text;

/// Length of the base32 text.
const BASE32_LEN: usize = 26;

/// Maximum length of the text: the longest prefix, the underscore and the base32 text.
const TEXT_LEN_MAX: usize = 16 + 1 + BASE32_LEN;

/// Passes the text of an id to `lend` without allocating.
fn with_text<R>(prefix: &str, bytes: [u8; 16], lend: impl FnOnce(&str) -> R) -> R {
    // Ids are formatted often, so the text is built on the stack.
    let mut text = [0; TEXT_LEN_MAX];
    let underscore = prefix.len();
    let end = underscore + 1 + BASE32_LEN;
    text[..underscore].copy_from_slice(prefix.as_bytes());
    text[underscore] = b'_';
    text[underscore + 1..end].copy_from_slice(&base32::encode::<16, BASE32_LEN>(bytes));
    lend(std::str::from_utf8(&text[..end]).expect("the prefix and base32 are ASCII"))
}

fn parse(prefix: &'static str, text: &str) -> Result<[u8; 16], IdProblem> {
    text.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .ok_or(IdProblem::Prefix { expected: prefix })
        .and_then(base32::decode::<16, BASE32_LEN>)
}

/// Declares id types that differ in name and prefix only.
macro_rules! opaque_ids {
    ($($(#[$meta:meta])* $name:ident => $prefix:literal,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// Start of the text, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Creates a new random id.
            pub fn mint(entropy: &dyn Entropy) -> Self {
                let mut bytes = [0; 16];
                entropy.fill(&mut bytes);
                Self(bytes)
            }

            /// Derives the id that belongs to a digest: its first 128 bits.
            pub fn from_digest(digest: &Digest) -> Self {
                let (bytes, _) = digest
                    .as_bytes()
                    .split_first_chunk()
                    .expect("a digest has more than 16 bytes");
                Self(*bytes)
            }

            /// Creates an id from its 128 bits.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Returns the 128 bits.
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }

            fn with_text<R>(&self, lend: impl FnOnce(&str) -> R) -> R {
                with_text($prefix, self.0, lend)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                match parse($prefix, text) {
                    Ok(bytes) => Ok(Self(bytes)),
                    Err(problem) => Err(problem.of(stringify!($name))),
                }
            }
        }

        impl TryFrom<&str> for $name {
            type Error = IdError;

            fn try_from(text: &str) -> Result<Self, IdError> {
                text.parse()
            }
        }

        lent_text!($name, concat!("an id such as `", $prefix, "_…`"));
        crate::string_schema!(
            $name,
            { "pattern": concat!("^", $prefix, "_[0-7][0-9a-hjkmnp-tv-z]{25}$") }
        );
    )+};
}

opaque_ids! {
    /// One durable event stream.
    SessionId => "sess",
    /// One execution of a pinned workflow.
    RunId => "run",
    /// One node of a run.
    NodeId => "node",
    /// One event of a session. It names the event and nothing else: it is never part of a dedupe key.
    EventId => "evt",
    /// One try to leave a node.
    AttemptId => "attempt",
    /// One recorded output of a node.
    OutputId => "out",
    /// One recorded gap.
    GapId => "gap",
    /// One change of preferences.
    ChangeId => "change",
    /// One observation.
    ObservationId => "obs",
    /// One divergence.
    DivergenceId => "div",
    /// One decision trace.
    TraceId => "trace",
    /// One setting of a run's context.
    ContextId => "ctx",
    /// One exported bundle.
    BundleId => "bundle",
}
