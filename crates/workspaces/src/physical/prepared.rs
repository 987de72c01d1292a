//! Common parts of the changes of a Physical Store.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;

use piton_core::{Digest, FileBytes};
use rustix::fs::Stat;

use super::directories::Made;
use super::errno::fault;
use super::list::size;
use super::open::Root;
use crate::bounds::FILE_BYTES_MAX;
use crate::store::{Before, StoreFault};

/// A prepared change. Committing it blocks.
pub(super) trait Ready: Send {
    /// Returns the state of the path before the change.
    fn before(&self) -> Before;

    /// Returns the digest of the content that the change leaves.
    fn after(&self) -> Option<Digest> {
        None
    }

    /// Returns the temporary name beside the path.
    fn temp(&self) -> Option<&str> {
        None
    }

    /// Makes the change durably.
    fn commit(&mut self) -> Result<(), StoreFault>;
}

/// A prepared directory: it exists already, and is removed again unless it is committed.
pub(super) struct Making {
    pub(super) directory: OwnedFd,
    pub(super) made: Made,
}

impl Ready for Making {
    fn before(&self) -> Before {
        Before::Directory
    }

    fn commit(&mut self) -> Result<(), StoreFault> {
        self.made.keep()?;
        rustix::fs::fsync(&self.directory).map_err(fault)
    }
}

/// Reads an open file of at most `bytes_max` bytes. A file that grows past the limit meanwhile is refused.
pub(super) fn read_all(file: File, stat: &Stat, bytes_max: u64) -> Result<Vec<u8>, StoreFault> {
    let bytes = size(stat);
    if bytes > bytes_max {
        return Err(StoreFault::TooLarge { bytes, max: bytes_max });
    }
    let room = usize::try_from(bytes).expect("the limit fits in memory") + 1;
    let mut content = Vec::with_capacity(room);
    // One byte past the limit is enough to notice that the file grew since its size was read.
    file.take(bytes_max + 1).read_to_end(&mut content).map_err(|_| StoreFault::Io)?;
    if content.len() as u64 > bytes_max {
        return Err(StoreFault::TooLarge { bytes: content.len() as u64, max: bytes_max });
    }
    Ok(content)
}

/// Returns the digest of a file in an open directory, or `None` if it cannot be read or is too large.
pub(super) fn digest_in(
    root: &Root,
    directory: &OwnedFd,
    name: &str,
) -> Result<Option<Digest>, StoreFault> {
    match root.file_in(directory, name) {
        Ok((file, stat)) => {
            let content = read_all(file, &stat, FILE_BYTES_MAX).ok();
            Ok(content.map(|content| Digest::of(&FileBytes(&content))))
        }
        Err(StoreFault::Permission) => Ok(None),
        Err(other) => Err(other),
    }
}
