//! A store that holds sessions, in memory or on a simulated disk.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::port::{Clock, NoTrace, TimestampMs};
use piton_core::{BoundedText, SessionId};
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, SegmentedJournal};
use piton_store::memory::{MemoryBlobs, MemoryIndex, MemoryJournal, MemoryLeases, MemoryTable};
use piton_store::port::{BlobNamespace, Blobs, Journal, Leases};
use piton_store::testing::SimDisk;
use piton_store::{AppendPlan, StreamId};
use piton_workflow::bundle::{Bundle, Producer};
use piton_workflow::projection::SessionState;
use piton_workflow::{SessionEvent, SessionPorts, transfer};

use super::tale::Tale;

/// Runs asynchronous test code, on a runtime that the thread keeps.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    use tokio::runtime::{Builder, Runtime};
    thread_local! {
        static RUNTIME: Runtime = Builder::new_current_thread().build().unwrap();
    }
    RUNTIME.with(|runtime| runtime.block_on(work))
}

pub(crate) struct Store {
    pub(crate) journal: Arc<dyn Journal<SessionEvent>>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) table: MemoryTable,
    pub(crate) index: MemoryIndex,
    pub(crate) leases: Arc<dyn Leases>,
    pub(crate) clock: Arc<ManualClock>,
    entropy: SeededEntropy,
}

impl Store {
    /// An empty store in memory. Its ids come from `seed`.
    pub(crate) fn in_memory(seed: u64) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_800_000_000_000)));
        let time: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let blobs = MemoryBlobs::new(Arc::clone(&time));
        Self {
            journal: Arc::new(MemoryJournal::new(blobs.clone())),
            blobs: Arc::new(blobs),
            table: MemoryTable::new(),
            index: MemoryIndex::new(),
            leases: Arc::new(MemoryLeases::new(time)),
            clock,
            entropy: SeededEntropy::new(seed),
        }
    }

    /// The store on `disk`, with the notes of `table`.
    pub(crate) fn on(disk: &SimDisk, table: &MemoryTable, seed: u64) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_800_000_000_000)));
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        let dir = DataDir::on(disk, Path::new("/")).unwrap();
        let blobs = LocalBlobs::new(dir.clone());
        let time: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let leases = LocalLeases::new(dir.clone(), time, Arc::new(NoTrace));
        let journal =
            SegmentedJournal::sessions(dir, blobs.clone(), leases.clone(), Arc::new(NoTrace));
        Self {
            journal: Arc::new(journal),
            blobs: Arc::new(blobs),
            table: table.clone(),
            index: MemoryIndex::new(),
            leases: Arc::new(leases),
            clock,
            entropy: SeededEntropy::new(seed),
        }
    }

    pub(crate) fn ports(&self) -> SessionPorts<'_> {
        SessionPorts {
            journal: self.journal.as_ref(),
            blobs: self.blobs.as_ref(),
            table: &self.table,
            index: &self.index,
            leases: self.leases.as_ref(),
            clock: self.clock.as_ref(),
            entropy: &self.entropy,
        }
    }

    /// Appends a tale, plan by plan.
    pub(crate) fn write(&self, tale: &Tale) {
        block_on(async {
            let lease = self.journal.lease(&tale.session.into()).await.unwrap();
            for blob in &tale.blobs {
                self.blobs.put(blob.namespace(), blob.bytes().to_vec()).await.unwrap();
            }
            for plan in &tale.plans {
                let plan = AppendPlan::new(plan.clone());
                self.journal.append(&lease.writer(), plan).await.unwrap();
            }
        });
    }

    pub(crate) fn export(&self, session: SessionId) -> Bundle {
        block_on(transfer::export(self.ports(), session, producer())).unwrap()
    }

    pub(crate) fn import(&self, bundle: &Bundle) -> transfer::Imported {
        block_on(transfer::import(self.ports(), bundle)).unwrap()
    }

    pub(crate) fn events(&self, session: SessionId) -> Vec<SessionEvent> {
        block_on(self.journal.load(&session.into())).unwrap().events
    }

    pub(crate) fn state(&self, session: SessionId) -> SessionState {
        SessionState::of(&self.events(session))
    }

    pub(crate) fn sessions(&self) -> Vec<StreamId> {
        block_on(self.journal.streams()).unwrap()
    }

    /// How many blobs a namespace has.
    pub(crate) fn count(&self, namespace: BlobNamespace) -> usize {
        block_on(self.blobs.list(namespace, None, 10_000)).unwrap().len()
    }
}

pub(crate) fn producer() -> Producer {
    let app_version = BoundedText::new("0.1.0-test").unwrap();
    Producer { app_version, applied_config_hash: None }
}
