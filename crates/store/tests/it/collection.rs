//! Collecting garbage while others write.

use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use piton_core::Digest;
use piton_core::port::NoTrace;
use piton_store::bounds::SWEEP_BATCH;
use piton_store::collect::{CollectMode, SweepCounts, SweepReport, collect};
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalBlobs, LocalLeases, SegmentedJournal, SystemClock};
use piton_store::port::{
    BlobNamespace, BlobReader, Blobs, Journal, JournalReader, Roots, RootsCursor, StoreFuture,
};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{LongRun, Recorder, Sample, SimDisk, sample_snapshot};
use piton_store::{Error, Event, JournalRoots, StreamId};

use crate::site::{SESSION, block_on, open, sessions};
use crate::worker::{answers, print_line, spawn};

const HOURS: Duration = Duration::from_hours(2);

struct Store {
    dir: DataDir,
    blobs: LocalBlobs,
    leases: LocalLeases,
    journal: SegmentedJournal<Sample>,
}

impl Store {
    fn on(dir: DataDir) -> Self {
        let clock = Arc::new(SystemClock);
        Self {
            blobs: LocalBlobs::new(dir.clone()),
            leases: LocalLeases::new(dir.clone(), clock, Arc::new(NoTrace)),
            journal: open(dir.clone(), SegmentedJournal::sessions),
            dir,
        }
    }

    fn simulated(disk: &SimDisk) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        Self::on(DataDir::on(disk, Path::new("/")).unwrap())
    }

    fn collect(&self, intent: CollectMode) -> SweepReport {
        let roots = JournalRoots::<Sample>::pins(&self.journal);
        let clock = SystemClock;
        let report =
            block_on(collect(&self.blobs, &self.leases, &[&roots], &clock, intent)).unwrap();
        report[&BlobNamespace::Snapshots].clone()
    }

    fn write(&self, name: &str, plans: &[&str]) {
        let name: StreamId = name.parse().unwrap();
        block_on(async {
            let lease = self.journal.lease(&name).await.unwrap();
            for plan in plans {
                append(&self.journal, &lease, 2, plan).await.unwrap();
            }
        });
    }

    fn put(&self, text: &str) -> Digest {
        block_on(self.blobs.put(BlobNamespace::Snapshots, text.as_bytes().to_vec())).unwrap()
    }

    fn has(&self, digest: Digest) -> bool {
        block_on(self.blobs.get(BlobNamespace::Snapshots, digest)).unwrap().is_some()
    }

    fn delete(&self, name: &str) {
        let name: StreamId = name.parse().unwrap();
        block_on(async {
            let lease = self.journal.lease(&name).await.unwrap();
            self.journal.delete(lease).await.unwrap();
        });
    }
}

fn snapshot(session: &str, plan: &str) -> Digest {
    sample_snapshot(&format!("{session}-{plan}")).digest()
}

fn counts(swept: &SweepReport) -> (u64, u64, u64) {
    match swept {
        SweepReport::Done(counts) => (counts.kept, counts.young, counts.removed),
        SweepReport::Spared { because } => panic!("{because:?}"),
    }
}

// shows: WR-479, WR-481
#[test]
fn what_a_session_pins_stays_and_the_rest_goes() {
    let disk = SimDisk::new();
    let store = Store::simulated(&disk);
    store.write("sess_a", &["p"]);
    store.write("sess_b", &["q"]);
    let shared = snapshot("sess_a", "p");
    let (garbage, young) = (store.put("garbage"), "young");
    disk.advance(HOURS);
    let young = store.put(young);
    assert_eq!(counts(&store.collect(CollectMode::Rehearse)), (2, 1, 1));
    assert!(store.has(garbage), "a rehearsal removes nothing");
    assert_eq!(counts(&store.collect(CollectMode::Remove)), (2, 1, 1));
    assert!(!store.has(garbage) && store.has(young) && store.has(shared));
    store.delete("sess_a");
    assert_eq!(counts(&store.collect(CollectMode::Remove)), (1, 1, 1));
    assert!(!store.has(shared) && store.has(snapshot("sess_b", "q")));
}

