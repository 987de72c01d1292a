//! What the changes of a Physical Store have in common.

use std::{fs::File, io::Read as _, os::fd::OwnedFd};

use piton_core::{Digest, FileBytes};
use rustix::fs::Stat;

use super::{directories::Made, errno::fault, list::size, open::Root};
use crate::{
    bounds::FILE_BYTES_MAX,
    store::{Before, StoreFault},
};

/// A change that is ready; it blocks when it is made.
pub(super) trait Ready: Send {
    /// What is there now.
    fn before(&self) -> Before;

    /// The digest of what the change leaves.
    fn after(&self) -> Option<Digest> {
        None
    }

    /// The unfinished write beside the path.
    fn temp(&self) -> Option<&str> {
        None
    }

    /// Makes the change, durably.
    fn commit(&mut self) -> Result<(), StoreFault>;
}

/// A directory that is ready: it is made already, and taken back unless it is kept.
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

/// The bytes of an open file, if they are not too many. A file that grows is cut where that shows.
pub(super) fn read_all(file: File, stat: &Stat, bytes_max: u64) -> Result<Vec<u8>, StoreFault> {
    let bytes = size(stat);
    if bytes > bytes_max {
        return Err(StoreFault::TooLarge { bytes, max: bytes_max });
    }
    let room = usize::try_from(bytes).expect("the limit fits in memory") + 1;
    let mut content = Vec::with_capacity(room);
    file.take(bytes_max + 1).read_to_end(&mut content).map_err(|_| StoreFault::Io)?;
    if content.len() as u64 > bytes_max {
        return Err(StoreFault::TooLarge { bytes: content.len() as u64, max: bytes_max });
    }
    Ok(content)
}

/// The digest of a file in an open directory, if it can be read and is not too large.
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
