//! Adapters on this machine's disk.

mod aside;
mod blobs;
mod cache;
mod data_dir;
mod dir_guard;
pub mod disk;
mod durable_length;
mod file_system;
mod files;
mod format;
mod journal;
mod keyring;
mod layout;
mod leases;
mod log;
mod maintenance;
mod pipeline;
mod reading;
mod real_disk;
mod replies;
mod segmented;
mod stream_dir;
mod sync_pool;
mod system;
mod table;
mod tail;

pub use aside::{DamagedKept, list_damaged};
pub use blobs::LocalBlobs;
pub use cache::LocalCache;
pub use data_dir::DataDir;
pub use journal::{LocalJournal, LogJournal, SegmentedJournal};
pub use keyring::LocalKeyRing;
pub use leases::LocalLeases;
pub use log::LogLayout;
pub use real_disk::RealDisk;
pub use replies::LocalReplies;
pub use segmented::Segmented;
pub use system::{SystemClock, SystemEntropy, SystemTimer, runs_as_root};
pub use table::{LocalTable, RepairedTable, TableStatus, repair_table};

use crate::Error;

/// Starts blocking work whose result nobody waits for.
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
fn detach(work: impl FnOnce() + Send + 'static) {
    drop(tokio::task::spawn_blocking(work));
}

/// Runs blocking work on a thread that may block: this one if it may, another one otherwise. The work runs to its end
/// even if nobody waits for it.
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    if crate::threads::may_block() {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(ended) => match ended.try_into_panic() {
            // A panic surfaces in the caller, as if it had run the work itself.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::ShuttingDown),
        },
    }
}

/// Runs short blocking work on the calling thread if the runtime lets other tasks continue meanwhile, and like
/// [`blocking`] otherwise. Switching to another thread and back takes longer than most table operations.
#[expect(clippy::disallowed_methods, reason = "the one place where adapters leave async code")]
async fn nearby<R: Send + 'static>(
    work: impl FnOnce() -> Result<R, Error> + Send + 'static,
) -> Result<R, Error> {
    let flavor = tokio::runtime::Handle::try_current().map(|handle| handle.runtime_flavor());
    if matches!(flavor, Ok(tokio::runtime::RuntimeFlavor::MultiThread)) {
        return tokio::task::block_in_place(work);
    }
    blocking(work).await
}
