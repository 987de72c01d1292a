//! A stream's directory on disk, and the steps that both layouts share.

use std::{
    collections::HashSet,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use piton_core::port::{Notice, Trace};

use super::{
    DataDir, LocalBlobs, LocalLeases,
    blobs::Staged,
    disk::{Disk, FileLock, Stat},
    files::{replace, write_new},
    leases::LockFiles,
    sync_pool,
    tail::StreamHead,
};
use crate::{
    Error, LeaseName, StreamId, TornTail,
    bounds::{LOCK_ATTEMPTS, STREAM_BYTES_MAX},
    plan::EncodedPlan,
    port::{BlobNamespace, Lease},
};

/// State shared by the streams of one journal.
pub(super) struct JournalRoot {
    pub(super) dir: DataDir,
    /// The directory that holds the streams.
    pub(super) streams: PathBuf,
    pub(super) blobs: LocalBlobs,
    pub(super) leases: LocalLeases,
    /// The callers of this process that want to write to a stream.
    pub(super) writers: LocalLeases,
    pub(super) trace: Arc<dyn Trace>,
    /// Streams whose disk failed under this process and could not even take a poison mark.
    pub(super) failed: Mutex<HashSet<StreamId>>,
}

impl JournalRoot {
    pub(super) fn poisoned(&self) -> MutexGuard<'_, HashSet<StreamId>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One stream's directory.
#[derive(Clone)]
pub(super) struct StreamDir {
    pub(super) root: Arc<JournalRoot>,
    pub(super) stream: StreamId,
    pub(super) dir: PathBuf,
    /// The file whose length decides what is part of the stream.
    pub(super) control: PathBuf,
}

/// A new file of the stream that is staged together with a plan's blobs.
pub(super) struct NewFile {
    pub(super) temporary: PathBuf,
    pub(super) path: PathBuf,
    pub(super) bytes: Arc<EncodedPlan>,
}

impl LockFiles for StreamDir {
    fn name(&self) -> LeaseName {
        LeaseName::from(&self.stream)
    }

    fn try_turn(&self, exclusive: bool) -> Result<Option<Box<dyn FileLock>>, Error> {
        let turn = self.root.dir.stream_turn(&self.stream);
        self.disk().lock(&turn, exclusive).map_err(Error::io("wait for a stream"))
    }

    fn try_lock(&self, _: bool) -> Result<Option<Box<dyn FileLock>>, Error> {
        self.lock(true)
    }

    fn refusal(&self, waited_ms: Option<u64>) -> Error {
        match waited_ms {
            Some(waited_ms) => Error::Busy { what: self.stream.phrase(), waited_ms },
            None => Error::Locked { stream: self.stream.clone() },
        }
    }
}

type StageJob = Box<dyn FnOnce() -> Result<Option<Staged>, Error> + Send>;
type SyncJob = Box<dyn FnOnce() -> io::Result<()> + Send>;

impl StreamDir {
    pub(super) fn new(root: &Arc<JournalRoot>, stream: &StreamId, control: &str) -> Self {
        let dir = root.streams.join(stream.as_str());
        let control = dir.join(control);
        Self { root: Arc::clone(root), stream: stream.clone(), dir, control }
    }

    pub(super) fn disk(&self) -> &Arc<dyn Disk> {
        self.root.dir.disk()
    }

    /// Path of the mark left by a failed sync that could not be undone.
    pub(super) fn poison_mark(&self) -> PathBuf {
        self.dir.join("poisoned")
    }

    /// Path of the mark that the first plan became part of the stream. It tells a control file that was lost from one
    /// that was never written. Its absence proves nothing.
    pub(super) fn begun_mark(&self) -> PathBuf {
        self.dir.join("begun")
    }

    /// Leaves the mark. The plan is durable without it, so nothing waits for it and nothing depends on it.
    pub(super) fn mark_begun(&self) {
        let _ = self.disk().create(&self.begun_mark());
    }

    pub(super) fn has_begun(&self) -> io::Result<bool> {
        Ok(self.disk().stat(&self.begun_mark())?.is_some())
    }

    pub(super) fn control_stat(&self) -> Result<Option<Stat>, Error> {
        self.disk().stat(&self.control).map_err(Error::io("look at a stream"))
    }

    /// Returns the bytes of the control file from `offset` on, or `None` if there is no such file.
    pub(super) fn read_control(&self, offset: u64) -> Result<Option<Vec<u8>>, Error> {
        match self.control_from(offset) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let measured = self.control_stat()?.map_or(0, |stat| stat.len);
                Err(Error::ControlTooLong { stream: self.stream.clone(), measured })
            }
            Err(error) => Err(Error::io("read a stream's control file")(error)),
        }
    }

    pub(super) fn control_from(&self, offset: u64) -> io::Result<Vec<u8>> {
        self.disk().read_from(&self.control, offset, STREAM_BYTES_MAX.saturating_sub(offset))
    }

    /// Takes the stream's lock, creating the directory if `make` is set. Returns `None` if another holder has the lock.
    pub(super) fn lock(&self, make: bool) -> Result<Option<Box<dyn FileLock>>, Error> {
        // The directory may be deleted between being created and being used, so this tries more than once.
        for _ in 0..LOCK_ATTEMPTS {
            match self.disk().lock(&self.dir.join(".lock"), true) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && make => {
                    let outcome = self.disk().create_dir(&self.dir);
                    outcome.map_err(Error::io("make a stream's directory"))?;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                result => return result.map_err(Error::io("lock a stream")),
            }
        }
        Err(Error::NotFound { stream: self.stream.clone() })
    }

    /// Keeps sweeps from running for as long as the lease is held, if the plans refer to any blobs.
    pub(super) fn enter_writing(&self, plans: &[Arc<EncodedPlan>]) -> Result<Option<Lease>, Error> {
        // A plan without blobs has nothing that a sweep could take, so it need not wait for one.
        let refers = plans.iter().any(|plan| {
            !plan.blobs.is_empty() || plan.facts.iter().any(|fact| fact.introduces.is_some())
        });
        refers.then(|| self.root.leases.enter_writing()).transpose()
    }

    /// Stores the plans' blobs and the new file: writes and syncs all of them at the same time, gives them their names,
    /// and makes those durable, all directories at the same time.
    pub(super) fn store_files(
        &self,
        plans: &[Arc<EncodedPlan>],
        file: Option<NewFile>,
        mut dirs: Vec<PathBuf>,
    ) -> Result<(), Error> {
        let file_path = file.as_ref().map(|file| (file.temporary.clone(), file.path.clone()));
        let mut jobs: Vec<StageJob> = Vec::new();
        if let Some(file) = file {
            let disk = Arc::clone(self.disk());
            jobs.push(Box::new(move || {
                write_new(disk.as_ref(), &file.temporary, &file.bytes.lines)
                    .map_err(Error::io("write a segment"))?;
                Ok(None)
            }));
        }
        self.blob_jobs(plans, &mut jobs)?;
        // Every job runs to its end even if one fails, so that everything that was staged is known and can be
        // abandoned.
        let (staged, problems): (Vec<_>, Vec<_>) =
            sync_pool::run(self.disk().parallelism(), jobs).into_iter().partition(Result::is_ok);
        let staged: Vec<Staged> = staged.into_iter().flatten().flatten().collect();
        let abandon = |error: Error| {
            for blob in &staged {
                blob.abandon(self.disk().as_ref());
            }
            if let Some((temporary, _)) = &file_path {
                let _ = self.disk().remove_file(temporary);
            }
            error
        };
        // Nothing has its name yet, so a failure up to here leaves only temporary files.
        if let Some(error) = problems.into_iter().find_map(Result::err) {
            return Err(abandon(error));
        }
        // Renamed only after all contents are synced: a name never appears for bytes that a power cut could take.
        self.publish(&staged, file_path.as_ref())
            .map_err(|error| abandon(Error::io("name a new file")(error)))?;
        // Failures from here on leave named files that nothing attests. A sweep or the next plan deals with those.
        dirs.extend(staged.iter().map(Staged::dir));
        // Blobs often share a directory, and each sync costs a wait for the disk.
        dirs.sort_unstable();
        dirs.dedup();
        self.sync_dirs(dirs)
    }

    fn blob_jobs(&self, plans: &[Arc<EncodedPlan>], jobs: &mut Vec<StageJob>) -> Result<(), Error> {
        for plan in plans {
            for (number, blob) in plan.blobs.iter().enumerate() {
                let store = self.root.blobs.clone();
                // The 256 directories must be durable before a blob's name in one of them can be.
                store.prepare(blob.namespace()).map_err(Error::io("prepare the blobs"))?;
                let plan = Arc::clone(plan);
                jobs.push(Box::new(move || {
                    let blob = &plan.blobs[number];
                    store
                        .stage(blob.namespace(), blob.digest(), blob.bytes())
                        .map(Some)
                        .map_err(Error::io("store a blob"))
                }));
            }
            // Snapshots that the plan refers to but does not bring along must exist, and become young so that no sweep
            // takes them.
            for snapshot in plan.snapshots_elsewhere() {
                let store = self.root.blobs.clone();
                jobs.push(Box::new(move || {
                    store.stage_existing(BlobNamespace::Snapshots, snapshot.digest()).map(Some)
                }));
            }
        }
        Ok(())
    }

    fn publish(&self, staged: &[Staged], file: Option<&(PathBuf, PathBuf)>) -> io::Result<()> {
        for blob in staged {
            blob.publish(self.disk().as_ref())?;
        }
        if let Some((temporary, path)) = file {
            self.disk().rename(temporary, path)?;
        }
        Ok(())
    }

    fn sync_dirs(&self, dirs: Vec<PathBuf>) -> Result<(), Error> {
        let jobs: Vec<SyncJob> = dirs
            .into_iter()
            .map(|dir| {
                let disk = Arc::clone(self.disk());
                Box::new(move || disk.sync_dir(&dir)) as SyncJob
            })
            .collect();
        for result in sync_pool::run(self.disk().parallelism(), jobs) {
            result.map_err(Error::io("sync a directory"))?;
        }
        Ok(())
    }

    /// Writes `bytes` behind the validated part of the control file and syncs them: the moment at which plans become
    /// part of the stream. Everything before them must be durable already.
    pub(super) fn extend_control(&self, head: StreamHead, bytes: &[u8]) -> Result<(), Error> {
        assert_eq!(head.synced, head.position, "the newest commit was confirmed");
        self.write_control(head.position, bytes)
    }

    fn write_control(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let write = || {
            let mut file = self.disk().open(&self.control)?;
            file.write_all_at(offset, bytes)?;
            file.sync()
        };
        write().map_err(Error::io("commit a plan"))
    }

    /// Creates an empty control file if there is none.
    pub(super) fn create_control(&self) -> Result<(), Error> {
        match self.disk().create(&self.control) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(Error::io("make a stream's control file")(error))
            }
            _ => Ok(()),
        }
    }

    /// Saves the bytes that no append acknowledged beside the control file, then cuts them off.
    pub(super) fn set_aside_torn(&self, head: StreamHead) -> Result<(), Error> {
        let stat = self.control_stat()?;
        // No file, or one that is shorter than the validated part: there is nothing to save.
        let Some(bytes) = stat.and_then(|stat| stat.len.checked_sub(head.position)) else {
            return Ok(());
        };
        if bytes == 0 {
            return Ok(());
        }
        let disk = self.disk();
        let save = || {
            // The copy and its name are durable before the file is cut, so at no moment are the bytes in neither place.
            let torn = self.control_from(head.position)?;
            self.save_beside(&format!("torn-{}", head.next_manifest.get()), &torn)?;
            disk.sync_dir(&self.dir)?;
            let mut file = disk.open(&self.control)?;
            file.set_len(head.position)?;
            file.sync()
        };
        save().map_err(Error::io("put an unfinished write aside"))?;
        let (stream, offset) = (self.stream.to_string(), head.position);
        self.root.trace.notice(&Notice::TornTailSaved { stream, offset, bytes });
        Ok(())
    }

    /// Saves `bytes` under the control file's name with a suffix that no other file has.
    fn save_beside(&self, suffix: &str, bytes: &[u8]) -> io::Result<()> {
        let stem = self.control.file_stem().and_then(|name| name.to_str()).unwrap_or("control");
        for attempt in 0_u32.. {
            let name = match attempt {
                0 => format!("{stem}.{suffix}"),
                _ => format!("{stem}.{suffix}.{attempt}"),
            };
            let path = self.dir.join(name);
            match self.disk().create(&path) {
                // A run that a power cut interrupted may have saved the same bytes already; they only need their sync.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    match self.disk().read(&path, bytes.len() as u64) {
                        Ok(saved) if saved == bytes => return self.disk().open(&path)?.sync(),
                        Err(error) if error.kind() != io::ErrorKind::FileTooLarge => {
                            return Err(error);
                        }
                        // Other bytes have this name, so the next number is tried.
                        _ => {}
                    }
                }
                Ok(mut file) => {
                    file.write_all_at(0, bytes)?;
                    return file.sync();
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Undoes a failed write: cuts the control file back to what was durable. If that fails too, leaves a mark that
    /// keeps every process from writing until the stream was read again from the medium.
    pub(super) fn undo(&self, head: StreamHead) {
        let cut = || {
            if self.disk().stat(&self.control)?.is_none() {
                return Ok(());
            }
            let mut file = self.disk().open(&self.control)?;
            file.set_len(head.position)?;
            file.sync()
        };
        // The cut is synced, so the failed plan cannot come back after a power cut.
        if cut().is_ok() {
            self.renew_control();
            return;
        }
        // The page cache may now show bytes that the medium does not have, and no later sync would report it.
        self.root.poisoned().insert(self.stream.clone());
        self.root.trace.notice(&Notice::SyncFailed { stream: self.stream.to_string() });
        let mark = || -> io::Result<()> {
            match self.disk().create(&self.poison_mark()) {
                Ok(mut file) => file.sync()?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            self.disk().sync_dir(&self.dir)
        };
        // If the disk does not take the mark either, this process still knows from `failed`.
        let _ = mark();
    }

    /// Copies the control file into a new file of the same name and content.
    ///
    /// A reader may have seen the plan that was taken back. The next plan may have the same length, but it will not be
    /// in the same file, so no reader mistakes one for the other.
    fn renew_control(&self) {
        let renew = || {
            if self.disk().stat(&self.control)?.is_none_or(|stat| stat.len == 0) {
                return Ok(());
            }
            let bytes = self.control_from(0)?;
            let temporary = self.dir.join("control.tmp");
            replace(self.disk().as_ref(), &self.control, &temporary, &bytes)
        };
        // This only helps readers that looked at the wrong moment; the stream is sound without it.
        let _: io::Result<()> = renew();
    }

    /// Makes sure that the newest commit is durable, no matter which process wrote it. The caller holds the lock.
    ///
    /// Its bytes are written once more: the original writer's sync may have failed, and a sync after a failed one says
    /// nothing about bytes from before.
    pub(super) fn confirm_newest(&self, head: StreamHead) -> Result<(), Error> {
        let newest = self.control_from(head.newest_start).map_err(Error::io("commit a plan"))?;
        self.write_control(head.newest_start, &newest)
    }

    /// Does the same as [`confirm_newest`](Self::confirm_newest) for a caller without the lock. If a writer holds the
    /// lock, a sync has to do.
    pub(super) fn confirm_newest_unlocked(&self, head: StreamHead) -> Result<(), Error> {
        if let Some(_lock) = self.lock(false)? {
            let stat = self.control_stat()?;
            // Only if nothing was committed since: `head` no longer describes the newest commit otherwise.
            if head.is_current(stat.as_ref()) {
                return self.confirm_newest(head);
            }
        }
        // A writer confirms this commit before it goes beyond it. Until then, a sync is all that can be done without
        // the lock.
        let sync = || self.disk().open(&self.control)?.sync();
        sync().map_err(Error::io("sync a stream"))
    }

    /// Describes the unacknowledged bytes from `offset` to `end`.
    pub(super) fn torn(offset: u64, end: u64) -> TornTail {
        TornTail { offset, bytes: end - offset }
    }
}
