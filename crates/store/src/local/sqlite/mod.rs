//! What the adapters on SQLite share: opening a database, waiting for other processes, and connections for reading.
//!
//! | file | holds |
//! |---|---|
//! | `connection` | the file of a database, and the settings of every connection |
//! | `pool` | connections for reading |

mod connection;
mod pool;

pub(super) use connection::{
    FORMAT_QUERY, NO_WRITE_AHEAD, VERSION_QUERY, be_patient, create_file, only_reads, open,
    write_ahead,
};
pub(super) use pool::{ReaderSource, Readers};
