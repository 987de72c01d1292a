//! The append protocol, seen from the disk: which calls, in which order, under which lock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use piton_core::port::fixed::SeededEntropy;
use piton_core::{DedupeKey, Digest, EventIndex, FileBytes, SnapshotRef};
use piton_store::bounds::PLAN_BYTES_MAX;
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, SegmentedJournal};
use piton_store::port::{Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{
    DiskCall, DiskFault, FaultKind, Recorder, Sample, SimDisk, sample_plan, sample_snapshot,
};
use piton_store::{AppendPlan, Error, Event, PlanProblem, StreamId};
use serde_json::Value;

use crate::site::{SESSION, block_on, open, sessions};

struct Bench {
    disk: SimDisk,
    recorder: Recorder,
    journal: SegmentedJournal<Sample>,
    name: StreamId,
}

fn bench() -> Bench {
    bench_on(&SimDisk::new())
}

/// A process of its own on `disk`.
fn bench_on(disk: &SimDisk) -> Bench {
    let recorder = Recorder::new(Arc::new(disk.clone()));
    let dir = DataDir::on(Arc::new(recorder.clone()), Path::new("/")).unwrap();
    let journal = open(dir, SegmentedJournal::sessions);
    Bench { disk: disk.clone(), recorder, journal, name: SESSION.parse().unwrap() }
}

impl Bench {
    /// The calls of one append, without the mere looks.
    fn append(&self, events: u64, plan: &str) -> Vec<DiskCall> {
        block_on(async {
            let lease = self.journal.lease(&self.name).await.unwrap();
            self.recorder.take();
            append(&self.journal, &lease, events, plan).await.unwrap();
        });
        let mut calls = self.recorder.take();
        calls.retain(|call| call.operation != "stat");
        calls
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let bytes = self.disk.contents()[&session(name)].clone();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn session(name: &str) -> PathBuf {
    Path::new("/sessions").join(SESSION).join(name)
}

/// A call as `operation path`, with the session and the blobs' names shortened.
fn short(call: &DiskCall) -> String {
    let path = call.path.to_string_lossy().replace(&format!("/sessions/{SESSION}/"), "");
    let path = match path.strip_prefix("/snapshots/") {
        Some(blob) if blob.contains("tmp-") => "blob.tmp".to_owned(),
        Some(blob) if blob.contains('/') => "blob".to_owned(),
        Some(_) => "blob directory".to_owned(),
        None => path,
    };
    format!("{} {path}", call.operation)
}

// shows: WR-063, WR-065, WR-066, WR-067
#[test]
fn an_append_is_a_fixed_list_of_calls() {
    let bench = bench();
    bench.append(3, "a");
    let calls: Vec<String> = bench.append(5, "b").iter().map(short).collect();
    assert_eq!(
        calls,
        [
            "lock_shared /leases/collection.turn",
            "lock_shared /leases/collection.lock",
            "create events/segment.tmp",
            "write events/segment.tmp",
            "sync events/segment.tmp",
            "create blob.tmp",
            "write blob.tmp",
            "sync blob.tmp",
            "rename blob",
            "rename events/00000003-00000007.jsonl",
            "sync_dir events",
            "sync_dir blob directory",
            "open manifest.jsonl",
            "write manifest.jsonl",
            "sync manifest.jsonl",
        ]
    );
}

/// Whoever wrote before may have died before its sync. Making sure of that costs one sync, once.
#[test]
fn the_first_append_after_another_process_wrote_costs_one_sync_more() {
    let bench = bench();
    bench.append(3, "a");
    let syncs = |calls: &[DiskCall]| {
        let manifest = calls.iter().filter(|call| call.path.ends_with("manifest.jsonl"));
        let calls: Vec<_> = manifest.map(|call| call.operation).collect();
        let total = calls.iter().filter(|operation| **operation == "sync").count();
        (calls.join(" "), total)
    };
    let other = bench_on(&bench.disk);
    let first = other.append(3, "b");
    assert_eq!(syncs(&first), ("read open write sync open write sync".to_owned(), 2));
    assert_eq!(syncs(&other.append(3, "c")), ("open write sync".to_owned(), 1));
}

// shows: WR-008, WR-053, WR-054, WR-056, WR-058, WR-059, WR-065, WR-066, WR-070, WR-072, WR-077
// shows: WR-079, WR-216
#[test]
fn a_plan_is_a_segment_and_a_group_of_the_manifest() {
    let bench = bench();
    bench.append(3, "a");
    bench.append(1, "b");
    bench.append(2, "c");
    let manifest = bench.lines("manifest.jsonl");
    let kinds: Vec<&str> = manifest.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    let (closed, pinned) = ("segment_closed", "snapshot_pinned");
    assert_eq!(kinds, [closed, pinned, closed, closed, pinned]);
    for (place, line) in manifest.iter().enumerate() {
        assert_eq!(line["manifestIndex"], place);
        assert_eq!(line["sessionId"], SESSION);
        assert_eq!(line["v"], 1);
    }
    let mut next = 0;
    for close in manifest.iter().filter(|line| line["kind"] == closed) {
        assert_eq!(close["firstEventIndex"], next);
        let path = close["segmentRelPath"].as_str().unwrap();
        let bytes = bench.disk.contents()[&session(path)].clone();
        assert_eq!(close["bytes"], bytes.len());
        assert_eq!(close["sha256"], Digest::of(&FileBytes(&bytes)).to_string());
        for event in bench.lines(path) {
            assert_eq!(event["eventIndex"], next);
            assert!(event["dedupeKey"].is_string() && event["kind"].is_null());
            next += 1;
        }
        let last = next - 1;
        assert_eq!(close["lastEventIndex"], last);
        let first = close["firstEventIndex"].as_u64().unwrap();
        assert_eq!(path, format!("events/{first:08}-{last:08}.jsonl"));
    }
    let events = block_on(bench.journal.load(&bench.name)).unwrap().events;
    for pin in manifest.iter().filter(|line| line["kind"] == pinned) {
        let at = usize::try_from(pin["eventIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(pin["createdByEventId"], events[at].id().to_string());
        assert_eq!(pin["snapshotRef"], events[at].introduces().unwrap().to_string());
    }
}

// shows: WR-047, WR-049
#[test]
fn the_data_directory_has_the_locked_layout() {
    let bench = bench();
    bench.append(3, "a");
    bench.append(3, "b");
    let places: Vec<String> = bench
        .disk
        .contents()
        .into_keys()
        .map(|path| path.to_string_lossy().into_owned())
        .filter(|path| !path.starts_with("/leases"))
        .collect();
    let blob = |plan: &str| {
        let hex = sample_snapshot(&format!("{SESSION}-{plan}")).digest().hex();
        format!("/snapshots/{}/{}", &hex[..2], &hex[2..])
    };
    let mut expected = vec![
        format!("/sessions/{SESSION}/.lock"),
        format!("/sessions/{SESSION}/begun"),
        format!("/sessions/{SESSION}/events/00000000-00000002.jsonl"),
        format!("/sessions/{SESSION}/events/00000003-00000005.jsonl"),
        format!("/sessions/{SESSION}/manifest.jsonl"),
        "/snapshots/complete".to_owned(),
        blob("a"),
        blob("b"),
    ];
    expected.sort();
    assert_eq!(places, expected);
}

// shows: WR-213, WR-214
#[test]
fn sessions_with_equal_snapshots_share_one_file() {
    let disk = SimDisk::new();
    let journal = sessions(&disk);
    let snapshot = sample_snapshot("equal");
    for name in ["sess_a", "sess_b"] {
        let name: StreamId = name.parse().unwrap();
        let mut event = Sample::new(&name, 0, "same", &SeededEntropy::new(4));
        event.snapshot_ref = Some(SnapshotRef::new(snapshot.digest()));
        let plan = AppendPlan::new(vec![event]).with_blob(snapshot.clone());
        block_on(async {
            let lease = journal.lease(&name).await.unwrap();
            journal.append(&lease.writer(), plan).await.unwrap();
        });
    }
    let stored = disk.contents();
    assert_eq!(stored.values().filter(|bytes| *bytes == snapshot.bytes()).count(), 1);
}

// shows: WR-047
#[test]
fn what_is_written_stays_as_it_is() {
    let bench = bench();
    let mut before = BTreeMap::<PathBuf, Vec<u8>>::new();
    for plan in ["a", "b", "c"] {
        bench.append(3, plan);
        let after = bench.disk.contents();
        for (path, bytes) in &before {
            let grows = path.ends_with("manifest.jsonl");
            assert!(
                if grows { after[path].starts_with(bytes) } else { after[path] == *bytes },
                "{} changed",
                path.display()
            );
        }
        before = after;
    }
}

/// For each call of one append: its name, and whether another process could lock `path` alone.
fn free_during_an_append(path: &Path) -> Vec<(&'static str, bool)> {
    let disk = SimDisk::new();
    let name: StreamId = SESSION.parse().unwrap();
    let writer = sessions(&disk);
    block_on(async {
        let lease = writer.lease(&name).await.unwrap();
        append(&writer, &lease, 2, "a").await.unwrap();
    });
    let notes = Arc::new(Mutex::new(Vec::new()));
    let (own, probe, path) = (Arc::clone(&notes), disk.clone(), path.to_path_buf());
    let listener = move |call: &DiskCall| {
        let is_free = probe.lock(&path, true).unwrap().is_some();
        own.lock().unwrap().push((call.operation, is_free));
    };
    let recorder = Recorder::with_listener(Arc::new(disk), Arc::new(listener));
    let dir = DataDir::on(Arc::new(recorder), Path::new("/")).unwrap();
    let journal: SegmentedJournal<Sample> = open(dir, SegmentedJournal::sessions);
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        notes.lock().unwrap().clear();
        append(&journal, &lease, 5, "b").await.unwrap();
    });
    std::mem::take(&mut *notes.lock().unwrap())
}

// shows: WR-067, WR-084, WR-086
#[test]
fn the_session_is_locked_during_every_call_of_an_append() {
    let calls = free_during_an_append(&session(".lock"));
    assert!(calls.len() >= 15 && calls.iter().all(|(_, is_free)| !is_free), "{calls:?}");
}

#[test]
fn no_sweep_can_run_between_the_first_blob_of_a_plan_and_the_end_of_its_append() {
    let calls = free_during_an_append(Path::new("/leases/collection.lock"));
    let first = calls.iter().position(|(operation, _)| *operation == "create").unwrap();
    assert_eq!(calls.last().map(|(operation, _)| *operation), Some("sync"));
    assert!(calls[first..].iter().all(|(_, is_free)| !is_free), "{calls:?}");
}

// shows: WR-100, WR-101
#[test]
fn a_spent_lease_writes_nothing_even_after_the_stream_was_leased_again() {
    let bench = bench();
    bench.append(2, "a");
    block_on(async {
        let lease = bench.journal.lease(&bench.name).await.unwrap();
        let writer = lease.writer();
        bench.disk.set_fault(Some(DiskFault { at: 3, kind: FaultKind::ErrorOnce }));
        let plan = sample_plan(&bench.name, 2, 2, "b");
        assert!(matches!(bench.journal.append(&writer, plan).await, Err(Error::Io { .. })));
        bench.disk.set_fault(None);
        bench.recorder.take();
        let refused = bench.journal.append(&writer, sample_plan(&bench.name, 2, 2, "b")).await;
        assert!(matches!(refused, Err(Error::LeaseSpent { .. })), "{refused:?}");
        assert_eq!(bench.recorder.take(), [], "refused before any call to the disk");
        let envelope = refused.unwrap_err().envelope();
        assert_ne!(envelope.retry, piton_core::Retry::NotRetryable);
    });
    let events = block_on(bench.journal.load(&bench.name)).unwrap().events;
    assert_eq!(events.len(), 2);
    bench.append(2, "b");
}

/// Whoever wrote the newest plan may have died before it was durable; what stands before it is.
// shows: WR-069
#[test]
fn a_hit_in_the_newest_plan_is_answered_only_after_a_sync() {
    let bench = bench();
    bench.append(2, "a");
    bench.append(2, "b");
    let syncs = |fact: &str| {
        let recorder = Recorder::new(Arc::new(bench.disk.clone()));
        let dir = DataDir::on(Arc::new(recorder.clone()), Path::new("/")).unwrap();
        let cold: SegmentedJournal<Sample> = open(dir, SegmentedJournal::sessions);
        let key = DedupeKey::new("sample", &[&bench.name, &fact]).unwrap();
        let found = block_on(cold.lookup(&bench.name, &key)).unwrap();
        let syncs = recorder.take().iter().filter(|call| call.operation == "sync").count();
        // Once it is known to be durable, the answer costs no more than a look.
        block_on(cold.lookup(&bench.name, &key)).unwrap();
        let calls: Vec<_> = recorder.take().iter().map(|call| call.operation).collect();
        assert_eq!(calls, ["stat"]);
        (found.map(EventIndex::get), syncs)
    };
    assert_eq!(syncs("b-0"), (Some(2), 1));
    assert_eq!(syncs("a-0"), (Some(0), 0));
    assert_eq!(syncs("never"), (None, 0));
}

/// A reader that looked while a plan was being taken back must not keep it, even if the next plan
/// is of the same length.
#[test]
fn a_reader_forgets_what_was_taken_back() {
    let disk = SimDisk::new();
    let name: StreamId = SESSION.parse().unwrap();
    let key = |fact: &str| DedupeKey::new("sample", &[&name, &fact]).unwrap();
    let (reader, seen) = (Arc::new(sessions(&disk)), Arc::new(Mutex::new(None)));
    let (looking, found, wanted) = (Arc::clone(&reader), Arc::clone(&seen), key("bad-0"));
    let (stream, power) = (name.clone(), disk.clone());
    let confirmed = AtomicBool::new(false);
    let listener = move |call: &DiskCall| {
        let mut found = found.lock().unwrap();
        let is_sync = call.operation == "sync" && call.path.ends_with("manifest.jsonl");
        // The first one makes sure of what the writer before it left.
        let is_commit = is_sync && confirmed.swap(true, Ordering::SeqCst);
        if is_commit && found.is_none() {
            let looking = Arc::clone(&looking);
            let (stream, wanted) = (stream.clone(), wanted.clone());
            let answer = std::thread::spawn(move || block_on(looking.lookup(&stream, &wanted)));
            *found = Some(answer.join().unwrap().unwrap());
            power.set_fault(Some(DiskFault { at: 0, kind: FaultKind::ErrorOnce }));
        }
    };
    let first = sessions(&disk);
    block_on(async {
        let lease = first.lease(&name).await.unwrap();
        append(&first, &lease, 2, "ok0").await.unwrap();
    });
    let recorder = Recorder::with_listener(Arc::new(disk.clone()), Arc::new(listener));
    let dir = DataDir::on(Arc::new(recorder), Path::new("/")).unwrap();
    let writer: SegmentedJournal<Sample> = open(dir, SegmentedJournal::sessions);
    block_on(async {
        let lease = writer.lease(&name).await.unwrap();
        append(&writer, &lease, 2, "bad").await.unwrap_err();
        drop(lease);
        let lease = writer.lease(&name).await.unwrap();
        append(&writer, &lease, 2, "new").await.unwrap();
    });
    assert_eq!(seen.lock().unwrap().unwrap().unwrap().get(), 2, "the reader saw it");
    assert_eq!(block_on(reader.lookup(&name, &key("bad-0"))).unwrap(), None);
    assert_eq!(block_on(reader.lookup(&name, &key("new-0"))).unwrap().unwrap().get(), 2);
    assert_eq!(block_on(reader.load(&name)).unwrap().events.len(), 4);
}

// shows: WR-060
#[test]
fn a_plan_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let bench = bench();
    let entropy = SeededEntropy::new(3);
    let event = |bytes: usize| {
        let mut event = Sample::new(&bench.name, 0, "big", &entropy);
        event.text = "x".repeat(bytes);
        event
    };
    let line = piton_core::canonical::encode(&event(0)).unwrap().len() + 1;
    let fits = PLAN_BYTES_MAX - line;
    block_on(async {
        let lease = bench.journal.lease(&bench.name).await.unwrap();
        let plan = AppendPlan::new(vec![event(fits + 1)]);
        let refused = bench.journal.append(&lease.writer(), plan).await.unwrap_err();
        let Error::PlanRefused { problem: PlanProblem::TooLarge { bytes, .. }, .. } = refused
        else {
            panic!("{refused}")
        };
        assert_eq!(bytes, PLAN_BYTES_MAX + 1);
        let plan = AppendPlan::new(vec![event(fits)]);
        bench.journal.append(&lease.writer(), plan).await.unwrap();
    });
}

#[test]
fn a_panic_in_an_append_spends_the_lease_and_frees_the_stream() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&is_broken);
    let listener = move |call: &DiskCall| {
        let is_fine = call.operation != "create" || !own.load(Ordering::Relaxed);
        assert!(is_fine, "a fault in the code that writes");
    };
    let recorder = Recorder::with_listener(Arc::new(SimDisk::new()), Arc::new(listener));
    let dir = DataDir::on(Arc::new(recorder), Path::new("/")).unwrap();
    let journal: SegmentedJournal<Sample> = open(dir, SegmentedJournal::sessions);
    let name: StreamId = SESSION.parse().unwrap();
    let work = async {
        let lease = journal.lease(&name).await.unwrap();
        is_broken.store(true, Ordering::Relaxed);
        let waiting = [0, 2].map(|first| {
            journal.append(&lease.writer(), sample_plan(&name, first, 2, &format!("p{first}")))
        });
        for append in waiting {
            let refused = append.await;
            assert!(matches!(refused, Err(Error::LeaseSpent { .. })), "{refused:?}");
        }
        is_broken.store(false, Ordering::Relaxed);
        drop(lease);
        let lease = journal.lease(&name).await.unwrap();
        append(&journal, &lease, 2, "after").await.unwrap();
        // Waits until no job is running.
        journal.delete(lease).await.unwrap();
    };
    let ended = block_on(async { tokio::time::timeout(Duration::from_secs(20), work).await });
    ended.expect("nothing waits forever");
}
