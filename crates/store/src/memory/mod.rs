//! Adapters in memory: for tests, and for data that need not outlive its process.
//!
//! They keep the same promises as the adapters on disk, durability aside, and need no async runtime. A clone shares
//! everything with its original, so that a test can play two processes.

mod blobs;
mod cache;
mod changes;
mod index;
mod journal;
mod keyring;
mod leases;
mod replies;
mod table;

pub use blobs::MemoryBlobs;
pub use cache::MemoryCache;
pub use changes::MemoryChanges;
pub use index::MemoryIndex;
pub use journal::MemoryJournal;
pub use keyring::MemoryKeyRing;
pub use leases::MemoryLeases;
pub use replies::MemoryReplies;
pub use table::MemoryTable;
