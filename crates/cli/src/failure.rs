//! Failures of commands, and their presentation: an error of the operating system becomes words and a suggestion.

use std::io::{self, ErrorKind};
use std::path::Path;

use piton_core::error::sentence;
use piton_core::{Code, Envelope};
use piton_runtime::config::ConfigProblem;
use piton_store::Error;

use crate::messages::CHOOSE_DATA_DIR;

/// Failure of a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A use case or the command itself refused and explained why.
    Refused(Box<Envelope>),
    /// The configuration cannot be used. Its problems are kept, since `piton config check` lists them.
    Configuration(Vec<ConfigProblem>),
}

impl From<Envelope> for Failure {
    fn from(envelope: Envelope) -> Self {
        Self::Refused(Box::new(envelope))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        error.envelope().into()
    }
}

impl Failure {
    /// A request that cannot be carried out: the reason in a sentence, and an alternative that would work.
    pub(crate) fn refused(what: impl AsRef<str>, instead: impl AsRef<str>) -> Self {
        Envelope::new(Code::ValidationError, what).with_suggestion(instead).into()
    }

    /// An operation outside the store that the operating system refused, in words that follow "could not".
    pub(crate) fn io(operation: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let operation = operation.into();
        move |source| {
            let (why, instead) = describe_io(&source);
            let message = sentence(&format!("could not {operation}: {why}"));
            Envelope::new(Code::StoreIo, message).with_suggestion(instead).into()
        }
    }

    /// A data directory that cannot be used.
    pub(crate) fn data_dir(path: &Path, error: &Error) -> Self {
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
                // Damage in the data moves along with it: another directory is no remedy, so the original suggestion
                // stays.
                _ => cause.suggestion,
            };
            (message, instead)
        });
        Envelope::new(cause.code, message).with_suggestion(instead).with_retry(cause.retry).into()
    }

    /// A promise of Piton that the demo found broken.
    pub(crate) fn broken_promise(what: &str) -> Self {
        let message = sentence(&format!("a promise did not hold: {what}"));
        Envelope::new(Code::StoreInvariantViolation, message)
            .with_suggestion("Keep the data directory as it is and report this as a bug.")
            .into()
    }

    /// Returns the failure as an envelope for a person or a program.
    pub(crate) fn envelope(&self) -> Envelope {
        match self {
            Self::Refused(envelope) => (**envelope).clone(),
            Self::Configuration(problems) => ConfigProblem::envelope(problems),
        }
    }
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
            ("there is no space left", "Free some space and run the command again.")
        }
        _ => return (error.to_string(), "Fix the cause and run the command again."),
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
            let what = format!("Piton has no permission to read and write {path}.");
            let owner = "Run this as the owner of the data directory, or choose another one";
            Some((what, format!("{owner} with --data-dir or PITON_DATA_DIR.")))
        }
        _ => None,
    }
}
