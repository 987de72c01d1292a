//! The short form of a token: `ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0`, at most 40 characters.
//!
//! An agent copies it without mistakes, and a person can read it aloud. It does not hold the payload. It says
//! where to find the parts that the payload is made of, and proves it with the first 80 bits of the long
//! form's signature:
//!
//! | part | is | characters |
//! |---|---|---|
//! | `ak` | the kind: `st`, `ak` or `ck` | 2 |
//! | `7h2kq9xd` | the end of the session's id | 8 |
//! | `3` | the number of nodes that the session had before this one | 1 to 6 |
//! | `0` | the number of attempts recorded on the node before; absent from a state token | 1 to 4 |
//! | `m3v8c2nq5wp1d6x0` | 80 bits of the signature, in base32 | 16 |
//!
//! To resolve one, list the sessions with an id that ends like this, compute the payload that each of them
//! gives for the two numbers, and let the signature decide.
//!
//! *Invariants*: one text per value and one value per text: lowercase, decimal without leading zeros. The
//! limits of the parts add up to [`SHORT_TOKEN_BYTES_MAX`]. `Debug` leaves the signature out.
//!
//! *Limitations*: a node or an attempt beyond the limits has no short form; its long form works. 80 bits
//! cannot be guessed against a live server, but they are not a signature to keep: a short token is meant for
//! the reply that contains it. Two equal short tokens prove nothing; only the keys do.
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

use piton_core::{SessionId, base32};

use super::attempt::AttemptOrdinal;
use super::payload::TokenKind;
use super::string::TOKEN_STARTS;
use crate::bounds::{SHORT_TOKEN_ATTEMPT_MAX, SHORT_TOKEN_BYTES_MAX, SHORT_TOKEN_NODE_MAX};

/// Number of bytes of the signature that are kept, and of characters that they take.
pub(super) const MAC_BYTES: usize = 10;
const MAC_CHARACTERS: usize = 16;

/// Number of bytes at the end of a session id that are kept, and of characters that they take.
const TAIL_BYTES: usize = 5;
const TAIL_CHARACTERS: usize = 8;

/// The number of nodes that a session had before this one, in the order of their `node_created` events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeOrdinal(u32);

impl NodeOrdinal {
    /// The first node of a session.
    pub const FIRST: Self = Self(0);

    /// Creates the ordinal of a node that `before` others precede.
    pub const fn new(before: u32) -> Self {
        Self(before)
    }

    /// Returns the number of nodes before this one.
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The last 8 characters of a session id: enough to list a few candidates, not to identify one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionTail([u8; TAIL_BYTES]);

impl SessionTail {
    /// Returns the tail of `session`.
    pub fn of(session: SessionId) -> Self {
        Self(*session.as_bytes().last_chunk().expect("an id has more bytes than its tail"))
    }
}

impl fmt::Display for SessionTail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(ascii(&base32::encode::<_, TAIL_CHARACTERS>(self.0)))
    }
}

impl fmt::Debug for SessionTail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The position within its session for which a token is minted, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TokenOrdinals {
    pub node: NodeOrdinal,
    /// A state token belongs to no attempt and leaves it out.
    pub attempt: AttemptOrdinal,
}

/// A token in its short form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShortToken {
    kind: TokenKind,
    session: SessionTail,
    node: NodeOrdinal,
    /// Present unless the kind is `State`.
    attempt: Option<AttemptOrdinal>,
    mac: [u8; MAC_BYTES],
}

/// Reason that a text is not a short token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShortTokenError {
    #[error("a short token has at most {SHORT_TOKEN_BYTES_MAX} characters")]
    TooLong,
    /// The text does not start with the prefix of any kind of short token.
    #[error("{TOKEN_STARTS}")]
    Kind,
    /// The text does not have the parts of its kind.
    #[error(
        "a short token has five parts joined by hyphens, such as `ak-7h2kq9xd-3-0-m3v8c2nq5wp1d6x0`, and four if it starts with `st-`"
    )]
    Form,
    /// The tail of the session id is damaged.
    #[error(
        "the second part of a short token is 8 characters out of 0-9 and a-z without i, l, o and u"
    )]
    Session,
    /// A count is too large or not written as we write it.
    #[error(
        "the counts in a short token are at most {SHORT_TOKEN_NODE_MAX} (node) and {SHORT_TOKEN_ATTEMPT_MAX} (attempt), without leading zeros"
    )]
    Count,
    #[error("a short token ends with 16 characters out of 0-9 and a-z without i, l, o and u")]
    Signature,
}

