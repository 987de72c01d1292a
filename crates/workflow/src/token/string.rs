//! The long form of a token, `st.v1.<payload>.<signature>`, and either form as a caller sends it.
//!
//! *Invariants*: the two parts are base64url without padding, in the only spelling that their bytes have, and
//! the signature is as long as an HMAC-SHA256. The signature is never shown: `Debug` leaves it out, there is
//! no `Display`, and no error quotes the token.
//!
//! *Limitations*: only the outer form is checked. A [`TokenString`] is what a caller sent, which does not
//! prove that we issued it; that takes the keys. Two equal token strings prove nothing either. The short form
//! of a token is another type.
//!
//! ```
//! # use piton_workflow::{TokenKind, TokenString, TokenStringError};
//! let text = format!("ack.v1.e30.{}", "A".repeat(43));
//! let token: TokenString = text.parse()?;
//! assert_eq!(token.kind(), TokenKind::Ack);
//! assert_eq!(format!("{token:?}"), "ack.v1.e30.…");
//! # Ok::<(), TokenStringError>(())
//! ```
//!
// shows in part: WR-018 (the two examples below that must not build)
//! ```compile_fail,E0308
//! # use piton_workflow::TokenString;
//! fn unchecked(text: String) -> TokenString { text }
//! ```
//!
//! ```compile_fail,E0308
//! # use piton_core::DedupeKey;
//! # use piton_workflow::TokenString;
//! fn swapped(key: DedupeKey) -> TokenString { key }
//! ```
//!
//! A token cannot be shown in a message by accident:
//!
//! ```compile_fail,E0277
//! # use piton_workflow::TokenString;
//! fn shown(token: &TokenString) -> String { format!("{token}") }
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
// Refuses padding, and a last character with unused bits set.
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

use super::error::TokenError;
use super::payload::TokenKind;
use super::short::ShortToken;
use crate::bounds::TOKEN_BYTES_MAX;

const VERSION: &str = "v1";

/// Length of an HMAC-SHA256.
const SIGNATURE_BYTES: usize = 32;

/// A text that has the outer form of a signed token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenString {
    text: Arc<str>,
    kind: TokenKind,
}

/// The beginnings of the tokens that agents receive, as an error message lists them.
pub(super) const TOKEN_STARTS: &str = "a token starts with ak-, st- or ck-";

/// Reason that a text does not have the form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenStringError {
    #[error("a token has at most {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// The text does not start with the prefix of any kind of token.
    #[error("{TOKEN_STARTS}")]
    Kind,
    /// The text does not have four parts.
    #[error("a token has four parts joined by dots, such as `st.v1.<payload>.<signature>`")]
    Form,
    #[error("this program reads tokens of version `{VERSION}` only")]
    UnsupportedVersion,
    /// The payload is not base64url without padding.
    #[error("the payload of the token is damaged: it is not base64url without padding")]
    Payload,
    /// The signature is not 32 bytes of base64url without padding.
    #[error(
        "the signature of the token is damaged: it is not 32 bytes in base64url without padding"
    )]
    Signature,
}

impl TokenString {
    /// Returns the purpose that the token claims to have.
    pub const fn kind(&self) -> TokenKind {
        self.kind
    }

    /// Returns the whole token. It may be sent to the agent and to nobody else.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Assembles a token of `kind`. Panics if the bytes make it longer than [`TOKEN_BYTES_MAX`].
    pub(super) fn assemble(
        kind: TokenKind,
        payload: &[u8],
        signature: [u8; SIGNATURE_BYTES],
    ) -> Self {
        let (payload, signature) = (BASE64.encode(payload), BASE64.encode(signature));
        let text = format!("{}.{VERSION}.{payload}.{signature}", kind.prefix());
        assert!(text.len() <= TOKEN_BYTES_MAX, "payloads are far shorter than the limit");
        Self { text: text.into(), kind }
    }

    /// Returns the payload in base64url.
    pub fn payload(&self) -> &str {
        self.part(2)
    }

    /// Returns the bytes of the payload, which are the signed message.
    pub fn payload_bytes(&self) -> Vec<u8> {
        BASE64.decode(self.payload()).expect("parsing decoded it")
    }

    /// Returns the signature in base64url.
    pub fn signature(&self) -> &str {
        self.part(3)
    }

    /// Returns the bytes of the signature.
    pub(super) fn signature_bytes(&self) -> Vec<u8> {
        BASE64.decode(self.signature()).expect("parsing decoded it")
    }

    fn part(&self, position: usize) -> &str {
        self.text.split('.').nth(position).expect("parsing found four parts")
    }
}

impl FromStr for TokenString {
    type Err = TokenStringError;

    fn from_str(text: &str) -> Result<Self, TokenStringError> {
        // The length is bounded before anything is decoded, since the text comes from outside.
        if text.len() > TOKEN_BYTES_MAX {
            return Err(TokenStringError::TooLong);
        }
        let (prefix, rest) = text.split_once('.').ok_or(TokenStringError::Kind)?;
        let kind = TokenKind::ALL.iter().copied().find(|kind| kind.prefix() == prefix);
        let kind = kind.ok_or(TokenStringError::Kind)?;
        // The version comes before the payload, so that an unknown one is recognised without decoding
        // anything.
        let (version, rest) = rest.split_once('.').ok_or(TokenStringError::Form)?;
        if version != VERSION {
            // A token of another version was not damaged on the way, so its error differs from that of a
            // damaged one.
            return Err(if is_version(version) {
                TokenStringError::UnsupportedVersion
            } else {
                TokenStringError::Form
            });
        }
        let (payload, signature) = rest.split_once('.').ok_or(TokenStringError::Form)?;
        if signature.contains('.') {
            return Err(TokenStringError::Form);
        }
        // Both parts are decoded here once, so that the accessors can rely on it.
        if payload.is_empty() || BASE64.decode(payload).is_err() {
            return Err(TokenStringError::Payload);
        }
        let signature_bytes = BASE64.decode(signature).map_err(|_| TokenStringError::Signature)?;
        if signature_bytes.len() != SIGNATURE_BYTES {
            return Err(TokenStringError::Signature);
        }
        Ok(Self { text: text.into(), kind })
    }
}

/// True if a text looks like the version of some token, known or not.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Debug for TokenString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the signature, the text in a log cannot be used as a token.
        write!(formatter, "{}.{VERSION}.{}.…", self.kind.prefix(), self.payload())
    }
}

piton_core::text_form!(
    TokenString,
    "a token",
    r"^(st|ack|chk)\.v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$",
    TOKEN_BYTES_MAX
);

/// A text that has one of the two forms of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyToken {
    /// The signed long form.
    Long(TokenString),
    /// The short form; its payload has to be found before it can be verified.
    Short(ShortToken),
}

impl AnyToken {
    /// Returns the purpose that the token claims to have.
    pub const fn kind(&self) -> TokenKind {
        match self {
            Self::Long(token) => token.kind(),
            Self::Short(token) => token.kind(),
        }
    }
}

impl FromStr for AnyToken {
    type Err = TokenError;

    /// Parses either form.
    ///
    /// The short form joins its parts with hyphens and the long form with dots. Whichever separator comes
    /// first decides, so that an error is about the form that was meant.
    fn from_str(text: &str) -> Result<Self, TokenError> {
        // A long token may contain hyphens, since base64url has them, but only after its first dot.
        match text.find(['.', '-']) {
            Some(place) if text[place..].starts_with('-') => Ok(Self::Short(text.parse()?)),
            _ => Ok(Self::Long(text.parse()?)),
        }
    }
}
