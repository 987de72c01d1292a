//! Following a project directory while it is edited.
//!
//! The system tells which directories changed; those are listed again, and nothing else is looked at. When it cannot
//! tell, because too much happened at once, everything is scanned.
//!
//! *Invariants*: a directory is watched before it is scanned for the last time, so that nothing that happens in it is
//! missed. Following only reads files and records trees; it never makes a frame.
//!
//! *Limitations*: a change that keeps away from the file system's events, as on some network file systems, is seen by
//! the next whole scan only.

mod events;
mod follow;
mod lines;
mod watcher;

pub use follow::{Follower, Subscriber};
pub use lines::json_lines;
pub use watcher::Watcher;
