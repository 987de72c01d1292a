//! Every error of the store, produced and looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use piton_core::error::{Domain, MeasuredSize};
use piton_core::port::fixed::ManualClock;
use piton_core::port::{Clock, NoTrace, TimestampMs};
use piton_core::{Code, Envelope, Retry};
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalKeyRing, LocalLeases, SystemEntropy};
use piton_store::memory::MemoryTable;
use piton_store::port::{
    BlobNamespace, BlobReader, EntryChange, Expect, Journal, JournalReader, KeyRing, Leases, Mode,
    Patience, Table, TableWrite,
};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{DiskFault, FaultKind, Sample, SimDisk, sample_snapshot};
use piton_store::{AppendPlan, Error, StreamId};

use crate::site::{SESSION, blobs, block_on, data_dir, sessions};

fn name() -> StreamId {
    SESSION.parse().unwrap()
}

fn written() -> SimDisk {
    let disk = SimDisk::new();
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        append(&journal, &lease, 2, "a").await.unwrap();
    });
    disk
}

/// What an append ends with if a fault happens at its fourth call.
fn append_with(kind: FaultKind) -> Error {
    let disk = written();
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        disk.set_fault(Some(DiskFault { at: 4, kind }));
        append(&journal, &lease, 2, "b").await.unwrap_err()
    })
}

fn poisoned() -> Error {
    let disk = written();
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        disk.set_fault(Some(DiskFault { at: 0, kind: FaultKind::SyncsFail }));
        append(&journal, &lease, 2, "b").await.unwrap_err();
        drop(lease);
        disk.set_fault(None);
        sessions(&disk).lease(&name()).await.unwrap_err()
    })
}

fn plan_refused(events: Vec<Sample>) -> Error {
    let journal = sessions(&SimDisk::new());
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        journal.append(&lease.writer(), AppendPlan::new(events)).await.unwrap_err()
    })
}

fn damaged(change: fn(&mut Vec<u8>)) -> SimDisk {
    let disk = written();
    disk.damage(&Path::new("/sessions").join(SESSION).join("manifest.jsonl"), change);
    disk
}

fn new_version(bytes: &mut Vec<u8>) {
    let text = String::from_utf8(std::mem::take(bytes)).unwrap();
    *bytes = text.replacen("\"v\":1", "\"v\":2", 1).into_bytes();
}

fn corrupt_blob() -> Error {
    let disk = written();
    let digest = sample_snapshot(&format!("{SESSION}-a")).digest();
    let hex = digest.hex();
    let path = Path::new("/snapshots").join(&hex[..2]).join(&hex[2..]);
    disk.damage(&path, |bytes| bytes[5] ^= 1);
    block_on(blobs(&disk).get(BlobNamespace::Snapshots, digest)).unwrap_err()
}

fn missing_blob() -> Error {
    let journal = sessions(&written());
    let mut event = Sample::new(&name(), 2, "x", &SystemEntropy);
    event.snapshot_ref = Some(piton_core::SnapshotRef::new(sample_snapshot("never").digest()));
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        journal.append(&lease.writer(), AppendPlan::new(vec![event])).await.unwrap_err()
    })
}

fn locked() -> Error {
    let journal = sessions(&SimDisk::new());
    block_on(async {
        let _lease = journal.lease(&name()).await.unwrap();
        journal.lease(&name()).await.unwrap_err()
    })
}

fn busy() -> Error {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(TimestampMs(0)));
    let leases = LocalLeases::new(data_dir(&disk), clock, Arc::new(NoTrace));
    let wanted = "wanted".parse().unwrap();
    block_on(async {
        let take = || leases.acquire(&wanted, Mode::Exclusive, Patience::FailFast);
        let _lease = take().await.unwrap();
        take().await.unwrap_err()
    })
}

fn conflict() -> Error {
    let write = || {
        let (key, change) = (Arc::from(*b"key"), EntryChange::Put(b"value".to_vec()));
        vec![TableWrite { key, expect: Expect::Absent, change }]
    };
    let table = MemoryTable::new();
    block_on(table.commit(write())).unwrap();
    block_on(table.commit(write())).unwrap_err()
}

