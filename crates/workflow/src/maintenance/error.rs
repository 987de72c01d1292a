//! Reasons for maintenance to fail.

use piton_core::error::sentence;
use piton_core::{Code, Envelope, SessionId};

/// Reasons for maintenance to fail.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaintenanceError {
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// The retention mark of a session is unknown to this version.
    #[error("whether {session} is kept is written in a way that this Piton does not know")]
    UnknownControl { session: SessionId },
}

impl MaintenanceError {
    /// Returns the code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::UnknownControl { .. } => Code::StoreUnsupportedVersion,
        }
    }

    /// Returns the failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Store(error) => error.envelope(),
            Self::UnknownControl { .. } => {
                Envelope::new(self.code(), sentence(&format!("{self}; it stays")))
            }
        }
    }
}

impl From<MaintenanceError> for Envelope {
    fn from(error: MaintenanceError) -> Self {
        error.envelope()
    }
}
