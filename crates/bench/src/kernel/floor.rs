//! The floor of an append: the system calls that its protocol needs, and nothing else.
//!
//! The same bytes go into the same directories under fresh names. The segment and the snapshot are written and synced
//! concurrently, then renamed, and their directories are synced concurrently. Then a group is written to the manifest
//! and synced. There is no encoding, no digest, no lock, no lookup and no check. The list is the one in
//! `docs/format/journal.md`.
//!
//! *Invariants*: it writes into a data directory that the store writes to as well, with its session beside the store's
//! and its snapshots among the store's. So both see the same file system.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use piton_core::port::fixed::SeededEntropy;
use piton_store::testing::Recorder;

use super::rig::{EVENTS, KernelRig, StreamPlans};
use crate::error::{Error, Result};
use crate::quiet_disk::QuietDisk;

type Job = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// A second thread that is kept alive, so that a sample does not include starting one.
struct Helper {
    jobs: mpsc::Sender<Job>,
    results: mpsc::Receiver<io::Result<()>>,
}

impl Helper {
    fn start() -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let (done, results) = mpsc::channel();
        thread::Builder::new().name("floor".to_owned()).spawn(move || {
            for job in waiting {
                if done.send(job()).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { jobs, results })
    }

    /// Runs both jobs concurrently.
    fn both(&self, there: Job, here: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let gone = || io::Error::other("the helper thread is gone");
        self.jobs.send(there).map_err(|_| gone())?;
        let here = here();
        // The helper is always awaited, also if the job here failed: the next pair must not read a stale result.
        self.results.recv().map_err(|_| gone())??;
        here
    }
}

/// A session and its snapshots, as bare files.
pub(super) struct Floor {
    helper: Helper,
    session: PathBuf,
    snapshots: PathBuf,
    manifest: PathBuf,
    position: u64,
    next: u64,
    names: SeededEntropy,
    segment: Vec<u8>,
    snapshot: Arc<[u8]>,
    group: Vec<u8>,
}

impl Floor {
    /// Creates a new session of this name in a data directory that already has snapshots.
    pub(super) fn new(root: &Path, name: &str, sizes: Sizes) -> io::Result<Self> {
        let (session, snapshots) = (root.join("sessions").join(name), root.join("snapshots"));
        fs::create_dir_all(session.join("events"))?;
        let manifest = session.join("manifest.jsonl");
        create(&manifest)?.sync_all()?;
        sync_dir(&session)?;
        Ok(Self {
            helper: Helper::start()?,
            session,
            snapshots,
            manifest,
            position: 0,
            next: 0,
            names: SeededEntropy::new(seed(name)),
            segment: vec![b'e'; sizes.segment],
            snapshot: vec![b's'; sizes.snapshot].into(),
            group: vec![b'g'; sizes.group],
        })
    }

    /// Does to the disk what one append does.
    pub(super) fn append(&mut self) -> io::Result<()> {
        let (first, last) = (self.next, self.next + EVENTS - 1);
        let events = self.session.join("events");
        let segment_temporary = events.join("segment.tmp");
        let segment = events.join(format!("{first:08}-{last:08}.jsonl"));
        let [a, b, c, d] = std::array::from_fn(|_| self.names.next_u64());
        let name = format!("{a:016x}{b:016x}{c:016x}{d:016x}");
        let fan = self.snapshots.join(&name[..2]);
        let snapshot_temporary = fan.join("tmp");
        let snapshot = fan.join(&name[2..]);

        // Contents first: a name that becomes visible must never lead to missing bytes.
        let (path, bytes) = (snapshot_temporary.clone(), Arc::clone(&self.snapshot));
        self.helper.both(Box::new(move || write_new(&path, &bytes)), || {
            write_new(&segment_temporary, &self.segment)
        })?;
        // The renames publish both files; they are durable only once the directories are synced.
        fs::rename(&snapshot_temporary, &snapshot)?;
        fs::rename(&segment_temporary, &segment)?;
        self.helper.both(Box::new(move || sync_dir(&fan)), || sync_dir(&events))?;
        // The manifest comes last, since its group makes the append count.
        let manifest = OpenOptions::new().write(true).open(&self.manifest)?;
        manifest.write_all_at(&self.group, self.position)?;
        manifest.sync_data()?;

        self.position += self.group.len() as u64;
        self.next += EVENTS;
        Ok(())
    }
}

/// Returns a different seed for each name, so that no two sessions write the same snapshot.
fn seed(name: &str) -> u64 {
    name.bytes().fold(1, |seed, byte| seed.wrapping_mul(131) ^ u64::from(byte))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Writes a new file and syncs it.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Makes the names in a directory durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Bytes of one append of [`EVENTS`] events and one snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) segment: usize,
    pub(super) snapshot: usize,
    pub(super) group: usize,
}

impl Sizes {
    /// Observes an append in an empty directory.
    pub(super) fn observe(root: &Path) -> Result<Self> {
        let recorder = Recorder::new(Arc::new(QuietDisk));
        let rig = KernelRig::open(Arc::new(recorder.clone()), root)?;
        let mut plans = StreamPlans::new("observed", EVENTS);
        let (first, second) = (plans.next(), plans.next());
        // The first append also creates the session; the second is like all others.
        rig.lease_and_append(&plans.stream, first)?;
        recorder.take();
        rig.lease_and_append(&plans.stream, second)?;
        let calls = recorder.take();
        let written = |part: &str| -> Result<usize> {
            let writes = calls.iter().filter(|call| call.operation == "write");
            let bytes = writes
                .filter(|call| call.path.iter().any(|name| name == part))
                .map(|call| call.bytes)
                .sum();
            // A layout with other names would silently turn the baseline into a write of nothing.
            if bytes == 0 {
                return Err(Error::Wrong {
                    what: "bytes written by an append",
                    expected: 1,
                    found: 0,
                });
            }
            Ok(bytes)
        };
        Ok(Self {
            segment: written("events")?,
            snapshot: written("snapshots")?,
            group: written("manifest.jsonl")?,
        })
    }
}
