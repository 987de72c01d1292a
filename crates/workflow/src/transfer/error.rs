//! Reasons for a transfer to fail.

use piton_core::{Code, Envelope, SessionId};

use crate::bundle::{BundleError, EntryPath};

/// Reasons for an export or an import to fail.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The bundle, or the session that it should be made from, breaks a rule.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// Content that the session needs is stored, but cannot be used.
    #[error("{session} cannot be exported: what is stored as `{path}` cannot be used: {problem}")]
    Unusable { session: SessionId, path: EntryPath, problem: String },
}

impl TransferError {
    /// Returns the code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Bundle(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Unusable { .. } => Code::StoreInvariantViolation,
        }
    }

    /// Returns the failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Bundle(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
            Self::Unusable { .. } => Envelope::new(self.code(), format!("{self}.")),
        }
    }
}

impl From<TransferError> for Envelope {
    fn from(error: TransferError) -> Self {
        error.envelope()
    }
}
