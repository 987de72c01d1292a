//! The journal on this machine's disk.
//!
//! | file | holds |
//! |---|---|
//! | `local_journal` | the adapter: every call of the port, for any layout |
//! | `stream_dir` | the directory of a stream, its lock, and the steps of a commit that both layouts share |
//! | `layout` | what a layout of files has to do |
//! | `segmented`, `manifest` | the layout of sessions: a segment for each plan, and control records that attest them |
//! | `restore` | rewriting control records from segments |
//! | `log`, `durable_length` | the layout of backpacks: one file of records, and a note of its length |
//! | `event_line` | lines of events |
//! | `torn_write` | telling an unfinished write from damage |
//! | `tail` | what a process remembers of the end of a stream |
//! | `reading` | reading a stream, and the rule for doubts about its end |
//! | `pipeline` | the queue of a lease, and the job that writes it |
//! | `sync_pool` | threads that sync several files at the same time |
//! | `maintenance` | verifying, repairing and deleting a stream |
//! | `set_aside` | what was taken out of a stream and is kept beside it |

mod durable_length;
mod event_line;
mod layout;
mod local_journal;
mod log;
mod maintenance;
mod manifest;
mod pipeline;
mod reading;
mod restore;
mod segmented;
mod set_aside;
mod stream_dir;
mod sync_pool;
mod tail;
mod torn_write;

pub use local_journal::{LocalJournal, LogJournal, SegmentedJournal};
pub use log::LogLayout;
pub use segmented::Segmented;
