//! Reasons for refusing a token.
//!
//! *Invariants*: each variant of [`TokenError`] is one code, and each token code is one variant. No message
//! quotes a token.

use piton_core::error::sentence;
use piton_core::{Code, Envelope, WorkflowHash};

use super::payload::TokenKind;
use super::short::ShortTokenError;
use super::string::TokenStringError;

/// Reason that a token is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The text is not a token.
    #[error("the token is damaged or made up: {0}")]
    InvalidFormat(#[from] FormatProblem),
    #[error("the token has a version that this program does not know")]
    UnsupportedVersion,
    /// Neither the current nor the previous key signed it.
    #[error("the token was not signed by this data directory's current or previous key")]
    BadSignature,
    /// A token of another kind belongs in its place.
    #[error(
        "a token of kind {} stands where one of kind {} belongs; nothing was written",
        found.parameter(),
        wanted.parameter()
    )]
    ScopeMismatch {
        /// The kind that was expected.
        wanted: TokenKind,
        /// The kind that was given.
        found: TokenKind,
    },
    /// The session, run or node that it names does not exist.
    #[error("the token names a session, run or node that is not in this data directory")]
    UnknownNode,
    /// The run of the token is pinned to another workflow.
    #[error("the token names the workflow {token}, but its run is pinned to {pinned}")]
    WorkflowHashMismatch {
        /// The hash in the token.
        token: WorkflowHash,
        /// The hash that the run is pinned to.
        pinned: WorkflowHash,
    },
    /// Another process is writing to the session of the token.
    #[error("another process is writing to the session of this token; nothing was written")]
    SessionLocked,
}

/// Reason that a text or payload differs from what we write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    #[error(transparent)]
    Text(TokenStringError),
    #[error(transparent)]
    Short(ShortTokenError),
    /// The payload is not JSON with exactly the fields of its kind.
    #[error("its payload does not have exactly the fields of its kind")]
    Payload,
    /// The payload has the right meaning but is not in canonical form.
    #[error("its payload is not in canonical form")]
    NotCanonical,
    /// The prefix of the text and the payload name different kinds.
    #[error("it begins as a token of kind {} and holds one of kind {}", prefix.parameter(), payload.parameter())]
    KindDiffers { prefix: TokenKind, payload: TokenKind },
}

impl TokenError {
    /// Returns the error code.
    pub const fn code(&self) -> Code {
        match self {
            Self::InvalidFormat(_) => Code::TokenInvalidFormat,
            Self::UnsupportedVersion => Code::TokenUnsupportedVersion,
            Self::BadSignature => Code::TokenBadSignature,
            Self::ScopeMismatch { .. } => Code::TokenScopeMismatch,
            Self::UnknownNode => Code::TokenUnknownNode,
            Self::WorkflowHashMismatch { .. } => Code::TokenWorkflowHashMismatch,
            Self::SessionLocked => Code::TokenSessionLocked,
        }
    }

    /// Returns the failure in the form that people and agents read.
    pub fn envelope(&self) -> Envelope {
        Envelope::new(self.code(), sentence(&self.to_string()))
    }
}

impl From<TokenStringError> for TokenError {
    fn from(error: TokenStringError) -> Self {
        match error {
            TokenStringError::UnsupportedVersion => Self::UnsupportedVersion,
            error => Self::InvalidFormat(FormatProblem::Text(error)),
        }
    }
}

impl From<ShortTokenError> for TokenError {
    fn from(error: ShortTokenError) -> Self {
        Self::InvalidFormat(FormatProblem::Short(error))
    }
}

/// Failure of an operation that takes a token.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The store failed, for example because the key ring is damaged.
    #[error(transparent)]
    Store(piton_store::Error),
}

impl Error {
    /// Returns the error code.
    pub fn code(&self) -> Code {
        match self {
            Self::Token(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// Returns the failure in the form that people and agents read.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Token(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
        }
    }
}

/// A busy session is reported to a caller with a token as a problem of the token, because the token is all
/// that the caller knows about the session.
impl From<piton_store::Error> for Error {
    fn from(error: piton_store::Error) -> Self {
        match error {
            piton_store::Error::Locked { .. } => Self::Token(TokenError::SessionLocked),
            error => Self::Store(error),
        }
    }
}
