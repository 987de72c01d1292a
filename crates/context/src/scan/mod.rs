//! Reads a project directory into a tree. This is the part of the crate that touches files.
//!
//! Threads share a stack of directories. Each directory is listed, the entries that the ignore rules leave are
//! examined, and only files whose stamp differs from the remembered one are read. Once everything below a directory is
//! known, the directory itself is built. If nothing in it changed, it is the same object as in the last scan.
//!
//! | file | contents |
//! |---|---|
//! | `scanner` | the scanner of one project directory, and the scope and the report of a scan |
//! | `walk`, `task_queue` | the walk over all directories, and the queue that its threads share |
//! | `open_directory`, `entries` | a directory that is being scanned, and the examination of its entries |
//! | `disk` | the system calls: listing, reading and hashing |
//! | `ignore_rules` | the rules that leave entries out |
//! | `probe` | a look at a single file, without a walk |
//! | `stamp_file`, `stamp_codec` | the memory of the last scan: its files, and their bytes |
//!
//! *Invariants*: symbolic links are never followed, even if a directory is replaced by one during the scan: everything
//! is opened relative to the directory that was listed. A file or directory that cannot be read is reported and does
//! not stop the scan.
//!
//! *Limitations*: a file system whose clock runs behind this machine's by more than [`crate::bounds::FINE_TICK`], as on
//! a network file system, can hide a change that keeps size and times. Special files (sockets, pipes, devices) are not
//! part of the tree.

mod disk;
mod entries;
mod ignore_rules;
mod open_directory;
mod probe;
mod scanner;
mod stamp_codec;
mod stamp_file;
mod task_queue;
mod walk;

pub use probe::Probed;
pub use scanner::{ProblemKind, ScanProblem, ScanReport, ScanScope, Scanned, Scanner};