fn ascii(text: &[u8]) -> &str {
    std::str::from_utf8(text).expect("base32 is ASCII")
}

const fn prefix(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::State => "st",
        TokenKind::Ack => "ak",
        TokenKind::Checkpoint => "ck",
    }
}

impl ShortToken {
    /// Creates a short token, or returns `None` if a count of `place` is too large for the short form.
    pub(super) fn new(
        kind: TokenKind,
        session: SessionId,
        place: TokenOrdinals,
        signature: &[u8; 32],
    ) -> Option<Self> {
        let attempt = (kind != TokenKind::State).then_some(place.attempt);
        // The limits are what keeps the text within its maximum length; beyond them only the long form
        // exists.
        let fits = place.node.0 <= SHORT_TOKEN_NODE_MAX
            && attempt.is_none_or(|attempt| attempt.get() <= SHORT_TOKEN_ATTEMPT_MAX);
        // An HMAC may be truncated; its strength is then that of the bits that are left.
        let mac = *signature.first_chunk().expect("a signature has 32 bytes");
        fits.then(|| Self {
            kind,
            session: SessionTail::of(session),
            node: place.node,
            attempt,
            mac,
        })
    }

    /// Returns the purpose of the token.
    pub const fn kind(&self) -> TokenKind {
        self.kind
    }

    /// Returns the end of its session's id.
    pub const fn session(&self) -> SessionTail {
        self.session
    }

    /// Returns its node, counted within the session.
    pub const fn node(&self) -> NodeOrdinal {
        self.node
    }

    /// Returns the attempt that it is for; `None` for a state token.
    pub const fn attempt(&self) -> Option<AttemptOrdinal> {
        self.attempt
    }

    /// Returns the first bytes of the signature.
    pub(super) const fn mac(&self) -> &[u8; MAC_BYTES] {
        &self.mac
    }

    /// Writes everything before the signature.
    fn write_place(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}-{}-", prefix(self.kind), self.session, self.node.0)?;
        self.attempt.map_or(Ok(()), |attempt| write!(formatter, "{attempt}-"))
    }
}

impl FromStr for ShortToken {
    type Err = ShortTokenError;

    fn from_str(text: &str) -> Result<Self, ShortTokenError> {
        // The length is bounded before the text is split, since it comes from outside.
        if text.len() > SHORT_TOKEN_BYTES_MAX {
            return Err(ShortTokenError::TooLong);
        }
        let (begin, rest) = text.split_once('-').ok_or(ShortTokenError::Kind)?;
        let kind = TokenKind::ALL.iter().copied().find(|kind| prefix(*kind) == begin);
        let kind = kind.ok_or(ShortTokenError::Kind)?;
        // Base32 has no hyphens, so splitting cannot cut a part in two.
        let parts: Vec<&str> = rest.split('-').collect();
        // The kind determines the number of parts, so a state token with an attempt is refused as well.
        let (session, node, attempt, mac) = match (kind, parts.as_slice()) {
            (TokenKind::State, [session, node, mac]) => (session, node, None, mac),
            (TokenKind::Ack | TokenKind::Checkpoint, [session, node, attempt, mac]) => {
                (session, node, Some(attempt), mac)
            }
            _ => return Err(ShortTokenError::Form),
        };
        let session = base32::decode::<_, TAIL_CHARACTERS>(session);
        let session = session.map_err(|_| ShortTokenError::Session)?;
        let node = NodeOrdinal(count(node, SHORT_TOKEN_NODE_MAX)?);
        let attempt = attempt.map(|text| count(text, SHORT_TOKEN_ATTEMPT_MAX)).transpose()?;
        let attempt = attempt.map(AttemptOrdinal::new);
        let mac =
            base32::decode::<_, MAC_CHARACTERS>(mac).map_err(|_| ShortTokenError::Signature)?;
        Ok(Self { kind, session: SessionTail(session), node, attempt, mac })
    }
}

/// Parses a count. Only the text that formatting the number would give is accepted: no sign, no leading zero.
fn count(text: &str, max: u32) -> Result<u32, ShortTokenError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    // `parse` accepts a leading `+`, which `digits` rules out.
    let number = text.parse().ok().filter(|number| digits && !leading_zero && *number <= max);
    number.ok_or(ShortTokenError::Count)
}

impl fmt::Display for ShortToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_place(formatter)?;
        formatter.write_str(ascii(&base32::encode::<_, MAC_CHARACTERS>(self.mac)))
    }
}

impl fmt::Debug for ShortToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_place(formatter)?;
        formatter.write_str("…")
    }
}
