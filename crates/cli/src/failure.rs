//! Failures of commands, and their presentation: an error of the operating system becomes words and a suggestion.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use piton_core::error::sentence;
use piton_core::{Code, Envelope};
use piton_runtime::config::ConfigProblem;
use piton_store::Error;

use crate::messages::CHOOSE_DATA_DIR;

/// Failure of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A use case refused and explained why.
    #[error(transparent)]
    UseCase(#[from] Box<Envelope>),
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
    fn from(envelope: Envelope) -> Self {
        Self::UseCase(Box::new(envelope))
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
            Self::UseCase(envelope) => (**envelope).clone(),
            Self::Store(error) => error.envelope(),
            Self::Configuration(problems) => ConfigProblem::envelope(problems),
            Self::DataDir { path, source } => about_data_dir(path, source),
            Self::NoDataDir => Envelope::new(Code::ValidationError, sentence(&self.to_string()))
                .with_suggestion("Choose a data directory with --data-dir or PITON_DATA_DIR."),
            Self::Refused { what, instead } => {
                Envelope::new(Code::ValidationError, what).with_suggestion(instead)
            }
            Self::Io { operation, source } => {
                let (why, instead) = describe_io(source);
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
    let cause = error.envelope();
    let refused = match error {
        Error::Io { source, .. } => describe_data_dir(path, source),
        _ => None,
    };
    let (message, instead) = refused.unwrap_or_else(|| {
        let message = format!("{} The data directory is {}.", cause.message, path.display());
        let instead = match error {
            Error::Io { .. }
            | Error::UnsupportedFileSystem { .. }
            | Error::ForeignDirectory { .. } => CHOOSE_DATA_DIR.to_owned(),
            // Damage in the data moves along with it: another directory is no remedy, so the original suggestion stays.
            _ => cause.suggestion,
        };
        (message, instead)
    });
    Envelope::new(cause.code, message).with_suggestion(instead).with_retry(cause.retry)
}

/// Describes why an operation failed, in words that follow a colon, and suggests an alternative.
fn describe_io(error: &io::Error) -> (String, &'static str) {
    let (why, instead) = match error.kind() {
        ErrorKind::NotFound => ("it does not exist", "Check the path and run the command again."),
        ErrorKind::IsADirectory => ("it is a directory", "Name a file instead."),
        // Creating a directory where a file is gives either of these, depending on the level.
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            ("there is a file where a directory is needed", "Choose another path.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            ("permission denied", "Choose another path, or run this as a user with permission.")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ("no space is left", "Free some space and run the command again.")
        }
        _ => {
            let instead = "Fix the cause and run the command again.";
            return (error.to_string(), instead);
        }
    };
    (why.to_owned(), instead)
}

/// Describes an error that concerns a data directory as a whole, with a suggestion. Returns `None` for other errors.
fn describe_data_dir(path: &Path, error: &io::Error) -> Option<(String, String)> {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            let what = format!("The data directory {path} is a file, or is below one.");
            Some((what, CHOOSE_DATA_DIR.to_owned()))
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            let what =
                format!("Piton has no permission to read and write the data directory {path}.");
            let owner = "Run this as the owner of the directory, or choose another one";
            Some((what, format!("{owner} with --data-dir or PITON_DATA_DIR.")))
        }
        _ => None,
    }
}
