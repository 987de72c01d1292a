//! Follows a project directory while it is edited.
//!
//! The operating system reports which directories changed; these are listed again, and nothing else is examined. If it
//! cannot tell, because too much happened at once, everything is scanned.
//!
//! *Invariants*: a directory is watched before it is scanned for the last time, so nothing that happens in it is
//! missed. Following only reads files and records trees; it never makes a frame.
//!
//! *Limitations*: a change that raises no file system event, as on some network file systems, is seen only by the next
//! full scan.

mod follow;
mod watcher;

pub use follow::{Follower, Subscriber, json_lines};
pub use watcher::Watcher;
