//! Reads a project directory into a tree. This is the part of the crate that touches files.
//!
//! Threads share a stack of directories. Each directory is listed, the entries that the ignore rules leave are
//! examined, and only files whose stamp differs from the remembered one are read. Once everything below a directory is
//! known, the directory itself is built. If nothing in it changed, it is the same object as in the last scan.
//!
//! *Invariants*: symbolic links are never followed, even if a directory is replaced by one during the scan: everything
//! is opened relative to the directory that was listed. A file or directory that cannot be read is reported and does
//! not stop the scan.
//!
//! *Limitations*: a file system whose clock runs behind this machine's by more than [`crate::bounds::FINE_TICK`], as on
//! a network file system, can hide a change that keeps size and times. Special files (sockets, pipes, devices) are not
//! part of the tree.

mod content;
mod entries;
mod listing;
mod open_directory;
mod probe;
mod queue;
mod report;
mod rules;
mod scanner;
mod since;
mod stamp_cache;
mod stamps;
mod stamps_file;
mod walk;
mod walker;

pub use probe::Probed;
pub use report::{ProblemKind, ScanProblem, ScanReport};
pub use scanner::{ScanScope, Scanned, Scanner};
