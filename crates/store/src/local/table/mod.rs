//! Tables in one SQLite database, `table.sqlite3`.
//!
//! Any number of processes use the file at once. Each call is one transaction that ends before the call does: a reader
//! that stops between two pages holds nothing, so it cannot keep the write-ahead log from being folded back. Only a
//! snapshot does so, for as long as it exists.
//!
//! Invariants:
//! - Nothing but SQLite opens the database or the files beside it. Closing a file on which SQLite holds locks would
//!   release those locks.
//! - A version is never used twice, not even after everything was removed.
//!
//! Limitations: a process that is stopped in the middle of a call, for example in a debugger, does keep the write-ahead
//! log from being folded back; [`LocalTable::status`] shows it. Calls of one handle queue for its connections without a
//! time limit; only the wait for other handles and processes has one. Dropping the last handle of all processes folds
//! the log back on the spot. The database is on this machine's own disk, even when the data directory is on a simulated
//! one.
//!
//! | file | holds |
//! |---|---|
//! | `local_table` | the adapter: calls, the connections that they use, and snapshots |
//! | `connection` | opening the database: its settings and schema |
//! | `identity` | noticing that the database was deleted or replaced |
//! | `entries` | reading and changing entries, and their checksums |
//! | `failure` | the meaning of SQLite's errors |
//! | `wal_monitor` | the size of the write-ahead log, and the check of the whole database |
//! | `backup` | copies of the database |
//! | `repair` | rebuilding a damaged database in a way that can be interrupted |
//! | `salvage`, `pages` | finding entries in a damaged database, by keys and page by page |
//! | `taken_out` | what repairs left out and keep |

mod backup;
mod connection;
mod entries;
mod failure;
mod identity;
mod local_table;
mod pages;
mod repair;
mod salvage;
mod taken_out;
mod wal_monitor;

pub use local_table::LocalTable;
pub use repair::{RepairedTable, repair_table};
pub use wal_monitor::TableStatus;
