//! Tokens as text: `st.v1.<payload>.<signature>`.
//!
//! *Invariants*: the two parts are base64url without padding, written in the one way that their bytes
//! have, and the signature is as long as an HMAC-SHA256. The signature is never shown: `Debug` leaves
//! it out, there is no `Display`, and no error quotes the token.
//!
//! *Limitations*: only the outer form is checked. A [`TokenString`] says what a caller sent, not that we
//! sent it first; that takes the keys, and two equal token strings prove nothing either. The short form
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
//! There is no way to show a token in a message by accident:
//!
//! ```compile_fail,E0277
//! # use piton_workflow::TokenString;
//! fn shown(token: &TokenString) -> String { format!("{token}") }
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
// Refuses padding, and bits in the last character that stand for nothing.
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

use super::kind::TokenKind;
use crate::bounds::TOKEN_BYTES_MAX;

const VERSION: &str = "v1";

/// The bytes of an HMAC-SHA256.
const SIGNATURE_BYTES: usize = 32;

/// A text that has the outer form of a signed token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenString {
    text: Arc<str>,
    kind: TokenKind,
}

/// How the tokens begin that agents are given.
pub(super) const TOKEN_STARTS: &str = "a token starts with ak-, st- or ck-";

/// Why a text does not have the form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenStringError {
    /// It is too long.
    #[error("a token has at most {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// It does not begin as any kind of token.
    #[error("{TOKEN_STARTS}")]
    Kind,
    /// It does not have the four parts.
    #[error("a token has four parts joined by dots, such as `st.v1.<payload>.<signature>`")]
    Form,
    /// It has another version.
    #[error("this program reads tokens of version `{VERSION}` only")]
    UnsupportedVersion,
    /// Its payload is not base64url.
    #[error("the payload of the token is damaged: it is not base64url without padding")]
    Payload,
    /// Its signature is not base64url of 32 bytes.
    #[error(
        "the signature of the token is damaged: it is not 32 bytes in base64url without padding"
    )]
    Signature,
}

impl TokenString {
    /// What the token says it is for.
    pub const fn kind(&self) -> TokenKind {
        self.kind
    }

    /// The whole token, to be sent to the agent and to nobody else.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The token of `kind` with these bytes, which must be few enough.
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

    /// The payload in base64url.
    pub fn payload(&self) -> &str {
        self.part(2)
    }

    /// The bytes of the payload, which are what is signed.
    pub fn payload_bytes(&self) -> Vec<u8> {
        BASE64.decode(self.payload()).expect("parsing decoded it")
    }

    /// The signature in base64url.
    pub fn signature(&self) -> &str {
        self.part(3)
    }

    /// The bytes of the signature.
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
        if text.len() > TOKEN_BYTES_MAX {
            return Err(TokenStringError::TooLong);
        }
        let (prefix, rest) = text.split_once('.').ok_or(TokenStringError::Kind)?;
        let kind = TokenKind::ALL.iter().copied().find(|kind| kind.prefix() == prefix);
        let kind = kind.ok_or(TokenStringError::Kind)?;
        let (version, rest) = rest.split_once('.').ok_or(TokenStringError::Form)?;
        if version != VERSION {
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

/// Whether a text looks like the version of some token, known or not.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Debug for TokenString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{VERSION}.{}.…", self.kind.prefix(), self.payload())
    }
}

piton_core::text_form!(
    TokenString,
    "a token",
    r"^(st|ack|chk)\.v1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$",
    TOKEN_BYTES_MAX
);
