//! Logs of the processes of a data directory, in `logs/` below it.
//!
//! | file | holds |
//! |---|---|
//! | `file` | the files, which are bounded and shared by all processes, and their lines |
//! | `logger` | the log of one process |
//!
//! *Invariants*: a line names the command or tool, the session that it was about, and the code of a failure. It never
//! holds a token, notes, context or the words of a message. Nothing fails because a line cannot be written.

mod file;
mod logger;

pub(crate) use file::{DIRECTORY, LogRecord, read};
pub(crate) use logger::CallLogger;
