//! A data directory with backpacks in it, on a simulated or a real disk.

use std::path::Path;
use std::sync::Arc;

use piton_backpack::journal::{
    BackpackEvent, Holder, JournalPorts, JournaledBackpack, Mode, Opened,
};
use piton_backpack::{
    Backpack, BackpackId, BackpackPorts, Commit, CommitId, Error, Filter, NodeIdentity, Options,
    Scope, WriteOutcome,
};
use piton_core::port::NoTrace;
use piton_core::port::fixed::{ManualClock, SeededEntropy};
use piton_core::{Clock, Entropy, TimestampMs};
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, LogJournal, SystemClock};

/// The backpack that most tests open.
pub(crate) fn pack_id() -> BackpackId {
    "pack_a".parse().unwrap()
}

pub(crate) fn holder(text: &str) -> Holder {
    Holder::new(text).unwrap()
}

/// One process's view of a data directory.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) ports: JournalPorts,
    pub(crate) journal: LogJournal<BackpackEvent>,
    pub(crate) blobs: LocalBlobs,
    pub(crate) leases: LocalLeases,
}

impl Site {
    /// Opens the data directory at the root of a simulated disk.
    pub(crate) fn on(disk: Arc<dyn Disk>, seed: u64) -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(1_000)));
        let entropy = Arc::new(SeededEntropy::new(seed));
        Self::of(DataDir::on(disk, Path::new("/")).unwrap(), clock, entropy)
    }

    /// Opens a real data directory.
    pub(crate) fn at(root: &Path) -> Self {
        let entropy = Arc::new(piton_store::local::SystemEntropy);
        Self::of(DataDir::open(root).unwrap(), Arc::new(SystemClock), entropy)
    }

    fn of(dir: DataDir, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        let blobs = LocalBlobs::new(dir.clone());
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        let journal = LogJournal::backpacks(dir, blobs.clone(), leases.clone(), Arc::new(NoTrace));
        let ports = JournalPorts {
            journal: Arc::new(journal.clone()),
            blobs: Arc::new(blobs.clone()),
            ports: BackpackPorts { clock, entropy },
        };
        Self { ports, journal, blobs, leases }
    }

    pub(crate) async fn try_open(&self, mode: Mode, options: Options) -> Result<Opened, Error> {
        JournaledBackpack::open(&pack_id(), holder("a test"), mode, options, self.ports.clone())
            .await
    }

    pub(crate) async fn open(&self) -> JournaledBackpack {
        self.try_open(Mode::Durable, Options::default()).await.unwrap().backpack
    }
}

/// A node without declared permissions.
pub(crate) fn node(backpack: &JournaledBackpack, id: &str) -> Scope {
    backpack.scope(NodeIdentity::new(id, id).unwrap(), None).unwrap()
}

/// The commit of a write that happened, once it is as durable as its backpack makes it.
pub(crate) async fn saved(scope: &Scope, outcome: Result<WriteOutcome, Error>) -> CommitId {
    crate::rig::done(try_saved(scope, outcome).await)
}

/// The outcome of a write, once it is as durable as its backpack makes it.
pub(crate) async fn try_saved(
    scope: &Scope,
    outcome: Result<WriteOutcome, Error>,
) -> Result<WriteOutcome, Error> {
    scope.saved(outcome?).await
}

pub(crate) fn commits(backpack: &Backpack) -> Vec<Commit> {
    backpack.debug().history(&Filter::default()).unwrap()
}

/// Everything that two backpacks must agree on to be the same.
pub(crate) fn assert_same(left: &Backpack, right: &Backpack) {
    assert_eq!(left.id(), right.id());
    assert_eq!(left.origin(), right.origin());
    assert_eq!(left.debug().items(), right.debug().items());
    assert_eq!(left.debug().quarantined(), right.debug().quarantined());
    assert_eq!(commits(left), commits(right));
}
