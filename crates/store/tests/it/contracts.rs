//! Every adapter keeps the promise of its port.

use std::cell::Cell;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use piton_core::Digest;
use piton_core::port::fixed::ManualClock;
use piton_core::port::{Clock, NoTrace, TimestampMs};
use piton_store::bounds::REPLY_TIME;
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalKeyRing, LocalLeases, LocalReplies, LocalTable,
    SystemClock, SystemEntropy,
};
use piton_store::memory::{
    MemoryBlobs, MemoryCache, MemoryIndex, MemoryJournal, MemoryKeyRing, MemoryLeases,
    MemoryReplies, MemoryTable,
};
use piton_store::port::{
    BlobNamespace, Blobs, Cache, Index, Journal, KeyRing, Leases, Replies, ReplyKey, Table,
    TakenOut,
};
use piton_store::testing::{DiskFault, FaultKind, Sample, SimDisk, contract};
use tempfile::TempDir;

/// Gives a new data directory each time.
struct Rooms {
    house: TempDir,
    count: Cell<u32>,
}

impl Rooms {
    fn new() -> Self {
        Self { house: TempDir::new().unwrap(), count: Cell::new(0) }
    }

    fn next(&self) -> DataDir {
        self.count.set(self.count.get() + 1);
        DataDir::open(&self.house.path().join(self.count.get().to_string())).unwrap()
    }
}

// shows: WR-534, WR-539
#[test]
fn every_port_is_a_trait_object_with_an_adapter_in_memory() {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(TimestampMs(0)));
    let blobs = MemoryBlobs::new(Arc::clone(&clock));
    let _journal: Box<dyn Journal<Sample>> = Box::new(MemoryJournal::new(blobs.clone()));
    let _snapshots_and_pinned_workflows: Box<dyn Blobs> = Box::new(blobs);
    let _table: Box<dyn Table> = Box::new(MemoryTable::new());
    let _leases: Box<dyn Leases> = Box::new(MemoryLeases::new(clock));
    let _keyring: Box<dyn KeyRing> = Box::new(MemoryKeyRing::new(Arc::new(SystemEntropy)));
    let _projections: Box<dyn Cache> = Box::new(MemoryCache::new());
    let _index: Box<dyn Index> = Box::new(MemoryIndex::new());
    let _replies: Box<dyn Replies> = Box::new(MemoryReplies::new(Arc::new(SystemClock)));
    assert!(BlobNamespace::ALL.contains(&BlobNamespace::PinnedWorkflows));
}

fn local_leases(dir: &DataDir) -> LocalLeases {
    LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace))
}

#[tokio::test]
async fn the_table_in_memory_keeps_its_promise() {
    contract::table::suite(MemoryTable::new).await;
}

#[tokio::test]
async fn the_table_in_memory_shows_what_was_taken_out() {
    let table = MemoryTable::new();
    let (key, value) = (b"damaged"[..].into(), b"value".to_vec());
    table.take_out(TakenOut::Entry { key, value });
    let [after, before] = [b"a", b"c"].map(|key| Some(key[..].into()));
    table.take_out(TakenOut::Range { after, before });
    contract::table::after_a_repair(&table, b"damaged", b"value", [b"a", b"c"]).await;
}

#[tokio::test]
async fn the_table_on_disk_keeps_its_promise() {
    let rooms = Rooms::new();
    let name = "contract".parse().unwrap();
    contract::table::suite(|| LocalTable::open(&rooms.next(), &name).unwrap()).await;
}

// shows: WR-235
#[tokio::test]
async fn the_key_ring_in_memory_keeps_its_promise() {
    contract::keyring::suite(|| MemoryKeyRing::new(Arc::new(SystemEntropy))).await;
}

// shows: WR-235
#[tokio::test]
async fn the_key_ring_on_disk_keeps_its_promise() {
    let rooms = Rooms::new();
    contract::keyring::suite(|| LocalKeyRing::new(rooms.next(), Arc::new(SystemEntropy))).await;
}

#[tokio::test]
async fn the_cache_in_memory_keeps_its_promise() {
    contract::cache::suite(MemoryCache::new).await;
}

#[tokio::test]
async fn the_replies_in_memory_keep_their_promise() {
    contract::replies::suite(|| MemoryReplies::new(Arc::new(SystemClock))).await;
    let replies = MemoryReplies::new(Arc::new(SystemClock));
    contract::replies::claims(&replies, &replies.clone()).await;
}

#[tokio::test]
async fn the_replies_on_disk_keep_their_promise() {
    let rooms = Rooms::new();
    contract::replies::suite(|| LocalReplies::new(rooms.next())).await;
    let dir = rooms.next();
    contract::replies::claims(&LocalReplies::new(dir.clone()), &LocalReplies::new(dir)).await;
}

#[tokio::test]
async fn a_reply_is_found_by_another_process_and_is_for_its_owner_alone() {
    let scratch = TempDir::new().unwrap();
    let open = || LocalReplies::new(DataDir::open(scratch.path()).unwrap());
    let key = ReplyKey::new("a session that nobody guesses", "a".parse().unwrap());
    open().keep(&key, b"a reply".to_vec()).await.unwrap();
    assert_eq!(open().get(&key).await.unwrap().as_deref(), Some(b"a reply".as_slice()));
    let client = scratch.path().join("run/replies").join(key.client.hex());
    for (path, mode) in [(client.clone(), 0o700), (client.join("a"), 0o600)] {
        let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{}", path.display());
    }
    // What is damaged is not there.
    let file = client.join("a");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, bytes).unwrap();
    assert_eq!(open().get(&key).await.unwrap(), None);
}

