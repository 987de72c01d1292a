//! Logs: what the processes of a data directory did, in `logs/` below it.
//!
//! | file | holds |
//! |---|---|
//! | `record` | one line |
//! | `file` | the files, which are bounded and shared by every process |
//! | `logger` | what a process notes |
//!
//! *Invariants*: a line names what was called, which session it was about, and by which code it failed. It never
//! holds a token, notes, context or the words of a message. Nothing fails because a line cannot be written.

mod file;
mod logger;
mod record;

pub(crate) use file::{DIRECTORY, read};
pub(crate) use logger::CallLogger;
pub(crate) use record::LogRecord;
