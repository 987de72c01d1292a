//! A disk that records the calls to the disk below it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fmt, io};

use crate::local::disk::{Disk, DiskFile, FileLock, Stat};

/// One recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskCall {
    pub operation: &'static str,
    /// The path exactly as it was passed, relative to nothing.
    pub path: PathBuf,
    /// Number of bytes that the call moved.
    pub bytes: usize,
}

/// Callback that gets each call before it is made.
pub type Listener = Arc<dyn Fn(&DiskCall) + Send + Sync>;

/// Records the calls to a disk.
#[derive(Clone)]
pub struct Recorder {
    disk: Arc<dyn Disk>,
    book: Book,
}

#[derive(Clone)]
struct Book {
    calls: Arc<Mutex<Vec<DiskCall>>>,
    listener: Listener,
}

impl Book {
    fn note(&self, operation: &'static str, path: &Path, bytes: usize) {
        let call = DiskCall { operation, path: path.to_path_buf(), bytes };
        (self.listener)(&call);
        self.calls.lock().unwrap().push(call);
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder({:?})", self.disk)
    }
}

impl Recorder {
    /// Records the calls to `disk`.
    pub fn new(disk: Arc<dyn Disk>) -> Self {
        Self::with_listener(disk, Arc::new(|_| {}))
    }

    /// Records the calls to `disk`, and reports each to `listener` before it is made.
    pub fn with_listener(disk: Arc<dyn Disk>, listener: Listener) -> Self {
        Self { disk, book: Book { calls: Arc::default(), listener } }
    }

    /// Returns the calls since this was last called.
    pub fn take(&self) -> Vec<DiskCall> {
        std::mem::take(&mut self.book.calls.lock().unwrap())
    }

    fn note(&self, operation: &'static str, path: &Path, bytes: usize) {
        self.book.note(operation, path, bytes);
    }

    fn file(&self, path: &Path, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        Box::new(Recorded { file, path: path.to_path_buf(), book: self.book.clone() })
    }
}

impl Disk for Recorder {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.note("create", path, 0);
        self.disk.create(path).map(|file| self.file(path, file))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.note("open", path, 0);
        self.disk.open(path).map(|file| self.file(path, file))
    }

    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>> {
        let bytes = self.disk.read_from(path, offset, len_max);
        self.note("read", path, bytes.as_ref().map_or(0, Vec::len));
        bytes
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        self.note("stat", path, 0);
        self.disk.stat(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.note("list", path, 0);
        self.disk.list(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.note("create_dir", path, 0);
        self.disk.create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note("rename", to, 0);
        self.disk.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.note("remove_file", path, 0);
        self.disk.remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.note("remove_dir", path, 0);
        self.disk.remove_dir(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.note("sync_dir", path, 0);
        self.disk.sync_dir(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        self.note("touch", path, 0);
        self.disk.touch(path)
    }

    fn evict(&self, path: &Path) -> io::Result<()> {
        self.note("evict", path, 0);
        self.disk.evict(path)
    }

    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>> {
        self.note(if exclusive { "lock" } else { "lock_shared" }, path, 0);
        self.disk.lock(path, exclusive)
    }

    fn parallelism(&self) -> usize {
        self.disk.parallelism()
    }
}

struct Recorded {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    book: Book,
}

impl Recorded {
    fn note(&self, operation: &'static str, bytes: usize) {
        self.book.note(operation, &self.path, bytes);
    }
}

impl DiskFile for Recorded {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.note("write", bytes.len());
        self.file.write_at(offset, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.note("set_len", 0);
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.note("sync", 0);
        self.file.sync()
    }
}
