//! The Store: what holds the files of a Workspace.
//!
//! *Invariants*: a Store does data operations only and cannot start a program. It is asked for paths
//! relative to its Mount, and what it answers names no place of the machine.

mod change;
mod fault;
mod port;
mod window;

pub use change::{Before, Change, Expected, Prepared, Version};
pub use fault::{Fault, NotTextKind, QuotaKind};
pub use port::{Entry, FileStat, Identity, Kind, Listing, Loaded, Store};
pub use window::{Window, WindowRead, read_window, read_window_of};
