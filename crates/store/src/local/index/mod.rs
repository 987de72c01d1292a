//! The index in a SQLite database of its own, in the directory `index`.
//!
//! Any number of processes use it at once. Readers never wait for writers, and a writer waits for another one for a
//! moment only: what it could not write, the next reader makes again.
//!
//! Words are in a full-text table (FTS5), which gets our tokens with spaces between them and splits at nothing else.
//! Everything that a query combines (fields, words, order, counts) is a set of numbers of documents; SQLite finds the
//! numbers, and the sets are combined here. So a query costs a few passes over one field at most, whatever its form.
//!
//! Invariants:
//! - Nothing but SQLite opens a database or the files beside it.
//! - The name of a database is never used again. A damaged one is left to whoever still has it open, and removed.
//! - What is removed is overwritten: in the database (`secure_delete`), in the full-text table (`secure-delete`), and
//!   in the write-ahead log, which is emptied after a removal.
//!
//! Limitations: a reader in the middle of a long query keeps the log from being emptied; the next removal or the last
//! process to close the index empties it. A changed byte in a database that SQLite does not notice can change an
//! answer. The database is on this machine's own disk, even when the data directory is on a simulated one.
//!
//! | file | holds |
//! |---|---|
//! | `local_index` | the adapter: calls, connections, starting over |
//! | `database` | the files, the schema, and the meaning of SQLite's errors |
//! | `writing` | replacing and removing sources |
//! | `reading` | pages of cursors, sources and hits, with counts |
//! | `matching` | which documents match a filter, and their order |
//! | `match_cache` | the matches of the newest queries |
//! | `document_set` | sets of documents |
//! | `numbers` | the numbers of collections and fields |

mod database;
mod document_set;
mod local_index;
mod match_cache;
mod matching;
mod numbers;
mod reading;
mod writing;

pub use local_index::LocalIndex;
