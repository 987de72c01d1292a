//! Reading a project directory into a tree: the edge of the crate that touches files.
//!
//! Threads share a stack of directories. A directory is listed, what the ignore rules leave is looked at, and only
//! files whose stamp differs from the one remembered are read. When everything below a directory is known, so is the
//! directory, and if nothing in it changed it is the very one of the last scan.
//!
//! *Invariants*: symbolic links are never followed, also not by a directory that is exchanged for one in between:
//! everything is opened relative to the directory that was listed. A file or directory that cannot be read is reported
//! and stops nothing.
//!
//! *Limitations*: a file system whose clock runs behind this machine's by more than [`crate::bounds::FINE_TICK`], as a
//! network file system may, can hide a change that keeps size and times. Special files (sockets, pipes, devices) are no
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
