//! Failures of commands, and their presentation.

use std::{
    io,
    path::{Path, PathBuf},
};

use piton_core::error::sentence;
use piton_core::{Code, Envelope};
use piton_runtime::config::ConfigProblem;
use piton_store::Error;

use crate::{messages::CHOOSE_DATA_DIR, refusal};

/// Failure of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A use case refused and explained why.
    #[error(transparent)]
    Told(#[from] Box<Envelope>),
    #[error(transparent)]
    Store(#[from] Error),
    #[error("the data directory {} cannot be used: {source}", path.display())]
    DataDir { path: PathBuf, source: Error },
    /// Neither an option, a setting nor a home directory says where data is kept.
    #[error("there is no home directory to keep data in")]
    NoDataDir,
    #[error("the configuration cannot be used")]
    Configuration(Vec<ConfigProblem>),
    /// The request cannot be carried out.
    #[error("{what}")]
    Refused {
        /// The refusal and its reason, as the beginning of a sentence.
        what: String,
        /// An alternative that would work.
        instead: String,
    },
    /// The operating system refused an operation outside the store.
    #[error("could not {operation}: {source}")]
    Io {
        /// The attempted operation, in words that follow "could not".
        operation: String,
        source: io::Error,
    },
    /// The demo found a violation of a promise that Piton makes.
    #[error("a promise did not hold: {0}")]
    BrokenPromise(String),
}

impl From<Envelope> for Failure {
    fn from(told: Envelope) -> Self {
        Self::Told(Box::new(told))
    }
}

impl Failure {
    pub(crate) fn io(operation: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let operation = operation.into();
        move |source| Self::Io { operation, source }
    }

    pub(crate) fn refused(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self::Refused { what: what.into(), instead: instead.into() }
    }

    /// Returns the failure as an envelope for a person or a program.
    pub(crate) fn envelope(&self) -> Envelope {
        match self {
            Self::Told(envelope) => (**envelope).clone(),
            Self::Store(error) => error.envelope(),
            Self::Configuration(problems) => ConfigProblem::envelope(problems),
            Self::DataDir { path, source } => about_data_dir(path, source),
            Self::NoDataDir => Envelope::new(Code::ValidationError, sentence(&self.to_string()))
                .with_suggestion("Say where with --data-dir or PITON_DATA_DIR."),
            Self::Refused { what, instead } => {
                Envelope::new(Code::ValidationError, what).with_suggestion(instead)
            }
            Self::Io { operation, source } => {
                let (why, instead) = refusal::describe_io(source);
                let message = sentence(&format!("could not {operation}: {why}"));
                Envelope::new(Code::StoreIo, message).with_suggestion(instead)
            }
            Self::BrokenPromise(_) => {
                Envelope::new(Code::StoreInvariantViolation, sentence(&self.to_string()))
                    .with_suggestion("Keep the data directory as it is and report this as a bug.")
            }
        }
    }
}

fn about_data_dir(path: &Path, error: &Error) -> Envelope {
    let told = error.envelope();
    let refused = match error {
        Error::Io { source, .. } => refusal::of_data_dir(path, source),
        _ => None,
    };
    let (message, instead) = refused.unwrap_or_else(|| {
        let message = format!("{} The data directory is {}.", told.message, path.display());
        let instead = match error {
            Error::Io { .. }
            | Error::UnsupportedFileSystem { .. }
            | Error::ForeignDirectory { .. } => CHOOSE_DATA_DIR.to_owned(),
            // Damage in the data moves along with it: another directory is no remedy, so the original suggestion stays.
            _ => told.suggestion,
        };
        (message, instead)
    });
    Envelope::new(told.code, message).with_suggestion(instead).with_retry(told.retry)
}
