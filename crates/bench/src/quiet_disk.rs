//! A disk without durability. It prepares in seconds what would take minutes on a durable one.
//!
//! *Invariants*: it skips syncs and changes nothing else. No measure runs on it.

use std::io;
use std::path::Path;

use piton_store::local::RealDisk;
use piton_store::local::disk::{Disk, DiskFile, FileLock, Stat};

/// The machine's disk, without syncs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuietDisk;

const DISK: RealDisk = RealDisk;

impl Disk for QuietDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(QuietFile(DISK.create(path)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(QuietFile(DISK.open(path)?)))
    }

    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>> {
        DISK.read_from(path, offset, len_max)
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        DISK.stat(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        DISK.list(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        DISK.create_dir(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        DISK.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        DISK.remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        DISK.remove_dir(path)
    }

    fn sync_dir(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        DISK.touch(path)
    }

    fn evict(&self, path: &Path) -> io::Result<()> {
        DISK.evict(path)
    }

    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>> {
        DISK.lock(path, exclusive)
    }

    fn parallelism(&self) -> usize {
        1
    }
}

struct QuietFile(Box<dyn DiskFile>);

impl DiskFile for QuietFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_at(offset, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
