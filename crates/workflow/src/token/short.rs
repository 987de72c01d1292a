//! The short form of a token: `ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0`, at most 40 characters.
//!
//! An agent copies it without a mistake, and a person can read it aloud. It does not hold the payload;
//! it says where to find what the payload is made of, and proves it with the first 80 bits of the long
//! form's signature:
//!
//! | part | is | characters |
//! |---|---|---|
//! | `ak` | the kind: `st`, `ak` or `ck` | 2 |
//! | `7h2kq9xd` | the end of the session's id | 8 |
//! | `3` | how many nodes the session had before this one | 1 to 6 |
//! | `0` | how many attempts were recorded on the node before; not in a state token, which is for no attempt | 1 to 4 |
//! | `m3v8c2nq5wp1d6x0` | 80 bits of the signature, in base32 | 16 |
//!
//! Whoever reads one lists the sessions that end like this, computes the payload that each of them gives
//! for the two numbers, and lets the signature decide.
//!
//! *Invariants*: one text per value and one value per text: lowercase, decimal without leading zeros.
//! The parts have limits whose sum is [`SHORT_TOKEN_BYTES_MAX`]. `Debug` leaves the signature out.
//!
//! *Limitations*: a node or an attempt beyond the limits has no short form; its long form works. 80 bits
//! cannot be guessed against a live server, but they are not a signature to keep: a short token is for
//! the reply it stands in. Two equal short tokens prove nothing; only the keys do.
//!
//! ```
//! use piton_workflow::{ShortToken, TokenKind};
//! let token: ShortToken = "ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0".parse()?;
//! assert_eq!(token.kind(), TokenKind::Ack);
//! assert_eq!(token.session().to_string(), "7h2kq9xd");
//! assert_eq!(token.node().get(), 3);
//! # Ok::<(), piton_workflow::token::ShortTokenError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use piton_core::SessionId;

use super::attempt::AttemptOrdinal;
use super::base32;
use super::kind::TokenKind;
use super::string::TOKEN_STARTS;
use crate::bounds::{SHORT_TOKEN_ATTEMPT_MAX, SHORT_TOKEN_BYTES_MAX, SHORT_TOKEN_NODE_MAX};

/// The bytes of the signature that are kept.
pub(super) const MAC_BYTES: usize = 10;

/// The bytes of 8 characters in base32.
const TAIL_BYTES: usize = 5;

/// How many nodes a session had before this one, in the order of their `node_created` events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeOrdinal(u32);

impl NodeOrdinal {
    /// The first node of a session.
    pub const FIRST: Self = Self(0);

    /// The node that `before` others precede.
    pub const fn new(before: u32) -> Self {
        Self(before)
    }

    /// How many precede it.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The last 8 characters of a session's id: enough to list a few candidates, not to name one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionTail([u8; TAIL_BYTES]);

impl SessionTail {
    /// The end of `session`.
    pub fn of(session: SessionId) -> Self {
        Self(*session.as_bytes().last_chunk().expect("an id has more bytes than its tail"))
    }
}

impl fmt::Display for SessionTail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&base32::encode(self.0))
    }
}

impl fmt::Debug for SessionTail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Where in its session a token is minted, by counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenOrdinals {
    /// The node.
    pub node: NodeOrdinal,
    /// The attempt that the token is for. A state token is for none and leaves it out.
    pub attempt: AttemptOrdinal,
}

/// A token in its short form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShortToken {
    kind: TokenKind,
    session: SessionTail,
    node: NodeOrdinal,
    /// There, unless the kind is `State`.
    attempt: Option<AttemptOrdinal>,
    mac: [u8; MAC_BYTES],
}

/// Why a text is not a short token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShortTokenError {
    /// It is too long.
    #[error("a short token has at most {SHORT_TOKEN_BYTES_MAX} characters")]
    TooLong,
    /// It does not begin as any kind of short token.
    #[error("{TOKEN_STARTS}")]
    Kind,
    /// It does not have the parts of its kind.
    #[error(
        "a short token has five parts joined by hyphens, such as `ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0`, and four if it starts with `st-`"
    )]
    Form,
    /// The end of the session's id is damaged.
    #[error(
        "the second part of a short token is 8 characters out of 0-9 and a-z without i, l, o and u"
    )]
    Session,
    /// A count is not written as we write it, or too large.
    #[error(
        "the counts in a short token are at most {SHORT_TOKEN_NODE_MAX} (node) and {SHORT_TOKEN_ATTEMPT_MAX} (attempt), without leading zeros"
    )]
    Count,
    /// The signature is damaged.
    #[error("a short token ends with 16 characters out of 0-9 and a-z without i, l, o and u")]
    Signature,
}

