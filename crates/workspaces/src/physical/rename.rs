//! Moving files and directories inside a Mount, without replacing an existing target.
//!
//! Linux can rename without replacing in one step. Some file systems, such as NFS, cannot; there it takes two steps,
//! and the first one fails if the target exists. In between a file has both names, so after a crash it has at least
//! one.

use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{AtFlags, Mode, RenameFlags};
use rustix::io::Errno;

use super::list::kind_of;
use super::lock::lock_both;
use super::open::{Root, one_directory, stat_in};
use super::read::digest_in;
use super::store::prepare_blocking;
use super::write::Made;
use crate::mask::Mask;
use crate::path::MountPath;
use crate::store::{Before, EntryKind, Prepared, StoreFault};

/// A move that is ready to be committed.
struct PendingMove {
    from: (OwnedFd, String),
    to: (OwnedFd, String),
    made: Made,
    _lock: Option<OwnedFd>,
}

impl Root {
    /// Prepares a move. The target must not exist; missing directories above it are created.
    pub(super) fn prepare_move(
        &self,
        from: &MountPath,
        to: &MountPath,
        mask: &Mask,
        lock: Option<OwnedFd>,
    ) -> Result<Prepared, StoreFault> {
        let (source, name) = self.parent(from)?;
        let kind = kind_of(&stat_in(&source, name)?);
        match kind {
            EntryKind::Link => return Err(StoreFault::Link),
            EntryKind::Other => return Err(StoreFault::NotRegular),
            EntryKind::File | EntryKind::Directory => {}
        }
        let (parent, target_name) = to.split().ok_or(StoreFault::Exists)?;
        let (target, made) = self.make(&parent)?;
        // An early answer only: the rename itself refuses a target that appears after this.
        match stat_in(&target, target_name) {
            Err(Errno::NOENT) => {}
            Ok(_) => return Err(StoreFault::Exists),
            Err(errno) => return Err(errno.into()),
        }
        if lock.is_none() {
            lock_both(&source, &target)?;
        }
        // Inspected under the lock: no writer that takes the lock changes the source before it is moved.
        let before = if kind == EntryKind::File {
            Before::File(digest_in(self, &source, name)?)
        } else {
            let directory = one_directory(&source, name)?;
            // Whatever is mounted in the tree must not be moved along with it.
            self.check_same_mount(directory.as_fd())?;
            self.check_tree(&directory, from, mask)?;
            Before::Directory
        };
        let after = before.digest();
        let pending = PendingMove {
            from: (source, name.to_owned()),
            to: (target, target_name.to_owned()),
            made,
            _lock: lock,
        };
        Ok(prepare_blocking(before, after, move || pending.commit()))
    }
}

impl PendingMove {
    fn commit(mut self) -> Result<(), StoreFault> {
        let (from, to) = (&self.from, &self.to);
        rename_no_replace((&from.0, &from.1), (&to.0, &to.1))?;
        // The directories that were created have to be durable too, or the moved file could be lost with them.
        self.made.keep()?;
        // The target first: a crash between the two syncs may leave both names, but never neither.
        rustix::fs::fsync(&to.0)?;
        Ok(rustix::fs::fsync(&from.0)?)
    }
}

/// A name in an open directory.
type NameIn<'a> = (&'a OwnedFd, &'a str);

/// Renames an entry, and fails if the target exists.
pub(super) fn rename_no_replace(from: NameIn<'_>, to: NameIn<'_>) -> Result<(), StoreFault> {
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        // EINVAL: the file system does not know the flag, or a directory would be moved into itself.
        Err(Errno::INVAL | Errno::NOSYS) => in_two_steps(from, to),
        renamed => Ok(renamed?),
    }
}

fn in_two_steps(from: NameIn<'_>, to: NameIn<'_>) -> Result<(), StoreFault> {
    match kind_of(&stat_in(from.0, from.1)?) {
        EntryKind::Directory => rename_directory(from, to),
        _ => link_and_unlink(from, to),
    }
}

/// Renames a directory onto an empty directory that this call created.
fn rename_directory((from, name): NameIn<'_>, (to, target): NameIn<'_>) -> Result<(), StoreFault> {
    // `mkdirat` fails if the target exists, which reserves the name atomically.
    rustix::fs::mkdirat(to, target, Mode::RWXU)?;
    rustix::fs::renameat(from, name, to, target).map_err(|errno| {
        // Removes the placeholder. If another process put something into it, it is not empty and stays.
        let _ = rustix::fs::unlinkat(to, target, AtFlags::REMOVEDIR);
        match errno {
            // A directory cannot be moved into itself; the kernel reports that as an invalid argument.
            Errno::INVAL => StoreFault::NotDirectory,
            other => other.into(),
        }
    })
}

/// Gives a file its new name, then removes the old one.
fn link_and_unlink((from, name): NameIn<'_>, (to, target): NameIn<'_>) -> Result<(), StoreFault> {
    // `linkat` never replaces a target. Some file systems have no hard links at all.
    match rustix::fs::linkat(from, name, to, target, AtFlags::empty()) {
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => return Err(StoreFault::NoRename),
        linked => linked?,
    }
    rustix::fs::unlinkat(from, name, AtFlags::empty()).map_err(|errno| {
        // The old name could not be removed: take the new one back, so that the move failed as a whole.
        let _ = rustix::fs::unlinkat(to, target, AtFlags::empty());
        errno.into()
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Moves one name of a directory to another in two steps, then checks the result and the remaining files.
    fn check(from: &str, to: (&str, &str), expected: Result<(), &StoreFault>, files: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        let open = |path: &str| OwnedFd::from(fs::File::open(at(path)).unwrap());
        for path in ["d/inside", "empty/none", "file", "taken"] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), path).unwrap();
        }
        fs::remove_file(at("empty/none")).unwrap();
        let moved = in_two_steps((&open(""), from), (&open(to.0), to.1));
        assert_eq!(moved.as_ref().copied(), expected, "{from} to {to:?}");
        let is_there = |path: &&&str| Path::exists(&at(path));
        let all = ["d/inside", "d/d", "e/inside", "empty", "file", "new", "taken"];
        let found: Vec<&str> = all.iter().filter(is_there).copied().collect();
        assert_eq!(found, files, "{from} to {to:?}");
        assert_eq!(fs::read_to_string(at("taken")).unwrap(), "taken");
    }

    #[test]
    fn in_two_steps_nothing_is_replaced_either() {
        let as_before = ["d/inside", "empty", "file", "taken"];
        check("file", ("", "new"), Ok(()), &["d/inside", "empty", "new", "taken"]);
        check("file", ("", "taken"), Err(&StoreFault::Exists), &as_before);
        check("file", ("", "empty"), Err(&StoreFault::Exists), &as_before);
        check("d", ("", "e"), Ok(()), &["e/inside", "empty", "file", "taken"]);
        check("d", ("", "empty"), Err(&StoreFault::Exists), &as_before);
        check("d", ("", "taken"), Err(&StoreFault::Exists), &as_before);
        check("d", ("d", "d"), Err(&StoreFault::NotDirectory), &as_before);
        check("none", ("", "new"), Err(&StoreFault::NotFound), &as_before);
    }
}