// shows: WR-482, WR-483
#[test]
fn one_damaged_manifest_keeps_everything() {
    let disk = SimDisk::new();
    let store = Store::simulated(&disk);
    for name in ["sess_a", "sess_b", "sess_c"] {
        store.write(name, &["p", "q"]);
    }
    let garbage = store.put("garbage");
    disk.advance(HOURS);
    let manifest = Path::new("/sessions/sess_b/manifest.jsonl");
    for damage in [40, 600] {
        let disk = disk.fork();
        disk.damage(manifest, |bytes| bytes[damage] ^= 0x04);
        let store = Store::simulated(&disk);
        let SweepReport::Spared { because } = store.collect(CollectMode::Remove) else {
            panic!("swept beside a damaged manifest");
        };
        assert_eq!(because.code, piton_core::Code::SessionNotHealthy);
        assert!(store.has(garbage));
    }
    let fork = disk.fork();
    let text = String::from_utf8(disk.contents()[manifest].clone()).unwrap();
    fork.damage(manifest, |bytes| *bytes = text.replacen("\"v\":1", "\"v\":2", 1).into());
    assert!(matches!(
        Store::simulated(&fork).collect(CollectMode::Remove),
        SweepReport::Spared { .. }
    ));
    // A tail that no append acknowledged is no damage.
    Store::simulated(&disk).write("sess_b", &["r"]);
    disk.damage(manifest, |bytes| bytes.truncate(bytes.len() - 20));
    assert_eq!(counts(&Store::simulated(&disk).collect(CollectMode::Remove)), (6, 1, 1));
}

#[test]
fn a_namespace_whose_owner_is_not_registered_is_never_swept() {
    let disk = SimDisk::new();
    let store = Store::simulated(&disk);
    let artifact = block_on(store.blobs.put(BlobNamespace::Artifacts, b"kept".to_vec())).unwrap();
    let garbage = store.put("garbage");
    disk.advance(HOURS);
    store.collect(CollectMode::Remove);
    assert!(!store.has(garbage));
    assert!(block_on(store.blobs.get(BlobNamespace::Artifacts, artifact)).unwrap().is_some());
    let nothing = collect(&store.blobs, &store.leases, &[], &SystemClock, CollectMode::Remove);
    assert!(block_on(nothing).unwrap().is_empty());
}

// shows: WR-480
#[test]
fn marking_reads_manifests_and_no_segment() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let store = Store::on(DataDir::on(Arc::new(recorder.clone()), Path::new("/")).unwrap());
    store.write(SESSION, &["p", "q"]);
    recorder.take();
    assert_eq!(counts(&store.collect(CollectMode::Remove)).0, 2);
    let reads: Vec<_> =
        recorder.take().into_iter().filter(|call| call.operation == "read").collect();
    assert!(!reads.is_empty());
    assert!(reads.iter().all(|call| call.path.ends_with("manifest.jsonl")), "{reads:?}");
}

/// A source of roots that runs something after one of its readings.
struct After<R, F> {
    roots: R,
    reading: u32,
    run: F,
    readings: AtomicU32,
}

impl<R: Roots, F: Fn() + Send + Sync> Roots for After<R, F> {
    fn namespace(&self) -> BlobNamespace {
        self.roots.namespace()
    }

    fn roots<'a>(
        &'a self,
        since: Option<&'a RootsCursor>,
    ) -> StoreFuture<'a, (Vec<Digest>, RootsCursor)> {
        Box::pin(async move {
            let read = self.roots.roots(since).await?;
            if self.readings.fetch_add(1, Ordering::Relaxed) == self.reading {
                (self.run)();
            }
            Ok(read)
        })
    }
}

/// Something old that nothing refers to is pinned after the mark, or after the reading ahead of the
/// lease. Time then passes, so that only reading the roots again can save it, not its youth.
#[test]
fn a_blob_that_is_pinned_after_the_mark_is_spared() {
    for reading in [0, 1] {
        let disk = SimDisk::new();
        let store = Store::simulated(&disk);
        store.write("sess_a", &["p"]);
        let garbage = store.put("garbage");
        let wanted = sample_snapshot("sess_a-late");
        block_on(store.blobs.put(BlobNamespace::Snapshots, wanted.bytes().to_vec())).unwrap();
        disk.advance(HOURS);
        let writer = sessions(&disk);
        let run = || {
            // On a thread of its own: this runs inside the collector's runtime.
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    block_on(async {
                        let lease = writer.lease(&"sess_a".parse().unwrap()).await.unwrap();
                        append(&writer, &lease, 2, "late").await.unwrap();
                    });
                });
            });
            disk.advance(HOURS);
        };
        let roots = JournalRoots::<Sample>::pins(&store.journal);
        let roots = After { roots, reading, run, readings: AtomicU32::new(0) };
        let sources: [&dyn Roots; 1] = [&roots];
        let collected =
            collect(&store.blobs, &store.leases, &sources, &SystemClock, CollectMode::Remove);
        let report = block_on(collected).unwrap();
        assert_eq!(
            counts(&report[&BlobNamespace::Snapshots]),
            (2, 0, 1),
            "after reading {reading}"
        );
        assert!(!store.has(garbage) && store.has(wanted.digest()));
    }
}

/// Roots that can be read only once.
struct DamagedLater(AtomicU32);

impl Roots for DamagedLater {
    fn namespace(&self) -> BlobNamespace {
        BlobNamespace::Snapshots
    }

