//! Adapters on this machine's disk.
//!
//! | file | holds |
//! |---|---|
//! | `data_dir` | the paths of everything under the data directory, and opening it |
//! | `file_system` | refusing a network file system |
//! | `format` | the version of the data directory, and migrations |
//! | `disk`, `real_disk` | the file operations that adapters use, as a trait and on the machine |
//! | `file_ops` | operations that take several of those |
//! | `journal` | streams of events: sessions and backpacks |
//! | `blobs` | blobs as files |
//! | `table` | tables in SQLite |
//! | `index` | the index in SQLite |
//! | `sqlite` | what both share |
//! | `leases` | locks between processes |
//! | `keyring`, `keyring_text` | the signing keys, and their written form |
//! | `cache`, `replies` | results and replies that may be lost |
//! | `changes` | hints about changes, from the kernel or by looking |
//! | `damaged` | what repairs keep of damaged key rings, tables and blobs |
//! | `system` | the clock, timer and randomness of the machine |

mod blobs;
mod cache;
mod changes;
mod damaged;
mod data_dir;
pub mod disk;
mod file_ops;
mod file_system;
mod format;
mod index;
mod journal;
mod keyring;
mod keyring_text;
mod leases;
mod real_disk;
mod replies;
mod sqlite;
mod system;
mod table;

pub use blobs::LocalBlobs;
pub use cache::LocalCache;
pub use changes::{LocalChanges, WatchedPlace};
pub use damaged::{DamagedKept, list_damaged};
pub use data_dir::DataDir;
pub use format::{FORMAT_VERSION, OLDEST_READER};
pub use index::LocalIndex;
pub use journal::{LocalJournal, LogJournal, LogLayout, Segmented, SegmentedJournal};
pub use keyring::LocalKeyRing;
pub use leases::LocalLeases;
pub use real_disk::RealDisk;
pub use replies::LocalReplies;
pub use system::{SystemClock, SystemEntropy, SystemTimer, runs_as_root};
pub use table::{LocalTable, RepairedTable, TableStatus, repair_table};
