//! Writing files: a new file beside the old one, then one rename.

use std::os::fd::OwnedFd;

use piton_core::{Digest, Entropy, FileBytes};
use rustix::fs::Mode;

use super::{
    directories::Made,
    errno::fault,
    list::size,
    lock::lock,
    open::Root,
    ready::{Ready, read_all},
    rename::rename_no_replace,
    temp::{discard, random_name, write_temp},
};
use crate::{
    bounds::FILE_BYTES_MAX,
    path::MountPath,
    store::{Before, Expected, Fault},
};

/// A write that is ready: its bytes are on the disk under another name.
pub(super) struct Writing {
    directory: OwnedFd,
    name: String,
    temp: String,
    made: Made,
    before: Before,
    after: Digest,
    must_be_new: bool,
    done: bool,
    _lock: Option<OwnedFd>,
}

/// What a write puts into a file.
pub(super) enum Body<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// What comes after what is there.
    Added(&'a [u8]),
}

impl Root {
    /// Makes a write ready.
    pub(super) fn prepare_write(
        &self,
        path: &MountPath,
        body: &Body<'_>,
        expected: &Expected,
        held: Option<OwnedFd>,
        entropy: &dyn Entropy,
    ) -> Result<Writing, Fault> {
        let (parent, name) = path.split().ok_or(Fault::IsDirectory)?;
        let (directory, made) = self.make(&parent)?;
        if held.is_none() {
            lock(&directory)?;
        }
        let old = self.old(&directory, name)?;
        let found = match &old {
            Some(Old { content: Some(content), .. }) => Some(Digest::of(&FileBytes(content))),
            Some(old) if !matches!(expected, Expected::Anything) => {
                return Err(Fault::TooLarge { bytes: old.bytes, max: FILE_BYTES_MAX });
            }
            _ => None,
        };
        expected.check(found.as_ref())?;
        let joined;
        let bytes = match (body, &old) {
            (Body::Whole(bytes), _) | (Body::Added(bytes), None) => *bytes,
            (Body::Added(added), Some(Old { content: Some(content), .. })) => {
                joined = [content, *added].concat();
                &joined
            }
            (Body::Added(_), Some(old)) => {
                return Err(Fault::TooLarge { bytes: old.bytes, max: FILE_BYTES_MAX });
            }
        };
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(Fault::TooLarge { bytes: bytes.len() as u64, max: FILE_BYTES_MAX });
        }
        let temp = random_name(entropy);
        write_temp(&directory, &temp, bytes, old.as_ref().map(|old| old.mode))?;
        Ok(Writing {
            directory,
            name: name.to_owned(),
            temp,
            made,
            before: old.map_or(Before::Nothing, |_| Before::File(found)),
            after: Digest::of(&FileBytes(bytes)),
            must_be_new: *expected == Expected::Nothing,
            done: false,
            _lock: held,
        })
    }

    /// What is there before a write, if there is something.
    fn old(&self, directory: &OwnedFd, name: &str) -> Result<Option<Old>, Fault> {
        let (file, stat) = match self.file_in(directory, name) {
            Ok(opened) => opened,
            Err(Fault::NotFound) => return Ok(None),
            Err(other) => return Err(other),
        };
        let bytes = size(&stat);
        let content = read_all(file, &stat, FILE_BYTES_MAX).ok();
        // Permissions are kept; the right to run as somebody else is not.
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777);
        Ok(Some(Old { content, bytes, mode }))
    }
}

struct Old {
    content: Option<Vec<u8>>,
    bytes: u64,
    mode: Mode,
}

impl Ready for Writing {
    fn before(&self) -> Before {
        self.before.clone()
    }

    fn after(&self) -> Option<Digest> {
        Some(self.after)
    }

    fn temp(&self) -> Option<&str> {
        Some(&self.temp)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        if self.must_be_new {
            rename_no_replace(&self.directory, &self.temp, &self.directory, &self.name)?;
        } else {
            let (directory, temp) = (&self.directory, &*self.temp);
            rustix::fs::renameat(directory, temp, directory, &*self.name).map_err(fault)?;
        }
        self.done = true;
        self.made.keep()?;
        rustix::fs::fsync(&self.directory).map_err(fault)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if !self.done {
            discard(&self.directory, &self.temp);
            self.made.undo();
        }
    }
}