    fn roots<'a>(
        &'a self,
        _: Option<&'a RootsCursor>,
    ) -> StoreFuture<'a, (Vec<Digest>, RootsCursor)> {
        let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
        let error = Error::ControlTooLong { stream: SESSION.parse().unwrap(), measured: 1 };
        Box::pin(std::future::ready(if is_first { Ok(Default::default()) } else { Err(error) }))
    }
}

#[test]
fn roots_that_become_unreadable_spare_their_namespace_and_end_nothing_else() {
    let disk = SimDisk::new();
    let store = Store::simulated(&disk);
    let garbage = store.put("garbage");
    disk.advance(HOURS);
    let roots = DamagedLater(AtomicU32::new(0));
    let sources: [&dyn Roots; 1] = [&roots];
    let collected =
        collect(&store.blobs, &store.leases, &sources, &SystemClock, CollectMode::Remove);
    let report = block_on(collected).unwrap();
    assert!(matches!(report[&BlobNamespace::Snapshots], SweepReport::Spared { .. }), "{report:?}");
    assert!(store.has(garbage));
}

/// In a child: writes sessions of its own for a number of plans.
pub(crate) fn write_plans(arguments: &[&str]) {
    let [root, name, plans] = arguments else { panic!("{arguments:?}") };
    let store = Store::on(DataDir::open(Path::new(root)).unwrap());
    let session: StreamId = name.parse().unwrap();
    block_on(async {
        for plan in 0..plans.parse::<u64>().unwrap() {
            let lease = store.journal.lease(&session).await.unwrap();
            append(&store.journal, &lease, 2, &format!("p{plan}")).await.unwrap();
        }
    });
    print_line("done");
}

fn blob_path(dir: &DataDir, digest: Digest) -> PathBuf {
    let hex = digest.hex();
    dir.root().join("snapshots").join(&hex[..2]).join(&hex[2..])
}

fn age(dir: &DataDir, digest: Digest) {
    let file = File::options().write(true).open(blob_path(dir, digest)).unwrap();
    file.set_times(FileTimes::new().set_modified(SystemTime::now() - HOURS)).unwrap();
}

mod long {
    use super::*;

    /// Eight writers, whose snapshots lie there already as old garbage, and a collector.
    #[test]
    fn a_collector_among_eight_busy_writers_takes_nothing_that_is_needed() {
        let run = LongRun::start("collection: among eight writers");
        println!("{run}");
        let root = tempfile::tempdir().unwrap();
        let store = Store::on(DataDir::open(root.path()).unwrap());
        let (plans, rounds) = (LongRun::size(30, 600), LongRun::size(6, 120));
        let names: Vec<String> = (0..8).map(|number| format!("sess_{number}")).collect();
        for name in &names {
            for plan in (0..plans).step_by(3) {
                let snapshot = sample_snapshot(&format!("{name}-p{plan}"));
                let digest =
                    block_on(store.blobs.put(BlobNamespace::Snapshots, snapshot.bytes().to_vec()));
                age(&store.dir, digest.unwrap());
            }
        }
        let root = root.path().to_str().unwrap();
        let mut children: Vec<_> = names
            .iter()
            .map(|name| spawn("collection-write", &[root, name, &plans.to_string()]))
            .collect();
        let (mut removed, mut batches, mut longest) = (0, 0, Duration::ZERO);
        for round in 0..rounds {
            for number in 0..40 {
                let digest = store.put(&format!("garbage {round} {number}"));
                age(&store.dir, digest);
            }
            let SweepReport::Done(SweepCounts {
                removed: now, batches: held, longest_batch, ..
            }) = store.collect(CollectMode::Remove)
            else {
                panic!("spared");
            };
            removed += now;
            batches += held;
            longest = longest.max(longest_batch);
        }
        for mut child in children.drain(..) {
            assert_eq!(answers(&mut child).collect::<Vec<_>>(), ["done"], "a writer failed");
            assert!(child.wait().unwrap().success());
        }
        assert!(removed >= 40 * rounds, "{removed} removed");
        for name in &names {
            let loaded = block_on(store.journal.load(&name.parse().unwrap())).unwrap();
            assert_eq!(loaded.events.len() as u64, 2 * plans);
            for snapshot in loaded.events.iter().filter_map(Event::introduces) {
                assert!(store.has(snapshot.digest()), "{name} lost a snapshot");
            }
        }
        println!("{removed} removed in {batches} batches, the longest {longest:?}");
        assert!(longest < SWEEP_BATCH * 20, "a batch is bounded");
        let counts =
            [("writers", 8), ("plans", 8 * plans), ("removed", removed), ("batches", batches)];
        run.report(&counts);
    }
}