const fn prefix(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::State => "st",
        TokenKind::Ack => "ak",
        TokenKind::Checkpoint => "ck",
    }
}

impl ShortToken {
    /// `None` if a count of `place` is too large for the short form.
    pub(super) fn new(
        kind: TokenKind,
        session: SessionId,
        place: TokenOrdinals,
        signature: &[u8; 32],
    ) -> Option<Self> {
        let attempt = (kind != TokenKind::State).then_some(place.attempt);
        let fits = place.node.0 <= SHORT_TOKEN_NODE_MAX
            && attempt.is_none_or(|attempt| attempt.get() <= SHORT_TOKEN_ATTEMPT_MAX);
        let mac = *signature.first_chunk().expect("a signature has 32 bytes");
        fits.then(|| Self {
            kind,
            session: SessionTail::of(session),
            node: place.node,
            attempt,
            mac,
        })
    }

    /// What the token is for.
    pub const fn kind(&self) -> TokenKind {
        self.kind
    }

    /// How the id of its session ends.
    pub const fn session(&self) -> SessionTail {
        self.session
    }

    /// Its node, counted within the session.
    pub const fn node(&self) -> NodeOrdinal {
        self.node
    }

    /// The attempt that it is for; `None` for a state token.
    pub const fn attempt(&self) -> Option<AttemptOrdinal> {
        self.attempt
    }

    /// The first bytes of the signature.
    pub(super) const fn mac(&self) -> &[u8; MAC_BYTES] {
        &self.mac
    }

    /// Everything before the signature.
    fn write_place(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}-", prefix(self.kind), self.session, self.node.0)?;
        self.attempt.map_or(Ok(()), |attempt| write!(formatter, "{attempt}-"))
    }
}

impl FromStr for ShortToken {
    type Err = ShortTokenError;

    fn from_str(text: &str) -> Result<Self, ShortTokenError> {
        if text.len() > SHORT_TOKEN_BYTES_MAX {
            return Err(ShortTokenError::TooLong);
        }
        let (begin, rest) = text.split_once('-').ok_or(ShortTokenError::Kind)?;
        let kind = TokenKind::ALL.iter().copied().find(|kind| prefix(*kind) == begin);
        let kind = kind.ok_or(ShortTokenError::Kind)?;
        let parts: Vec<&str> = rest.split('-').collect();
        let (session, node, attempt, mac) = match (kind, parts.as_slice()) {
            (TokenKind::State, [session, node, mac]) => (session, node, None, mac),
            (TokenKind::Ack | TokenKind::Checkpoint, [session, node, attempt, mac]) => {
                (session, node, Some(attempt), mac)
            }
            _ => return Err(ShortTokenError::Form),
        };
        let session = base32::decode(session).ok_or(ShortTokenError::Session)?;
        let node = NodeOrdinal(count(node, SHORT_TOKEN_NODE_MAX)?);
        let attempt = attempt.map(|text| count(text, SHORT_TOKEN_ATTEMPT_MAX)).transpose()?;
        let attempt = attempt.map(AttemptOrdinal::new);
        let mac = base32::decode(mac).ok_or(ShortTokenError::Signature)?;
        Ok(Self { kind, session: SessionTail(session), node, attempt, mac })
    }
}

/// Only the text that a number itself would write: no sign, no leading zero.
fn count(text: &str, max: u32) -> Result<u32, ShortTokenError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    let number = text.parse().ok().filter(|number| digits && !leading_zero && *number <= max);
    number.ok_or(ShortTokenError::Count)
}

impl fmt::Display for ShortToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_place(formatter)?;
        formatter.write_str(&base32::encode(self.mac))
    }
}

impl fmt::Debug for ShortToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_place(formatter)?;
        formatter.write_str("…")
    }
}
