//! The store as the demo uses it: one data directory, one call at a time.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use piton_core::port::{Clock as _, NoTrace, Trace};
use piton_store::{
    AppendPlan, StreamId,
    local::{DataDir, LocalBlobs, LocalLeases, SegmentedJournal, SystemClock},
    port::{Appended, Journal as _, JournalReader as _, Loaded, StreamLease},
};
use tokio::runtime::{Builder, Runtime};

use super::event::DemoEvent;
use crate::failure::Failure;

/// An open data directory.
pub(super) struct Store {
    runtime: Runtime,
    dir: DataDir,
    journal: SegmentedJournal<DemoEvent>,
}

impl Store {
    /// Opens a data directory, making it if need be.
    pub(super) fn open(root: &Path) -> Result<Self, Failure> {
        let runtime =
            Builder::new_current_thread().build().map_err(Failure::io("start the runtime"))?;
        let dir = DataDir::open(root)
            .map_err(|source| Failure::DataDir { path: root.to_path_buf(), source })?;
        let trace: Arc<dyn Trace> = Arc::new(NoTrace);
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
        let journal = SegmentedJournal::sessions(dir.clone(), blobs, leases, trace);
        Ok(Self { runtime, dir, journal })
    }

    pub(super) fn root(&self) -> &Path {
        self.dir.root()
    }

    pub(super) fn session_directory(&self, session: &StreamId) -> PathBuf {
        self.dir.sessions().join(session.as_str())
    }

    pub(super) fn count_sessions(&self) -> Result<usize, Failure> {
        Ok(self.runtime.block_on(self.journal.streams())?.len())
    }

    pub(super) fn load(&self, session: &StreamId) -> Result<Loaded<DemoEvent>, Failure> {
        Ok(self.runtime.block_on(self.journal.load(session))?)
    }

    /// The events that can be read from a damaged session.
    pub(super) fn readable(&self, session: &StreamId) -> Result<u64, Failure> {
        let salvaged = self.runtime.block_on(self.journal.load_validated_prefix(session))?;
        Ok(salvaged.events.len() as u64)
    }

    pub(super) fn lease(&self, session: &StreamId) -> Result<StreamLease, piton_store::Error> {
        self.runtime.block_on(self.journal.lease(session))
    }

    pub(super) fn append(
        &self,
        lease: &StreamLease,
        plan: AppendPlan<DemoEvent>,
    ) -> Result<Appended, Failure> {
        // The plan is queued by the call itself, which therefore has to be within the runtime.
        Ok(self.runtime.block_on(async { self.journal.append(&lease.writer(), plan).await })?)
    }
}

/// Runs `work`, and returns its result and how many milliseconds passed.
pub(super) fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start: Duration = SystemClock.monotonic();
    let result = work();
    (result, (SystemClock.monotonic().saturating_sub(start)).as_secs_f64() * 1e3)
}
