//! A journal on a simulated or a real disk, as the tests of this crate build it.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::{NoTrace, Trace};
use piton_store::local::disk::Disk;
use piton_store::local::{
    DataDir, LocalBlobs, LocalLeases, LogJournal, SegmentedJournal, SystemClock,
};
use piton_store::port::Journal;
use piton_store::testing::contract::journal::TwoProcesses;
use piton_store::testing::{Sample, SimDisk};
use tokio::runtime::{Builder, Runtime};

/// The name of the session that most tests write.
pub(crate) const SESSION: &str = "sess_a";

/// Opens the data directory at the root of `disk`.
pub(crate) fn data_dir(disk: &Arc<dyn Disk>) -> DataDir {
    DataDir::on(Arc::clone(disk), Path::new("/")).unwrap()
}

/// What opens a journal of either layout.
pub(crate) type Open<J> = fn(DataDir, LocalBlobs, LocalLeases, Arc<dyn Trace>) -> J;

/// Opens a journal in `dir`.
pub(crate) fn open<J>(dir: DataDir, layout: Open<J>) -> J {
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
    layout(dir.clone(), LocalBlobs::new(dir), leases, Arc::new(NoTrace))
}

/// The journal of sessions on a simulated disk.
pub(crate) fn sessions(disk: &SimDisk) -> SegmentedJournal<Sample> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    open(data_dir(&disk), SegmentedJournal::sessions)
}

/// The journal of backpacks on a simulated disk.
pub(crate) fn backpacks(disk: &SimDisk) -> LogJournal<Sample> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    open(data_dir(&disk), LogJournal::backpacks)
}

/// The blobs on a simulated disk.
pub(crate) fn blobs(disk: &SimDisk) -> LocalBlobs {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    LocalBlobs::new(data_dir(&disk))
}

/// Two processes' views of a data directory.
pub(crate) fn shared<J: Journal<Sample>>(
    dir: &DataDir,
    layout: Open<J>,
    has_pins: bool,
) -> TwoProcesses<J> {
    TwoProcesses {
        here: open(dir.clone(), layout),
        there: open(dir.clone(), layout),
        blobs: Arc::new(LocalBlobs::new(dir.clone())),
        has_pins,
    }
}

/// Runs asynchronous test code, on a runtime that the thread keeps.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
    }
    RUNTIME.with(|runtime| runtime.block_on(work))
}
