//! The few file operations that durable writing needs, as a trait.
//!
//! Everything that the local adapters do to files goes through [`Disk`], so that a test can count
//! the calls, fail any one of them, or cut the power between two of them. SQLite's files are the
//! exception: only SQLite touches those.
//!
//! Limitations: paths are never user input here; they are built from validated names.

use std::{fmt, io, path::Path, time::Duration};

/// A place for files.
pub trait Disk: fmt::Debug + Send + Sync + 'static {
    /// Makes a new file, for its owner only. Fails if the name is taken.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens an existing file for writing.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// The bytes of a file from `offset` on. If there are more than `len_max`, none is read, and the error is
    /// [`FileTooLarge`](io::ErrorKind::FileTooLarge): a file may have any length once it was damaged.
    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>>;

    /// What is known of a file or directory; `None` if there is none.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;

    /// The names in a directory, in no order.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Makes a directory, for its owner only. Its parent must exist; it may exist itself.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Gives a file or directory another name, replacing a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Makes a file as young as one written now.
    fn touch(&self, path: &Path) -> io::Result<()>;

    /// Forgets cached bytes of a file, so that the next read comes from the medium.
    fn evict(&self, path: &Path) -> io::Result<()>;

    /// Locks a file, making it if need be; `None` if somebody else holds a lock that excludes it.
    ///
    /// The lock is on the file that the path names when this returns: if the name moved to another
    /// file in between, the lock is taken anew.
    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>>;

    /// How many of the operations of one append may usefully run at the same time.
    fn parallelism(&self) -> usize;

    /// The bytes of a whole file of at most `len_max`.
    fn read(&self, path: &Path, len_max: u64) -> io::Result<Vec<u8>> {
        self.read_from(path, 0, len_max)
    }
}

/// A file open for writing.
pub trait DiskFile: Send {
    /// Writes some bytes at an offset; returns how many it took.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Cuts or extends the file.
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

/// A held file lock; dropping it frees it, and so does the death of the process.
pub trait FileLock: Send + Sync {}

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Tells this file from any other that has or had its name: inode and time of birth.
    pub incarnation: u128,
    /// Its length.
    pub len: u64,
    /// The time since it was last written or touched.
    pub age: Duration,
    /// Whether it is a directory.
    pub is_dir: bool,
}
