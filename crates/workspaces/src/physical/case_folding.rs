//! File systems that ignore the case of letters in names.
//!
//! On such a file system one file answers to many names, and a rule that hides a name would cover only one of them.
//! Therefore a name counts only in the spelling that its directory stores: no other spelling is found, and nothing is
//! created under one.
//!
//! *Limitations*: case folding is detected once, for the whole Mount. It goes unnoticed in a directory deeper down that
//! folds case inside a Mount that does not, and in a Mount where no name has a letter yet.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir};
use rustix::io::Errno;

use super::open::{Root, stat_in};
use crate::bounds::FOLDING_TRIES_MAX;

/// True if a directory, or the directory that contains it, finds a name by another spelling.
pub(super) fn folds(directory: &OwnedFd, path: &Path) -> bool {
    let is_found = |at: BorrowedFd<'_>, name: &Path| {
        let Some(other) = in_other_letters(name) else { return false };
        let found = |name: &Path| stat_in(at, name).ok().map(|stat| (stat.st_dev, stat.st_ino));
        // Both spellings have to lead to the same inode: two files may differ in case alone.
        let one = found(name);
        one.is_some() && one == found(&other)
    };
    // The entries of the directory come first. Without a usable one, the directory's own name is tried, as its parent
    // finds it.
    let names = Dir::read_from(directory).into_iter().flatten().take(FOLDING_TRIES_MAX).flatten();
    let mut names = names.filter_map(|entry| Some(entry.file_name().to_str().ok()?.to_owned()));
    names.any(|name| is_found(directory.as_fd(), Path::new(&name))) || is_found(CWD, path)
}

/// Returns the path with the case of its last name swapped, or `None` if that name has no letters.
fn in_other_letters(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let turned = |one: char| match one {
        'a'..='z' => one.to_ascii_uppercase(),
        _ => one.to_ascii_lowercase(),
    };
    let other: String = name.chars().map(turned).collect();
    (other != name).then(|| path.with_file_name(other))
}

impl Root {
    /// Refuses a name that its directory stores in another spelling.
    pub(super) fn check_spelling(&self, directory: &OwnedFd, name: &str) -> Result<(), Errno> {
        // Most names do not exist, or the file system does not fold case. The directory is read only if neither holds.
        if !self.is_taken(directory, name) {
            return Ok(());
        }
        for entry in Dir::read_from(directory)? {
            if entry?.file_name().to_bytes() == name.as_bytes() {
                return Ok(());
            }
        }
        Err(Errno::NOENT)
    }

    /// True if case is folded and something exists at a name, possibly stored in another spelling.
    pub(super) fn is_taken(&self, directory: &OwnedFd, name: &str) -> bool {
        self.folds && stat_in(directory, name).is_ok()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use std::fs;

    use super::*;
    use crate::physical::PhysicalOptions;

    // On a file system that does not fold case, only hard links can imitate one that does.
    #[test]
    fn that_letters_are_folded_is_seen_by_a_file_with_two_spellings() {
        let directory = tempfile::tempdir().unwrap();
        let folds = || {
            let opened = fs::File::open(directory.path()).unwrap();
            folds(&OwnedFd::from(opened), directory.path())
        };
        assert!(!folds());
        fs::write(directory.path().join("Readme"), "").unwrap();
        fs::write(directory.path().join("rEADME"), "").unwrap();
        assert!(!folds(), "these are two files");
        fs::remove_file(directory.path().join("rEADME")).unwrap();
        fs::hard_link(directory.path().join("Readme"), directory.path().join("rEADME")).unwrap();
        assert!(folds());
    }

    #[test]
    fn a_name_is_checked_only_if_there_is_something_and_counts_as_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("Readme"), "").unwrap();
        fs::hard_link(directory.path().join("Readme"), directory.path().join("rEADME")).unwrap();
        let root = Root::hold(directory.path(), PhysicalOptions::default()).unwrap();
        let at = root.directory(&crate::path::MountPath::root()).unwrap();
        assert!(root.folds && !root.by_kernel);
        assert_eq!(root.check_spelling(&at, "Readme"), Ok(()));
        assert_eq!(root.check_spelling(&at, "absent"), Ok(()));
        assert!(root.is_taken(&at, "Readme") && !root.is_taken(&at, "absent"));
    }

    #[test]
    fn only_letters_have_another_spelling() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(in_other_letters(Path::new(path)).as_deref(), expected.map(Path::new));
        };
        check("/srv/Docs", Some("/srv/dOCS"));
        check(".env", Some(".ENV"));
        check("2026-11", None);
        check("/", None);
    }
}
