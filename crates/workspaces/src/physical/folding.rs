//! File systems that do not tell capital letters from small ones.
//!
//! There one file answers to many names, and what hides a name would hide one of them. So a name counts only as its
//! directory writes it: another spelling is not found, and nothing is made under one.
//!
//! *Limitations*: whether letters are told apart is found out once, for the Mount. A directory deeper down that folds
//! letters in a Mount that does not is not noticed, nor is a Mount in which nothing has a letter yet.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, Stat},
    io::Errno,
};

use super::open::Root;
use crate::bounds::FOLDING_TRIES_MAX;

/// Whether a directory, or the one that it is in, finds a name in other letters.
pub(super) fn folds(directory: &OwnedFd, path: &Path) -> bool {
    let is_found = |at: BorrowedFd<'_>, name: &Path| {
        let Some(other) = in_other_letters(name) else { return false };
        let found = |name: &Path| rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        let place = |stat: Stat| (stat.st_dev, stat.st_ino);
        let one = found(name).map(place);
        one.is_some() && one == found(&other).map(place)
    };
    let names = Dir::read_from(directory).into_iter().flatten().take(FOLDING_TRIES_MAX).flatten();
    let mut names = names.filter_map(|entry| Some(entry.file_name().to_str().ok()?.to_owned()));
    names.any(|name| is_found(directory.as_fd(), Path::new(&name))) || is_found(CWD, path)
}

/// The same path with its last name in other letters, if it has any.
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
    /// Refuses a name that its directory writes otherwise.
    pub(super) fn check_spelling(&self, directory: &OwnedFd, name: &str) -> Result<(), Errno> {
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

    /// Whether letters are folded and there is something at a name, though it may be written otherwise.
    pub(super) fn is_taken(&self, directory: &OwnedFd, name: &str) -> bool {
        self.folds && rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use std::fs;

    use super::*;
    use crate::physical::PhysicalOptions;

    // Hard links are all that looks like a file system that folds letters on one that does not.
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
