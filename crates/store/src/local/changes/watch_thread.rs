//! The thread of a watch: what it watches, and what it looks at in turn.
//!
//! *Invariants*: the kernel watches at most [`STREAMS_WATCHED_MAX`] streams, those that changed last. Of a stream, only
//! its control file counts: an append is one change of it, and what we cache beside it stays unseen. Everything that
//! the kernel does not watch is looked at within a minute, and each look costs the metadata of a file.
#![expect(clippy::disallowed_methods, reason = "the thread waits on its own")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::thread;
use std::time::UNIX_EPOCH;

use super::kernel_watch::{KernelEvent, KernelWatch, WatchId};
use super::local_changes::WatchedPlace;
use crate::Error;
use crate::bounds::{CHANGES_LOOK_EVERY, CHANGES_LOOKS, STREAM_WATCHED_AGE, STREAMS_WATCHED_MAX};
use crate::change_queue::ChangeSender;
use crate::local::DataDir;
use crate::local::disk::Stat;
use crate::local::{LogLayout, Segmented};
use crate::port::{Change, ChangeHint, ChangedPart};

/// Something that the kernel watches, or that is looked at in turn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Target {
    /// The directory of all sessions, or of all backpacks.
    Streams(ChangedPart),
    /// One stream.
    Stream(ChangedPart, String),
    /// The database of the tables.
    Table,
    /// A place around the data directory, by its index.
    Place(usize),
}

/// What was last seen of a file, or of the files of a directory: their identity, length and time of change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen(Vec<(String, u128, u64, u128)>);

/// The state of the thread.
pub(super) struct WatchThread {
    dir: DataDir,
    places: Vec<WatchedPlace>,
    kernel: Option<KernelWatch>,
    watched: HashMap<WatchId, Target>,
    /// Streams that the kernel watches, with the time of their last event, counted in events.
    streams: HashMap<Target, (WatchId, u64)>,
    events: u64,
    /// What the kernel does not watch, with what was last seen of it.
    looked_at: BTreeMap<Target, Seen>,
    /// Streams among those that changed lately: they are looked at each time.
    lively: BTreeSet<Target>,
    look: usize,
    /// The identity of the directory of sessions; none while it is not there.
    root: Option<u128>,
    reader: ChangeSender,
}

impl WatchThread {
    /// Notes what is there now.
    pub(super) fn begin(
        dir: DataDir,
        places: Vec<WatchedPlace>,
        asks_kernel: bool,
        reader: ChangeSender,
    ) -> Result<Self, Error> {
        let mut thread = Self {
            dir,
            places,
            kernel: if asks_kernel { KernelWatch::open() } else { None },
            watched: HashMap::new(),
            streams: HashMap::new(),
            events: 0,
            looked_at: BTreeMap::new(),
            lively: BTreeSet::new(),
            look: 0,
            root: None,
            reader,
        };
        thread.root = thread.root_identity();
        thread.note_everything().map_err(Error::io("watch the data directory"))?;
        Ok(thread)
    }

    /// Reports changes until nobody reads them.
    pub(super) fn run(mut self) {
        while self.reader.is_read() {
            match self.kernel.as_ref().map(|kernel| kernel.wait(CHANGES_LOOK_EVERY)) {
                Some(Ok(events)) => events.into_iter().for_each(|event| self.on_event(event)),
                Some(Err(_)) => self.do_without_kernel(),
                None => thread::sleep(CHANGES_LOOK_EVERY),
            }
            self.look_at_root();
            self.look_in_turn();
        }
    }

    /// Notices that the data directory went away or is another one: it was moved, or its disk was unmounted. The kernel
    /// says nothing of it, because it watches directories wherever they are moved to.
    fn look_at_root(&mut self) {
        let now = self.root_identity();
        if now == self.root {
            return;
        }
        self.root = now;
        if now.is_some() {
            self.kernel = self.kernel.as_ref().and_then(|_| KernelWatch::open());
            self.watched.clear();
            self.streams.clear();
            self.looked_at.clear();
            self.lively.clear();
            let _ = self.note_everything();
        }
        // After the watch began: a reader that looks now sees everything that the watch did not.
        self.reader.send(Change::Lost);
    }

    fn root_identity(&self) -> Option<u128> {
        let stat = self.dir.disk().stat(&self.dir.sessions());
        stat.ok().flatten().map(|stat| stat.incarnation)
    }

