//! What can go wrong in upkeep.

use piton_core::{Code, Envelope, SessionId};

/// Why upkeep could not go on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpkeepError {
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

impl UpkeepError {
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
                let text = self.to_string();
                let (first, rest) = text.split_at(1);
                Envelope::new(self.code(), format!("{}{rest}; it stays.", first.to_uppercase()))
            }
        }
    }
}
