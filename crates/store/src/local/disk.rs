//! The few file operations that durable writing needs, as a trait.
//!
//! Everything that the local adapters do to files goes through [`Disk`], so that a test can count the calls, fail any
//! one of them, or cut the power between two of them. SQLite's files are the exception: only SQLite touches those.
//!
//! Limitations: paths are never user input here; they are built from validated names.

use std::path::Path;
use std::time::Duration;
use std::{fmt, io};

/// A file system, as far as this crate uses one.
pub trait Disk: fmt::Debug + Send + Sync + 'static {
    /// Creates a new file, accessible to its owner only. Fails if the name is taken.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens an existing file for writing.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Reads a file from `offset` on. If there are more than `len_max` bytes, none is read, and the error is
    /// [`FileTooLarge`](io::ErrorKind::FileTooLarge): a damaged file may have any length.
    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>>;

    /// Returns the metadata of a file or directory, or `None` if there is none.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;

    /// Returns the names in a directory, in no particular order.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Creates a directory, accessible to its owner only. Its parent must exist; the directory itself may exist
    /// already.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Renames a file or directory, replacing a file that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes a file as young as one written now.
    fn touch(&self, path: &Path) -> io::Result<()>;

    /// Drops cached bytes of a file, so that the next read comes from the medium.
    fn evict(&self, path: &Path) -> io::Result<()>;

    /// Locks a file, creating it if necessary. Returns `None` if a lock that excludes this one is held elsewhere.
    ///
    /// The lock is on the file that the path names when this returns: if the name moved to another file in between, the
    /// lock is taken again on that file.
    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>>;

    /// Returns the number of operations of one append that may usefully run at the same time.
    fn parallelism(&self) -> usize;

    /// Reads a whole file of at most `len_max` bytes.
    fn read(&self, path: &Path, len_max: u64) -> io::Result<Vec<u8>> {
        self.read_from(path, 0, len_max)
    }
}

/// A file open for writing.
pub trait DiskFile: Send {
    /// Writes some bytes at an offset and returns how many were taken.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Truncates or extends the file.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Makes the file's bytes and length durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Writes all bytes at an offset.
    fn write_all_at(&mut self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(offset, bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => {
                    offset += taken as u64;
                    bytes = &bytes[taken..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A held file lock, released when it is dropped or when the process dies.
pub trait FileLock: Send + Sync {}

/// Metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Tells this file from any other that has or had its name: inode and time of birth.
    pub incarnation: u128,
    pub len: u64,
    /// Time since the file was last written or touched.
    pub age: Duration,
    pub is_dir: bool,
}
