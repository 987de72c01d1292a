//! Why a command failed, and how that is told.

use std::{
    io,
    path::{Path, PathBuf},
};

use piton_core::error::sentence;
use piton_core::{Code, Envelope};
use piton_runtime::config::ConfigProblem;
use piton_store::Error;

use crate::{messages::CHOOSE_DATA_DIR, refusal};

/// What a command can fail with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A use case refused, and said why.
    #[error(transparent)]
    Told(#[from] Box<Envelope>),
    /// The store refused something.
    #[error(transparent)]
    Store(#[from] Error),
    /// The data directory cannot be used.
    #[error("the data directory {} cannot be used: {source}", path.display())]
    DataDir { path: PathBuf, source: Error },
    /// Nothing says where data is kept.
    #[error("there is no home directory to keep data in")]
    NoDataDir,
    /// The configuration cannot be used.
    #[error("the configuration cannot be used")]
    Configuration(Vec<ConfigProblem>),
    /// What was asked for cannot be done.
    #[error("{what}")]
    Refused {
        /// What and why, in words that begin a sentence.
        what: String,
        /// What would work.
        instead: String,
    },
    /// The operating system refused something outside the store.
    #[error("could not {operation}: {source}")]
    Io {
        /// What was being done, as words that follow "could not".
        operation: String,
        source: io::Error,
    },
    /// The demo found something that Piton promises never to happen.
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

    /// What a person or a program is told.
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
            // What is wrong with its data is wrong wherever it is.
            _ => told.suggestion,
        };
        (message, instead)
    });
    Envelope::new(told.code, message).with_suggestion(instead).with_retry(told.retry)
}