    fn note_everything(&mut self) -> std::io::Result<()> {
        // Directories first: a stream that appears while the streams are listed is reported.
        for part in [ChangedPart::Session, ChangedPart::Backpack] {
            self.note(Target::Streams(part));
        }
        self.note(Target::Table);
        for index in 0..self.places.len() {
            self.note(Target::Place(index));
        }
        let mut streams = Vec::new();
        for part in [ChangedPart::Session, ChangedPart::Backpack] {
            for name in self.dir.disk().list(&self.path(&Target::Streams(part)))? {
                let stream = Target::Stream(part, name);
                // A stream whose control file cannot be read is damaged; it is looked at like an old one.
                let age = self.stat(&stream).map_or(STREAM_WATCHED_AGE, |stat| stat.age);
                streams.push((age, stream));
            }
        }
        streams.sort();
        for (index, (age, stream)) in streams.into_iter().enumerate() {
            if age < STREAM_WATCHED_AGE && index < STREAMS_WATCHED_MAX {
                self.note(stream);
            } else {
                let seen = self.seen(&stream);
                self.looked_at.insert(stream, seen);
            }
        }
        Ok(())
    }

    /// Lets the kernel watch a target, or notes what is seen of it.
    fn note(&mut self, target: Target) {
        let directory = match &target {
            Target::Table => self.dir.root().to_owned(),
            other => self.path(other),
        };
        let watch = self.kernel.as_ref().and_then(|kernel| kernel.add(&directory).ok());
        match watch {
            Some(watch) => {
                self.looked_at.remove(&target);
                self.lively.remove(&target);
                if matches!(target, Target::Stream(..)) {
                    self.streams.insert(target.clone(), (watch, self.events));
                }
                self.watched.insert(watch, target);
            }
            // A stream that was deleted. If it comes back, its directory appears.
            None if matches!(target, Target::Stream(..)) && !self.is_there(&target) => {}
            // No kernel, or no more watches, or no such directory yet.
            None => {
                let seen = self.seen(&target);
                self.looked_at.insert(target.clone(), seen);
                if matches!(target, Target::Stream(..)) && self.lively.len() < STREAMS_WATCHED_MAX {
                    self.lively.insert(target);
                }
            }
        }
    }

    /// Lets the kernel watch a stream that changed, in place of the one that was quiet for the longest time.
    fn note_stream(&mut self, stream: Target) {
        if self.streams.contains_key(&stream) {
            return;
        }
        if self.streams.len() >= STREAMS_WATCHED_MAX {
            let quiet = self.streams.iter().min_by_key(|(_, (_, event))| *event);
            if let Some((quiet, (watch, _))) = quiet.map(|(quiet, held)| (quiet.clone(), *held)) {
                self.forget(watch);
                let seen = self.seen(&quiet);
                self.looked_at.insert(quiet, seen);
                self.kernel.iter().for_each(|kernel| kernel.remove(watch));
            }
        }
        self.note(stream);
    }

    fn is_there(&self, target: &Target) -> bool {
        self.dir.disk().stat(&self.path(target)).is_ok_and(|stat| stat.is_some())
    }

    fn forget(&mut self, watch: WatchId) {
        if let Some(target) = self.watched.remove(&watch) {
            self.streams.remove(&target);
        }
    }

    fn on_event(&mut self, event: KernelEvent) {
        self.events += 1;
        let (watch, name) = match event {
            KernelEvent::Entry(watch, name) => (watch, name),
            KernelEvent::Gone(watch) => return self.forget(watch),
            KernelEvent::Lost => {
                self.reader.send(Change::Lost);
                // Streams may have appeared meanwhile.
                let _ = self.note_everything();
                return;
            }
        };
        let Some(target) = self.watched.get(&watch).cloned() else { return };
        match &target {
            Target::Streams(part) => {
                let stream = Target::Stream(*part, name);
                // The name may stand for another directory than before, and the kernel watches the directory.
                if let Some((watch, _)) = self.streams.get(&stream).copied() {
                    self.forget(watch);
                    self.kernel.iter().for_each(|kernel| kernel.remove(watch));
                }
                self.note_stream(stream.clone());
                // After the watch began: a reader that looks now sees everything that the watch did not.
                self.report(&stream);
            }
            Target::Stream(part, _) if name == control(*part) => {
                self.streams.insert(target.clone(), (watch, self.events));
                self.report(&target);
            }
            Target::Table if name.starts_with(&self.table_name()) && !name.ends_with("-shm") => {
                self.report(&target);
            }
            Target::Place(index) if self.counts(*index, &name) => self.report(&target),
            // Beside what counts: caches, locks, files that are being written.
            _ => {}
        }
    }

