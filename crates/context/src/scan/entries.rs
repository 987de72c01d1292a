//! Examines the entries of a directory: finds those that are unchanged, and reads the others.

use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::disk;
use super::disk::Listed;
use super::open_directory::{KnownEntry, OpenDirectory};
use super::scanner::ProblemKind;
use super::walk::{ScanTask, Walker};
use crate::bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX};
use crate::tree::{Name, Symlink, TreeEntry, TreeFile, TreeNode};

impl Walker<'_> {
    /// Adds the files and links in `listed` to the directory, and queues the subdirectories as tasks.
    pub(super) fn look_at(
        &mut self,
        site: &Arc<OpenDirectory>,
        listed: Vec<Listed>,
        more: &mut Vec<ScanTask>,
    ) {
        let mut found = Vec::with_capacity(listed.len());
        for Listed { name, file_type } in listed {
            let path_bytes = site.path.len() + 1 + name.len();
            if path_bytes > PATH_BYTES_MAX || name.len() > NAME_BYTES_MAX {
                // The entry cannot become part of the tree, so report it and continue with the others.
                let path = [&*site.path, b"/", &*name].concat();
                let detail = format!("the path has {path_bytes} bytes");
                self.problem(&path, ProblemKind::TooLong, detail);
                continue;
            }
            match self.node(site, &name, file_type) {
                Ok(ScannedEntry::Known(place)) => found.push(KnownEntry::Known(place)),
                Ok(ScannedEntry::Node(node)) => {
                    found.push(KnownEntry::New(TreeEntry { name: listed_name(&name), node }));
                }
                Ok(ScannedEntry::Directory) => {
                    found.extend(go_into(site, listed_name(&name), more));
                }
                Ok(ScannedEntry::Special) => self.report.special_files += 1,
                Err(error) => {
                    let path = self.path_of(site, &name).to_vec();
                    self.trouble(&path, error);
                }
            }
        }
        site.add(found);
    }

    fn node(
        &mut self,
        site: &OpenDirectory,
        name: &[u8],
        listed: FileType,
    ) -> Result<ScannedEntry, Errno> {
        // The directory is opened later with `DIRECTORY | NOFOLLOW`, which detects a replacement, so it needs no
        // `stat`.
        if listed == FileType::Directory {
            return Ok(ScannedEntry::Directory);
        }
        // Some file systems do not list types, and the entry may have been replaced since, so `stat` decides.
        let stat = statat(&site.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let (file_type, stamp) = (FileType::from_raw_mode(stat.st_mode), disk::stamp(&stat));
        let known = site.known(name);
        // An unchanged stamp that is old enough to be trusted saves reading the file or link.
        let trusted = match (file_type, known) {
            (FileType::RegularFile, Some((place, TreeNode::File(file)))) => {
                Some(place).filter(|_| self.remembered.trusts(&file.stamp, &stamp))
            }
            (FileType::Symlink, Some((place, TreeNode::Symlink(link)))) => {
                Some(place).filter(|_| self.remembered.trusts(&link.stamp, &stamp))
            }
            _ => None,
        };
        if let Some(place) = trusted {
            self.report.reused_files += u64::from(file_type == FileType::RegularFile);
            return Ok(ScannedEntry::Known(place));
        }
        let node = match file_type {
            FileType::Directory => return Ok(ScannedEntry::Directory),
            FileType::RegularFile => TreeNode::File(self.file(site, name)?),
            FileType::Symlink => {
                let target = disk::read_link(&site.fd, name)?;
                TreeNode::Symlink(Symlink::new(self.path_of(site, name), target, stamp))
            }
            _ => return Ok(ScannedEntry::Special),
        };
        Ok(match known {
            // It was read again but is the same. Reuse the old entry, so that an unchanged directory stays the same
            // object.
            Some((place, known)) if node == *known => ScannedEntry::Known(place),
            _ => ScannedEntry::Node(node),
        })
    }

    fn file(&mut self, site: &OpenDirectory, name: &[u8]) -> Result<TreeFile, Errno> {
        let Some(content) = disk::read_file(&site.fd, name, &mut self.buffer)? else {
            // It was replaced by something else between `stat` and `open`, so report it as vanished.
            return Err(Errno::NOENT);
        };
        self.report.hashed_files += 1;
        self.report.hashed_bytes += content.bytes;
        let path = self.path_of(site, name);
        Ok(TreeFile::new(path, content.executable, content.digest, content.stamp))
    }

    fn path_of(&mut self, site: &OpenDirectory, name: &[u8]) -> &[u8] {
        self.path.clear();
        crate::tree::extend(&mut self.path, &site.path, name);
        &self.path
    }
}

fn listed_name(name: &[u8]) -> Name {
    Name::new(name).expect("what a directory lists is a name, and its length was looked at")
}

/// Classification of a directory entry.
enum ScannedEntry {
    /// Unchanged since the last scan, at this index in the old directory.
    Known(usize),
    Node(TreeNode),
    Directory,
    Special,
}

/// Queues the directory to be entered, or returns it as known if nothing in scope is at or below it.
fn go_into(site: &Arc<OpenDirectory>, name: Name, more: &mut Vec<ScanTask>) -> Option<KnownEntry> {
    let path = crate::tree::Directory::entry_path(&site.path, &name);
    if !site.scope.touches(&path)
        && let Some((place, TreeNode::Directory(_))) = site.known(name.as_bytes())
    {
        return Some(KnownEntry::Known(place));
    }
    // Count the task before it is queued, so that the parent cannot be finished while it is pending.
    site.expect(1);
    more.push(ScanTask::Enter(Arc::clone(site), name));
    None
}
