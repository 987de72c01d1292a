//! Removing files and directories.
//!
//! A directory is first renamed to a temporary name, which is the moment at which it is gone, and then cleared away. If
//! its contents matter, they are compared in between with those at the time the removal was prepared. If they changed,
//! the directory gets its name back or, if that is taken by then, an ordinary name beside it.
//!
//! *Limitations*: writes through a descriptor that another process already had open are not noticed after the
//! comparison. A process that dies in the middle of a removal leaves a directory behind; recovery of the records clears
//! it away.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use piton_core::{Digest, DigestBuilder, Entropy};
use rustix::fs::{AtFlags, Dir};
use rustix::io::Errno;

use super::list::{entries, kind_of};
use super::open::{Root, one_directory, stat_in};
use super::read::digest_in;
use super::rename::rename_no_replace;
use super::store::prepare_blocking;
use super::write::{discard, random_name};
use crate::bounds::{PATH_DEPTH_MAX, TREE_ENTRIES_MAX};
use crate::mask::Mask;
use crate::path::{MountPath, kept_name};
use crate::store::{Before, EntryKind, Expected, Prepared, StoreFault};

/// A removal that is ready to be committed.
struct PendingRemoval {
    directory: OwnedFd,
    name: String,
    /// Name to which a directory is renamed first. `None` for a file.
    temp: Option<String>,
    /// Digest of the contents of a directory that may be removed only if unchanged.
    contents: Option<Digest>,
    _lock: Option<OwnedFd>,
}

impl Root {
    /// Prepares a removal.
    pub(super) fn prepare_removal(
        &self,
        path: &MountPath,
        recursive: bool,
        expected: &Expected,
        mask: &Mask,
        lock: Option<OwnedFd>,
        entropy: &dyn Entropy,
    ) -> Result<Prepared, StoreFault> {
        let (directory, name) = self.parent(path)?;
        if lock.is_none() {
            super::lock::lock(&directory)?;
        }
        // From here on the lock of the parent is held, so other writers that take it cannot change the answers below.
        let (before, temp) = match kind_of(&stat_in(&directory, name)?) {
            EntryKind::Link => return Err(StoreFault::Link),
            EntryKind::Other => return Err(StoreFault::NotRegular),
            EntryKind::File => (Before::File(digest_in(self, &directory, name)?), None),
            EntryKind::Directory => {
                let inside = one_directory(&directory, name)?;
                self.check_mount(inside.as_fd())?;
                if !recursive && names_in(&inside)?.next().transpose()?.is_some() {
                    return Err(StoreFault::NotEmpty);
                }
                self.check_tree(&inside, path, mask)?;
                (Before::Directory, Some(random_name(entropy)))
            }
        };
        if let Before::File(digest) = &before {
            expected.check(digest.as_ref())?;
        }
        // A directory has no digest to check here. Instead it stays if anything in it changes from now on.
        let contents = match (&temp, expected) {
            (Some(_), Expected::Digest(_)) => Some(contents(&directory, name)?),
            _ => None,
        };
        let (name, kept) = (name.to_owned(), temp.clone());
        let removal = PendingRemoval { directory, name, temp, contents, _lock: lock };
        let prepared = prepare_blocking(before, None, move || removal.commit());
        Ok(Prepared { temp: kept, ..prepared })
    }
}

impl PendingRemoval {
    /// Gives a directory its name back if its contents changed.
    fn compare(&self, temp: &str) -> Result<(), StoreFault> {
        let Some(expected) = self.contents else { return Ok(()) };
        if contents(&self.directory, temp) == Ok(expected) {
            return Ok(());
        }
        let rename_to =
            |name: &str| rename_no_replace((&self.directory, temp), (&self.directory, name));
        // The original name was free since the rename, so another process may have taken it: do not replace that.
        if rename_to(&self.name).is_ok() {
            return Err(StoreFault::Raced);
        }
        // Recovery of the record removes whatever has the temporary name, so the directory gets an ordinary one.
        let kept = kept_name(temp);
        let name = if rename_to(&kept).is_ok() { kept } else { temp.to_owned() };
        Err(StoreFault::MovedAside { name })
    }

    fn commit(self) -> Result<(), StoreFault> {
        let name = &*self.name;
        if let Some(temp) = &self.temp {
            // One rename makes the whole tree disappear atomically, however many entries it has.
            rustix::fs::renameat(&self.directory, name, &self.directory, &**temp)?;
            self.compare(temp)?;
        } else {
            rustix::fs::unlinkat(&self.directory, name, AtFlags::empty())?;
        }
        // The removal has to be durable before the slow cleanup: a crash from here on leaves only a directory under a
        // temporary name that the record knows.
        let durable = rustix::fs::fsync(&self.directory);
        if let Some(temp) = &self.temp {
            discard(&self.directory, temp);
        }
        Ok(durable?)
    }
}

/// Returns the names in an open directory as it lists them, without `.` and `..`.
fn names_in(
    directory: &OwnedFd,
) -> Result<impl Iterator<Item = Result<CString, Errno>> + use<>, Errno> {
    let is_own = |name: &CString| matches!(name.to_bytes(), b"." | b"..");
    let names = Dir::read_from(directory)?.map(|entry| Ok(CString::from(entry?.file_name())));
    Ok(names.filter(move |name| !name.as_ref().is_ok_and(is_own)))
}

