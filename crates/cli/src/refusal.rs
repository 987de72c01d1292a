//! Errors of the operating system in words, with a suggestion for each.

use std::{
    io::{self, ErrorKind},
    path::Path,
};

use crate::messages::CHOOSE_DATA_DIR;

/// Describes why an operation failed, in words that follow a colon, and suggests an alternative.
pub(crate) fn describe_io(error: &io::Error) -> (String, &'static str) {
    let (why, instead) = match error.kind() {
        ErrorKind::NotFound => ("it does not exist", "Check the path and run the command again."),
        ErrorKind::IsADirectory => ("it is a directory", "Name a file instead."),
        // Creating a directory where a file is gives either of these, depending on the level.
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            ("a file is where a directory has to be", "Name another place.")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            ("it is not permitted", "Name another place, or run this as somebody who may.")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ("there is no room left", "Make room and run the command again.")
        }
        _ => {
            let instead = "Mend what the message names and run the command again.";
            return (error.to_string(), instead);
        }
    };
    (why.to_owned(), instead)
}

/// Describes an error that concerns a data directory as a whole, with a suggestion. Returns `None` for other errors.
pub(crate) fn of_data_dir(path: &Path, error: &io::Error) -> Option<(String, String)> {
    let path = path.display();
    match error.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            let what = format!("The data directory {path} is a file, or below one.");
            Some((what, CHOOSE_DATA_DIR.to_owned()))
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            let what = format!("Piton may not read and write in the data directory {path}.");
            let owner = "Run this as the user whom it belongs to, or choose another one";
            Some((what, format!("{owner} with --data-dir or PITON_DATA_DIR.")))
        }
        _ => None,
    }
}
