//! Why a token is refused.
//!
//! *Invariants*: each variant of [`TokenError`] is one code, and each code of tokens is one variant.
//! No message quotes a token.

use piton_core::error::sentence;
use piton_core::{Code, Envelope, WorkflowHash};

use super::kind::TokenKind;
use super::short::ShortTokenError;
use super::string::TokenStringError;

/// Why a token is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is not a token.
    #[error("the token is damaged or made up: {0}")]
    InvalidFormat(FormatProblem),
    /// It has another version.
    #[error("the token has a version that this program does not know")]
    UnsupportedVersion,
    /// Neither key signed it.
    #[error("the token was not signed by this data directory's current or previous key")]
    BadSignature,
    /// Another kind of token belongs where it stands.
    #[error(
        "a token of kind {} stands where one of kind {} belongs; nothing was written",
        found.parameter(),
        wanted.parameter()
    )]
    ScopeMismatch {
        /// The kind that belongs there.
        wanted: TokenKind,
        /// The kind that stands there.
        found: TokenKind,
    },
    /// What it names is not there.
    #[error("the token names a session, run or node that is not in this data directory")]
    UnknownNode,
    /// Its run is pinned to another workflow.
    #[error("the token names the workflow {token}, but its run is pinned to {pinned}")]
    WorkflowHashMismatch {
        /// What the token says.
        token: WorkflowHash,
        /// What the run says.
        pinned: WorkflowHash,
    },
    /// Somebody else writes to its session.
    #[error("another process is writing to the session of this token; nothing was written")]
    SessionLocked,
}

/// Why a text or a payload is not one that we write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// The long form is wrong.
    #[error(transparent)]
    Text(TokenStringError),
    /// The short form is wrong.
    #[error(transparent)]
    Short(ShortTokenError),
    /// The payload is not JSON with the fields of its kind.
    #[error("its payload does not have exactly the fields of its kind")]
    Payload,
    /// The payload says the right thing in another way than we write it.
    #[error("its payload is not in canonical form")]
    NotCanonical,
    /// The text begins as one kind of token and holds another.
    #[error("it begins as a token of kind {} and holds one of kind {}", prefix.parameter(), payload.parameter())]
    KindDiffers {
        /// How the text begins.
        prefix: TokenKind,
        /// What the payload says.
        payload: TokenKind,
    },
}

impl TokenError {
    /// The code of the failure.
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

    /// The failure as a person or an agent reads it.
    pub fn envelope(&self) -> Envelope {
        Envelope::new(self.code(), sentence(&self.to_string()))
    }
}

impl From<FormatProblem> for TokenError {
    fn from(problem: FormatProblem) -> Self {
        Self::InvalidFormat(problem)
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

/// What can go wrong where a token is handed in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The token is refused.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The store failed, for example because the key ring is damaged.
    #[error(transparent)]
    Store(piton_store::Error),
}

impl Error {
    /// The code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Token(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    /// The failure as a person or an agent reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Token(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
        }
    }
}

/// A caller that hands in a token is told of a busy session as something about the token, because the
/// token is all that it knows of the session.
impl From<piton_store::Error> for Error {
    fn from(error: piton_store::Error) -> Self {
        match error {
            piton_store::Error::Locked { .. } => Self::Token(TokenError::SessionLocked),
            error => Self::Store(error),
        }
    }
}