fn damaged_table() -> Error {
    let root = tempfile::TempDir::new().unwrap();
    let dir = DataDir::open(root.path()).unwrap();
    std::fs::write(root.path().join("table.sqlite3"), vec![0xff; 8_192]).unwrap();
    let table = piton_store::local::LocalTable::open(&dir, &"t".parse().unwrap()).unwrap();
    block_on(table.get(b"x")).unwrap_err()
}

fn corrupt_keyring() -> Error {
    let disk = SimDisk::new();
    let shared: Arc<dyn Disk> = Arc::new(disk.clone());
    let ring = |dir: DataDir| LocalKeyRing::new(dir, Arc::new(SystemEntropy));
    block_on(ring(data_dir(&shared)).sign(b"x")).unwrap();
    disk.damage(Path::new("/keys/keyring.json"), |bytes| bytes.truncate(20));
    block_on(ring(data_dir(&shared)).sign(b"x")).unwrap_err()
}

/// An error for each code, each from a call that failed.
fn errors() -> Vec<(Code, Error)> {
    let unknown = damaged(new_version);
    vec![
        (Code::StoreIo, append_with(FaultKind::ErrorOnce)),
        (Code::StoreFull, append_with(FaultKind::Full)),
        (Code::StoreBusy, busy()),
        (Code::StoreConflict, conflict()),
        (Code::StoreInvariantViolation, plan_refused(vec![])),
        (Code::StoreCorruptBlob, corrupt_blob()),
        (Code::StoreTableDamaged, damaged_table()),
        (Code::StoreNotFound, missing_blob()),
        (Code::StoreUnsupportedVersion, {
            block_on(sessions(&unknown).repair(&name())).unwrap_err()
        }),
        // No network file system is at hand; the decision itself has tests of its own.
        (Code::StoreUnsupportedFilesystem, {
            Error::UnsupportedFileSystem { file_system: "nfs".to_owned() }
        }),
        (Code::StoreLimitExceeded, {
            let mut event = Sample::new(&name(), 0, "x", &SystemEntropy);
            event.text = "x".repeat(piton_store::bounds::PLAN_BYTES_MAX);
            plan_refused(vec![event])
        }),
        (Code::SessionLocked, locked()),
        (Code::SessionNotHealthy, {
            let disk = damaged(|bytes| bytes[3] = b'!');
            block_on(sessions(&disk).load(&name())).unwrap_err()
        }),
        (Code::SessionPoisoned, poisoned()),
        (Code::SessionNotFound, { block_on(sessions(&SimDisk::new()).load(&name())).unwrap_err() }),
        (Code::KeyringCorrupt, corrupt_keyring()),
    ]
}

// shows: WR-088, WR-489, WR-490, WR-491, WR-492, WR-495, WR-496, WR-499
#[test]
fn every_code_of_the_store_is_produced_and_says_what_to_do() {
    let mut told = BTreeMap::new();
    for (code, error) in errors() {
        let envelope = error.envelope();
        assert_eq!(envelope.code, code, "{error}");
        let Envelope { message, suggestion, .. } = &envelope;
        assert!(message.ends_with('.') && !suggestion.is_empty(), "{message}");
        for text in [message, suggestion] {
            assert!(!text.contains("/sessions") && !text.contains("/snapshots"), "{text}");
        }
        told.insert(code.as_str(), format!("{message}\n{suggestion}\n{:?}", envelope.retry));
    }
    let produced: BTreeSet<&str> = told.keys().copied().collect();
    let all: BTreeSet<&str> = Code::ALL
        .iter()
        .filter(|code| matches!(code.domain(), Domain::Store | Domain::Session | Domain::Keyring))
        .map(|code| code.as_str())
        .collect();
    assert_eq!(produced, all, "every code is produced by a failing call");
    insta::assert_yaml_snapshot!(told);
}

// shows: WR-493, WR-499
#[test]
fn what_is_too_large_is_told_with_numbers() {
    let envelope = Envelope::over_budget(
        "context",
        300_000,
        262_144,
        MeasuredSize::CanonicalJsonBytes,
        "Cut it.",
    );
    assert_eq!(envelope.code, Code::ValidationError);
    for part in ["300000", "262144"] {
        let text = serde_json::to_string(&envelope).unwrap();
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(envelope.retry, Retry::NotRetryable);
}
