//! Probes a single file without walking the tree.
//!
//! *Invariants*: the content is always read, so no timestamp is trusted. Links on the way are not followed.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::ignore_rules::RULE_FILES;
use super::{Scanner, disk};
use crate::Error;
use crate::bounds::PROBE_BYTES_MAX;
use crate::tree::{Name, Symlink, TreeFile, TreeNodeId, TreePath};

/// Current state on disk of some paths: the id of the file or link, or `None` if there is nothing.
pub type Probed = Vec<(TreePath, Option<TreeNodeId>)>;

/// Result of probing one entry.
enum ProbedEntry {
    /// The file or link, or `None` if there is nothing.
    Found(Option<TreeNodeId>),
    /// A directory, or a file too large to be read on every probe. Only a scan can decide.
    Undecided,
}

impl Scanner {
    /// Reads the file or link at `path` and the ignore files in the directories above it, which decide whether it
    /// belongs to the tree. Returns `None` if only a scan can tell what is there.
    pub fn probe(&self, path: &TreePath) -> Result<Option<Probed>, Error> {
        let unreadable = |at: &TreePath, error: Errno| {
            let joined =
                if at.is_root() { self.root().display().to_string() } else { at.to_string() };
            let reason = std::io::Error::from(error).to_string();
            Error::Unscannable { path: joined, reason }
        };
        let opened = disk::open_root(self.root());
        let mut directory = opened.map_err(|error| unreadable(&TreePath::root(), error))?;
        let (mut at, mut probed) = (TreePath::root(), Probed::new());
        let mut names = path.names().peekable();
        let mut buffer = Vec::new();
        while let Some(name) = names.next() {
            // A changed ignore file at any level may add the path to the tree or remove it, so each one is probed as
            // well.
            for rules in RULE_FILES {
                let rules_path = at.join(&name_of(rules));
                let seen = probe_entry(&directory, rules, &rules_path, &mut buffer);
                match seen.map_err(|error| unreadable(&rules_path, error))? {
                    ProbedEntry::Found(found) => probed.push((rules_path, found)),
                    ProbedEntry::Undecided => return Ok(None),
                }
            }
            at = at.join(&name_of(name));
            if names.peek().is_some() {
                match disk::open_below(&directory, name) {
                    Ok(below) => directory = below,
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
                        // A directory on the way is missing, or was replaced by a file or a link: the path does not
                        // exist.
                        probed.push((path.clone(), None));
                        return Ok(Some(probed));
                    }
                    Err(error) => return Err(unreadable(&at, error)),
                }
                continue;
            }
            let seen = probe_entry(&directory, name, &at, &mut buffer);
            match seen.map_err(|error| unreadable(&at, error))? {
                ProbedEntry::Found(found) => probed.push((at.clone(), found)),
                ProbedEntry::Undecided => return Ok(None),
            }
        }
        // The root is a directory, which only a scan can identify.
        Ok((!path.is_root()).then_some(probed))
    }
}

fn name_of(name: &[u8]) -> Name {
    Name::new(name).expect("the parts of a path and the names of rule files are names")
}

fn probe_entry(
    directory: &OwnedFd,
    name: &[u8],
    path: &TreePath,
    buffer: &mut Vec<u8>,
) -> Result<ProbedEntry, Errno> {
    let stat = match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(ProbedEntry::Found(None)),
        stat => stat?,
    };
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if disk::stamp(&stat).size > PROBE_BYTES_MAX => {
            ProbedEntry::Undecided
        }
        FileType::RegularFile => match disk::read_file(directory, name, buffer) {
            Ok(Some(read)) => {
                let file = TreeFile::new(path.as_bytes(), read.executable, read.digest, read.stamp);
                ProbedEntry::Found(Some(file.id))
            }
            // It was replaced by another kind of entry after `stat`.
            Ok(None) | Err(Errno::LOOP) => ProbedEntry::Undecided,
            Err(Errno::NOENT) => ProbedEntry::Found(None),
            Err(error) => return Err(error),
        },
        FileType::Symlink => {
            let target = disk::read_link(directory, name)?;
            let symlink = Symlink::new(path.as_bytes(), target, disk::stamp(&stat));
            ProbedEntry::Found(Some(symlink.id))
        }
        FileType::Directory => ProbedEntry::Undecided,
        _ => ProbedEntry::Found(None),
    })
}
