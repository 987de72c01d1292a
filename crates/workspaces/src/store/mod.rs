//! The Store, which holds the files of a Workspace.
//!
//! *Invariants*: a Store performs data operations only and cannot start a program. It takes paths relative to its
//! Mount, and its answers name no path of the machine.

mod change;
mod fault;
mod port;
mod window;

pub use change::{Before, Expected, FileChange, FileVersion, Prepared};
pub use fault::{NotTextKind, QuotaKind, StoreFault};
pub use port::{
    DirectoryEntry, DirectoryListing, EntryKind, FileIdentity, FileStat, LoadedFile, Store,
    StoreFuture,
};
pub use window::{Window, WindowRead, read_window, read_window_of};
