//! Files that are larger than anything the store writes: damage, or somebody's trick to fill the memory.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::{Code, Digest, FileBytes};
use piton_store::bounds::{BLOB_BYTES_MAX, STREAM_BYTES_MAX};
use piton_store::local::disk::Disk;
use piton_store::local::{DataDir, LocalBlobs, LogJournal, RealDisk, SegmentedJournal};
use piton_store::port::{BlobNamespace, BlobReader, Blobs, Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{Recorder, Sample};
use piton_store::{Error, Health, Reason, StreamId};
use tempfile::TempDir;

use crate::site::{Open, SESSION, block_on, open};

/// Larger than every file that is read here.
const GIANT: u64 = STREAM_BYTES_MAX + 1;

/// A data directory whose disk remembers what was read.
struct Place {
    root: TempDir,
    disk: Arc<Recorder>,
    dir: DataDir,
}

impl Place {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let disk = Arc::new(Recorder::new(Arc::new(RealDisk)));
        let dir = DataDir::on(Arc::clone(&disk) as Arc<dyn Disk>, root.path()).unwrap();
        Self { root, disk, dir }
    }

    /// A journal with one plan in its session.
    fn journal<J: Journal<Sample>>(&self, layout: Open<J>) -> J {
        let journal = open(self.dir.clone(), layout);
        block_on(async {
            let lease = journal.lease(&session()).await.unwrap();
            append(&journal, &lease, 3, "a").await.unwrap();
        });
        open(self.dir.clone(), layout)
    }

    /// Gives a file another length, without a byte of content, and forgets what was read before.
    fn stretch(&self, path: &Path, len: u64) {
        OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
        self.disk.take();
    }

    /// How many bytes of a file were read since.
    fn read_of(&self, path: &Path) -> usize {
        let calls = self.disk.take();
        let reads = calls.iter().filter(|call| call.operation == "read" && call.path == path);
        reads.map(|call| call.bytes).sum()
    }

    fn control(&self, part: &str, name: &str) -> PathBuf {
        self.root.path().join(part).join(SESSION).join(name)
    }
}

fn session() -> StreamId {
    SESSION.parse().unwrap()
}

#[test]
fn a_blob_that_became_too_large_is_corrupt_and_not_read_and_can_be_put_again() {
    let place = Place::new();
    let blobs = LocalBlobs::new(place.dir.clone());
    let (namespace, content) = (BlobNamespace::Artifacts, b"what was put".to_vec());
    let digest = block_on(blobs.put(namespace, content.clone())).unwrap();
    let hex = Digest::of(&FileBytes(&content)).hex();
    let path = place.dir.blobs(namespace).join(&hex[..2]).join(&hex[2..]);
    for len in [BLOB_BYTES_MAX as u64 + 1, GIANT] {
        place.stretch(&path, len);
        let error = block_on(blobs.get(namespace, digest)).unwrap_err();
        assert_eq!(error.code(), Code::StoreCorruptBlob, "{len}");
        assert_eq!(place.read_of(&path), 0, "{len}");
        assert_eq!(block_on(blobs.put(namespace, content.clone())).unwrap(), digest);
        assert_eq!(place.read_of(&path), 0, "{len}");
        assert_eq!(block_on(blobs.get(namespace, digest)).unwrap(), Some(content.clone()));
    }
}

#[test]
fn a_segment_that_is_larger_than_attested_is_damage_and_not_read() {
    let place = Place::new();
    let journal = place.journal(SegmentedJournal::sessions);
    let events = place.control("sessions", "events");
    let segment = std::fs::read_dir(&events).unwrap().next().unwrap().unwrap().path();
    let len = segment.metadata().unwrap().len();
    for len in [len + 1, GIANT] {
        place.stretch(&segment, len);
        let Err(Error::NotHealthy { health, .. }) = block_on(journal.load(&session())) else {
            panic!("{len}")
        };
        assert_eq!(health, Health::CorruptHead { reason: Reason::SegmentAltered });
        assert_eq!(place.read_of(&segment), 0, "{len}");
    }
}

#[test]
fn a_control_file_that_no_stream_can_have_is_refused_and_not_read() {
    fn check<J: Journal<Sample>>(layout: Open<J>, part: &str, name: &str) {
        let place = Place::new();
        let journal = place.journal(layout);
        let control = place.control(part, name);
        let len = control.metadata().unwrap().len();
        place.stretch(&control, GIANT);
        for error in [
            block_on(journal.load(&session())).unwrap_err(),
            block_on(journal.lease(&session())).unwrap_err(),
            block_on(journal.verify(&session())).unwrap_err(),
            block_on(journal.repair(&session())).unwrap_err(),
        ] {
            assert!(matches!(error, Error::ControlTooLong { .. }), "{part}: {error}");
            let told = error.envelope();
            assert_eq!(told.code, Code::SessionNotHealthy);
            assert!(told.message.contains(&GIANT.to_string()), "{}", told.message);
        }
        assert_eq!(place.read_of(&control), 0, "{part}");
        place.stretch(&control, len);
        assert_eq!(block_on(journal.load(&session())).unwrap().events.len(), 3, "{part}");
    }
    check(SegmentedJournal::sessions, "sessions", "manifest.jsonl");
    check(LogJournal::backpacks, "backpacks", "log");
}