    /// Looks at a part of what the kernel does not watch.
    fn look_in_turn(&mut self) {
        self.look = (self.look + 1) % CHANGES_LOOKS;
        let look = self.look;
        let is_stream = |target: &Target| matches!(target, Target::Stream(..));
        // Everything but streams is few, and is looked at each time.
        let due = self.looked_at.keys().enumerate().filter(|(index, target)| {
            !is_stream(target) || self.lively.contains(target) || index % CHANGES_LOOKS == look
        });
        let due: Vec<Target> = due.map(|(_, target)| target.clone()).collect();
        for target in due {
            let now = self.seen(&target);
            let Some(before) = self.looked_at.get(&target).filter(|before| **before != now) else {
                continue;
            };
            let before = before.clone();
            self.looked_at.insert(target.clone(), now.clone());
            match &target {
                Target::Streams(part) => self.on_listing(*part, &before, &now),
                Target::Stream(..) => {
                    self.report(&target);
                    if now == Seen::default() {
                        // It is gone. If it comes back, its directory appears.
                        self.looked_at.remove(&target);
                        self.lively.remove(&target);
                    } else {
                        self.note_stream(target);
                    }
                }
                Target::Table | Target::Place(_) => self.report(&target),
            }
        }
    }

    /// Reports streams that appeared or went.
    fn on_listing(&mut self, part: ChangedPart, before: &Seen, now: &Seen) {
        for entry in now.0.iter().filter(|entry| !before.0.contains(entry)) {
            let stream = Target::Stream(part, entry.0.clone());
            self.note_stream(stream.clone());
            self.report(&stream);
        }
    }

    fn do_without_kernel(&mut self) {
        self.kernel = None;
        self.watched.clear();
        self.streams.clear();
        self.looked_at.clear();
        self.reader.send(Change::Lost);
        let _ = self.note_everything();
    }

    fn report(&self, target: &Target) {
        let (part, name) = match target {
            Target::Stream(part, name) => (*part, Some(name.clone())),
            Target::Streams(part) => (*part, None),
            // One database holds all tables, and its metadata does not tell them apart.
            Target::Table => (ChangedPart::Table, None),
            Target::Place(index) => (self.places[*index].part, None),
        };
        self.reader.send(Change::Hint(ChangeHint { part, name, cursor: None }));
    }

    /// Returns the file or directory that a target is about.
    fn path(&self, target: &Target) -> PathBuf {
        let streams = |part: ChangedPart| match part {
            ChangedPart::Backpack => self.dir.backpacks(),
            _ => self.dir.sessions(),
        };
        match target {
            Target::Streams(part) => streams(*part),
            Target::Stream(part, name) => streams(*part).join(name),
            Target::Table => self.dir.table(),
            Target::Place(index) => self.places[*index].directory.clone(),
        }
    }

    fn stat(&self, stream: &Target) -> Option<Stat> {
        let Target::Stream(part, _) = stream else { return None };
        self.dir.disk().stat(&self.path(stream).join(control(*part))).ok().flatten()
    }

    /// Returns what can be seen of a target now. What cannot be read counts as absent: it is reported once it can.
    fn seen(&self, target: &Target) -> Seen {
        let path = self.path(target);
        let names: Vec<String> = match target {
            Target::Stream(part, _) => vec![control(*part).to_owned()],
            Target::Table => ["", "-wal"].map(|suffix| self.table_name() + suffix).into(),
            Target::Streams(_) => self.dir.disk().list(&path).unwrap_or_default(),
            Target::Place(index) => {
                let names = self.dir.disk().list(&path).unwrap_or_default();
                names.into_iter().filter(|name| self.counts(*index, name)).collect()
            }
        };
        let directory = if *target == Target::Table { self.dir.root().to_owned() } else { path };
        let seen = |name: String| match target {
            // Only that a stream is there counts; the stream itself is looked at on its own.
            Target::Streams(_) => Some((name, 0, 0, 0)),
            Target::Stream(..) => {
                let stat = self.dir.disk().stat(&directory.join(&name)).ok()??;
                Some((name, stat.incarnation, stat.len, 0))
            }
            // Files that are not ours, or SQLite's: they are changed in place, which only their time shows.
            Target::Table | Target::Place(_) => {
                let metadata = fs::metadata(directory.join(&name)).ok()?;
                let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
                Some((name, metadata.ino().into(), metadata.len(), changed.as_nanos()))
            }
        };
        let mut files: Vec<_> = names.into_iter().filter_map(seen).collect();
        files.sort();
        Seen(files)
    }

    fn counts(&self, index: usize, name: &str) -> bool {
        self.places[index].file.as_deref().is_none_or(|file| file == name)
    }

    fn table_name(&self) -> String {
        let path = self.dir.table();
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Returns the name of the file that changes with each append to a stream.
fn control(part: ChangedPart) -> &'static str {
    match part {
        ChangedPart::Backpack => LogLayout::CONTROL_FILE,
        _ => Segmented::CONTROL_FILE,
    }
}
