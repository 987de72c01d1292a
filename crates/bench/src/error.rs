//! Why something could not be measured.

use std::{io, path::PathBuf};

/// What a measure returns.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Everything that keeps a benchmark from being run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The operating system refused something.
    #[error("could not {operation}: {source}")]
    Io {
        /// What was being done, as words that follow "could not".
        operation: &'static str,
        source: io::Error,
    },
    /// What is measured failed.
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// A use case failed.
    #[error(transparent)]
    Session(#[from] piton_workflow::session::Error),
    /// A backpack failed.
    #[error(transparent)]
    Backpack(#[from] piton_backpack::Error),
    /// Context could not be read or written.
    #[error(transparent)]
    Context(#[from] piton_context::Error),
    /// Workspaces were not made.
    #[error("the Workspaces were refused: {0}")]
    Refused(String),
    /// A value could not be encoded or read.
    #[error("could not {operation}: {problem}")]
    Json { operation: &'static str, problem: String },
    /// Files would be in memory.
    #[error(
        "{} is on {file_system}, which keeps files in memory, so that a sync costs nothing; \
         set PITON_BENCH_DIR to a directory on a disk",
        directory.display()
    )]
    NotOnDisk { directory: PathBuf, file_system: String },
    /// What is measured gave another result than it has to.
    #[error("{what}: expected {expected}, found {found}")]
    Wrong { what: &'static str, expected: u64, found: u64 },
    /// Something that is measured, or that it is measured with, is not there.
    #[error("{} is missing: `cargo xtask bench` builds and installs it", .0.display())]
    Missing(PathBuf),
    /// The client that goes through the door failed, or was refused.
    #[error("the client failed: {0}")]
    Client(String),
    /// A process that was started for a measure ended badly.
    #[error("a process that was started to measure failed: {0}")]
    Child(String),
}

impl Error {
    pub(crate) fn io(operation: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { operation, source }
    }

    pub(crate) fn json<P: ToString>(operation: &'static str) -> impl FnOnce(P) -> Self {
        move |problem| Self::Json { operation, problem: problem.to_string() }
    }
}

/// Fails unless a measure did what it is measured for.
pub(crate) fn expect(what: &'static str, expected: u64, found: u64) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Wrong { what, expected, found }) }
}
