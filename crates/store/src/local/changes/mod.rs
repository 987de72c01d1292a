//! Hints about changes in a data directory, and in directories around it.
//!
//! A thread of its own waits for the kernel's word, and looks at what the kernel does not report. It ends with the
//! watch.
//!
//! | file | holds |
//! |---|---|
//! | `local_changes` | the adapter |
//! | `watch_thread` | the thread: what it watches, and what it looks at in turn |
//! | `kernel_watch` | inotify; on other systems there is none, and everything is looked at in turn |
//!
//! *Limitations*: of a directory with workflows, files in it are watched, not those in directories below it.

mod kernel_watch;
mod local_changes;
mod watch_thread;

pub use local_changes::{LocalChanges, WatchedPlace};
