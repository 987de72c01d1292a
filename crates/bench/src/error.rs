//! Errors of measurements.

use std::io;
use std::path::PathBuf;

/// Result of a measurement.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Errors that keep a benchmark from running.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The operating system refused an operation.
    #[error("could not {operation}: {source}")]
    Io {
        /// The attempted operation, in words that follow "could not".
        operation: &'static str,
        source: io::Error,
    },
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    #[error(transparent)]
    Session(#[from] piton_workflow::session::Error),
    #[error(transparent)]
    Backpack(#[from] piton_backpack::Error),
    #[error(transparent)]
    Context(#[from] piton_context::Error),
    #[error("the Workspaces were refused: {0}")]
    Refused(String),
    #[error("could not {operation}: {problem}")]
    Json { operation: &'static str, problem: String },
    /// The files would be in memory.
    #[error(
        "{} is on {file_system}, which keeps files in memory, so that a sync costs nothing; \
         set PITON_BENCH_DIR to a directory on a disk",
        directory.display()
    )]
    NotOnDisk { directory: PathBuf, file_system: String },
    /// The measured code returned a wrong result.
    #[error("{what}: expected {expected}, found {found}")]
    Wrong { what: &'static str, expected: u64, found: u64 },
    /// A program or package that the measurement needs is missing.
    #[error("{} is missing: `cargo xtask bench` builds and installs it", .0.display())]
    Missing(PathBuf),
    /// The MCP client failed, or was refused.
    #[error("the client failed: {0}")]
    Client(String),
    /// A process that was started for a measurement failed.
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

/// Fails unless the measured code did the work that it is measured for.
pub(crate) fn expect(what: &'static str, expected: u64, found: u64) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Wrong { what, expected, found }) }
}