#[tokio::test]
async fn claims_of_a_process_that_died_are_free_and_leave_nothing_behind() {
    let scratch = TempDir::new().unwrap();
    let dir = DataDir::open(scratch.path()).unwrap();
    let key = |name: &str| ReplyKey::new("one", name.parse().unwrap());
    let calls = scratch.path().join("run/calls");
    let left = || fs::read_dir(&calls).unwrap().count();
    let here = LocalReplies::new(dir.clone());
    let held = here.claim(&key("held")).await.unwrap();
    // A process that dies takes its locks along and leaves its files.
    fs::write(calls.join("0123456789abcdef0123456789abcdef-left"), b"").unwrap();
    let there = LocalReplies::new(dir);
    drop(there.claim(&key("other")).await.unwrap().unwrap());
    assert_eq!(left(), 1, "the one that is held");
    assert!(there.claim(&key("held")).await.unwrap().is_none());
    drop(held);
    assert_eq!(left(), 0);
}

#[tokio::test]
async fn a_claim_that_fails_once_does_not_keep_later_ones_from_succeeding() {
    let key = ReplyKey::new("one", "a".parse().unwrap());
    let mut failed = 0;
    for at in 0..16 {
        let disk = SimDisk::new();
        let dir = DataDir::on(Arc::new(disk.clone()), Path::new("/")).unwrap();
        let replies = LocalReplies::new(dir);
        disk.set_fault(Some(DiskFault { at, kind: FaultKind::ErrorOnce }));
        failed += usize::from(replies.claim(&key).await.is_err());
        disk.set_fault(None);
        assert!(replies.claim(&key).await.unwrap().is_some(), "after a fault at call {at}");
    }
    assert!(failed > 1, "each directory was missing once");
}

#[tokio::test]
async fn replies_are_gone_after_their_time() {
    let clock = Arc::new(ManualClock::new(TimestampMs(0)));
    let replies = MemoryReplies::new(clock.clone());
    let key = ReplyKey::new("one", "a".parse().unwrap());
    replies.keep(&key, b"x".to_vec()).await.unwrap();
    clock.advance(REPLY_TIME.saturating_sub(Duration::from_millis(1)));
    assert!(replies.get(&key).await.unwrap().is_some());
    clock.advance(Duration::from_millis(1));
    assert!(replies.get(&key).await.unwrap().is_none());
}

#[tokio::test]
async fn the_cache_on_disk_keeps_its_promise() {
    let rooms = Rooms::new();
    let make = || {
        let dir = rooms.next();
        for stream in contract::cache::STREAMS {
            fs::create_dir(dir.sessions().join(stream)).unwrap();
        }
        LocalCache::new(dir)
    };
    contract::cache::suite(make).await;
}

#[tokio::test]
async fn the_leases_in_memory_keep_their_promise() {
    contract::leases::suite(|| MemoryLeases::new(Arc::new(SystemClock))).await;
}

#[tokio::test]
async fn the_leases_on_disk_keep_their_promise() {
    let rooms = Rooms::new();
    contract::leases::suite(|| local_leases(&rooms.next())).await;
}

struct InMemory {
    clock: Arc<ManualClock>,
    blobs: MemoryBlobs,
    leases: MemoryLeases,
}

impl InMemory {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(TimestampMs(0)));
        let shared: Arc<dyn Clock> = clock.clone();
        Self {
            clock,
            blobs: MemoryBlobs::new(Arc::clone(&shared)),
            leases: MemoryLeases::new(shared),
        }
    }
}

impl contract::blobs::Subject for InMemory {
    fn blobs(&self) -> &dyn Blobs {
        &self.blobs
    }

    fn leases(&self) -> &dyn Leases {
        &self.leases
    }

    fn let_pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn alter(&self, _: BlobNamespace, _: Digest) -> bool {
        false
    }
}

#[tokio::test]
async fn the_blobs_in_memory_keep_their_promise() {
    contract::blobs::suite(InMemory::new).await;
}

struct OnDisk {
    dir: DataDir,
    blobs: LocalBlobs,
    leases: LocalLeases,
}

impl OnDisk {
    fn new(dir: DataDir) -> Self {
        Self { blobs: LocalBlobs::new(dir.clone()), leases: local_leases(&dir), dir }
    }

    fn file(&self, namespace: BlobNamespace, digest: Digest) -> PathBuf {
        let hex = digest.hex();
        self.dir.blobs(namespace).join(&hex[..2]).join(&hex[2..])
    }
}

/// What is in a directory; nothing if there is none.
fn entries(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

impl contract::blobs::Subject for OnDisk {
    fn blobs(&self) -> &dyn Blobs {
        &self.blobs
    }

    fn leases(&self) -> &dyn Leases {
        &self.leases
    }

    fn let_pass(&self, time: Duration) {
        let fans =
            BlobNamespace::ALL.iter().flat_map(|namespace| entries(&self.dir.blobs(*namespace)));
        for path in fans.filter(|path| path.is_dir()).flat_map(|fan| entries(&fan)) {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(file.metadata().unwrap().modified().unwrap() - time).unwrap();
        }
    }

    fn alter(&self, namespace: BlobNamespace, digest: Digest) -> bool {
        let path = self.file(namespace, digest);
        let mut bytes = fs::read(&path).unwrap();
        bytes[0] ^= 1;
        fs::write(&path, bytes).unwrap();
        true
    }
}

#[tokio::test]
async fn the_blobs_on_disk_keep_their_promise() {
    let rooms = Rooms::new();
    contract::blobs::suite(|| OnDisk::new(rooms.next())).await;
}
