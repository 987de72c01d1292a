//! The machine's own disk.
#![expect(clippy::disallowed_methods, reason = "the adapter that the ban on file access points to")]

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Advice, fadvise};

use super::disk::{Disk, DiskFile, FileLock, Stat};
use crate::bounds::SYNC_WIDTH;

/// Files on this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        Ok(Box::new(RealFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(RealFile(OpenOptions::new().write(true).open(path)?)))
    }

    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let len = file.metadata()?.len().saturating_sub(offset);
        if len > len_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if offset > 0 {
            file.seek(SeekFrom::Start(offset))?;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        // Bytes written behind that in the meantime are for the next reading.
        file.take(len).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => Ok(Some(stat_of(&metadata))),
            // A file that stands where a directory would be holds nothing either.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            // Names that are not UTF-8 were not made here.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            result => result,
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Syncing a directory makes its names durable, not the contents of the files.
        File::open(path)?.sync_all()
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(path)?.set_modified(SystemTime::now())
    }

    fn evict(&self, path: &Path) -> io::Result<()> {
        fadvise(File::open(path)?, 0, None, Advice::DontNeed).map_err(io::Error::from)
    }

    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>> {
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(path)?;
            let taken = if exclusive { file.try_lock() } else { file.try_lock_shared() };
            match taken {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Between opening and locking, the name may have moved to another file, or the file may have been deleted.
            // A lock on a file without this name would exclude nobody, so the attempt is repeated.
            let held = file.metadata()?;
            match fs::symlink_metadata(path) {
                Ok(named) if named.ino() == held.ino() && named.dev() == held.dev() => {
                    return Ok(Some(Box::new(RealLock { _file: file })));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn parallelism(&self) -> usize {
        SYNC_WIDTH
    }
}

fn stat_of(metadata: &fs::Metadata) -> Stat {
    let born = metadata
        .created()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |age| age.as_nanos());
    let age = metadata
        .modified()
        .ok()
        .and_then(|time| SystemTime::now().duration_since(time).ok())
        .unwrap_or(Duration::ZERO);
    Stat {
        // An inode number is used again once its file is gone. The time of birth tells the new file from the old one.
        incarnation: (born << 64) ^ (u128::from(metadata.dev()) << 48) ^ u128::from(metadata.ino()),
        len: metadata.len(),
        age,
        is_dir: metadata.is_dir(),
    }
}

struct RealFile(File);

impl DiskFile for RealFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        FileExt::write_at(&self.0, bytes, offset)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        // The length counts as data that is needed to read the file, so this syncs it too. Timestamps may be lost.
        self.0.sync_data()
    }
}

struct RealLock {
    _file: File,
}

impl FileLock for RealLock {}
