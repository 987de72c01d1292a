//! What can go wrong in upkeep.

use piton_core::error::sentence;
use piton_core::{Code, Envelope, SessionId};

/// Why upkeep could not go on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaintenanceError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// What is noted about a session is not one of the controls.
    #[error("whether {session} is kept is written in a way that this Piton does not know")]
    UnknownControl {
        /// The session.
        session: SessionId,
    },
}

impl MaintenanceError {
    /// The code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::UnknownControl { .. } => Code::StoreUnsupportedVersion,
        }
    }

    /// The failure as a person reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Store(error) => error.envelope(),
            Self::UnknownControl { .. } => {
                Envelope::new(self.code(), sentence(&format!("{self}; it stays")))
            }
        }
    }
}
