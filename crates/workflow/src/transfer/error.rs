//! What can go wrong while a session is carried.

use piton_core::{Code, Envelope, SessionId};

use crate::bundle::{BundleError, EntryPath};

/// Why a session could not be carried.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The bundle, or the session that it should be made of, breaks a rule.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// Something that the session needs is stored, and cannot be used.
    #[error("{session} cannot be exported: what is stored as `{path}` cannot be used: {problem}")]
    Unusable {
        /// The session.
        session: SessionId,
        /// What cannot be used.
        path: EntryPath,
        /// Why not.
        problem: String,
    },
}

impl TransferError {
    /// The code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Bundle(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Unusable { .. } => Code::StoreInvariantViolation,
        }
    }

    /// The failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Bundle(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
            Self::Unusable { .. } => Envelope::new(self.code(), format!("{self}.")),
        }
    }
}