impl Root {
    /// Refuses a tree that holds a hidden or protected name, a mount, or more entries than may be changed at once.
    pub(super) fn check_tree(
        &self,
        directory: &OwnedFd,
        path: &MountPath,
        mask: &Mask,
    ) -> Result<(), StoreFault> {
        let mut left = TREE_ENTRIES_MAX;
        self.check_below(directory.as_fd(), path, mask, &mut left)
    }

    fn check_below(
        &self,
        directory: BorrowedFd<'_>,
        path: &MountPath,
        mask: &Mask,
        left: &mut usize,
    ) -> Result<(), StoreFault> {
        let (found, _) = entries(directory)?;
        for entry in found {
            let limit = StoreFault::limit("entries at once", TREE_ENTRIES_MAX);
            *left = left.checked_sub(1).ok_or(limit)?;
            let too_deep = StoreFault::limit("nested directories", PATH_DEPTH_MAX);
            let below = path.child(&entry.name).map_err(|_| too_deep)?;
            mask.check_entry(&below)?;
            if entry.kind == EntryKind::Directory {
                let inside = one_directory(directory, &*entry.name)?;
                self.check_same_mount(inside.as_fd())?;
                self.check_below(inside.as_fd(), &below, mask, left)?;
            }
        }
        Ok(())
    }
}

/// Returns a digest that changes whenever anything in a directory does, whatever the directory is called. It covers the
/// metadata of each entry, not the content of files.
fn contents(directory: &OwnedFd, name: &str) -> Result<Digest, StoreFault> {
    let mut digest = DigestBuilder::new();
    contents_below(&one_directory(directory, name)?, 0, &mut digest)?;
    Ok(digest.finish())
}

fn contents_below(
    directory: &OwnedFd,
    depth: usize,
    digest: &mut DigestBuilder,
) -> Result<(), StoreFault> {
    if depth > PATH_DEPTH_MAX {
        return Err(StoreFault::limit("nested directories", PATH_DEPTH_MAX));
    }
    let mut names = names_in(directory)?.collect::<Result<Vec<_>, _>>()?;
    names.sort_unstable();
    for name in names {
        let stat = stat_in(directory, &name)?;
        digest.update(name.to_bytes_with_nul());
        // The change time cannot be set by programs, so it also reveals a write that restored size and modification
        // time.
        let about = (stat.st_ino, stat.st_mode, stat.st_size);
        let when = (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
        digest.update(format!("{depth} {about:?} {when:?}\n").as_bytes());
        if kind_of(&stat) == EntryKind::Directory {
            contents_below(&one_directory(directory, &*name)?, depth + 1, digest)?;
        }
    }
    Ok(())
}

/// Removes a directory with everything in it. Links are removed; their targets stay.
pub(super) fn remove_tree(directory: &OwnedFd, name: &str) -> Result<(), StoreFault> {
    remove_below(&one_directory(directory, name)?, 0)?;
    Ok(rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

fn remove_below(directory: &OwnedFd, depth: usize) -> Result<(), StoreFault> {
    if depth > PATH_DEPTH_MAX {
        return Err(StoreFault::limit("nested directories", PATH_DEPTH_MAX));
    }
    for name in names_in(directory)? {
        let name = &*name?;
        if kind_of(&stat_in(directory, name)?) == EntryKind::Directory {
            remove_below(&one_directory(directory, name)?, depth + 1)?;
            rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)?;
            continue;
        }
        match rustix::fs::unlinkat(directory, name, AtFlags::empty()) {
            // An entry that disappeared since it was listed is what is wanted anyway.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests look at the disk")]

    use std::fs;

    use super::*;
    use crate::path::is_temp_name;

    #[test]
    fn a_changed_directory_whose_name_is_taken_meanwhile_is_kept_and_the_error_says_where() {
        let directory = tempfile::tempdir().unwrap();
        let (at, temp) = (|path: &str| directory.path().join(path), ".piton-0000000000000007.tmp");
        fs::create_dir_all(at(temp)).unwrap();
        fs::write(at(temp).join("inside"), "mine").unwrap();
        // Another program took the name while the directory was away.
        fs::write(at("d"), "theirs").unwrap();
        let removal = PendingRemoval {
            directory: fs::File::open(directory.path()).unwrap().into(),
            name: "d".into(),
            temp: Some(temp.into()),
            contents: Some(DigestBuilder::new().finish()),
            _lock: None,
        };
        let refusal = removal.compare(temp).unwrap_err().to_string();
        assert_eq!(fs::read_to_string(at("d")).unwrap(), "theirs");
        let names = fs::read_dir(directory.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let kept = names.filter(|name| name != "d").collect::<Vec<_>>().concat();
        assert_eq!(fs::read_to_string(at(&kept).join("inside")).unwrap(), "mine");
        // Recovery of the record removes what has a temporary name.
        assert!(!is_temp_name(&kept) && refusal.contains(&kept), "{kept}: {refusal}");
    }
}
