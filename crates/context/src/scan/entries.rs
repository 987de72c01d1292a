//! Looking at the entries of a directory: which are as they were, and what the others are now.

use std::sync::Arc;

use rustix::{
    fs::{AtFlags, FileType, Stat, statat},
    io::Errno,
};

use super::{
    content,
    listing::Listed,
    report::ProblemKind,
    site::{Found, Site},
    walk::Task,
    walker::Walker,
};
use crate::{
    bounds::{NAME_BYTES_MAX, PATH_BYTES_MAX},
    tree::{Entry, File, Name, Node, Symlink},
};

impl Walker<'_> {
    /// Adds the files and links among `listed` to the directory, and the directories to what is to be done.
    pub(super) fn look_at(&mut self, site: &Arc<Site>, listed: Vec<Listed>, more: &mut Vec<Task>) {
        let mut found = Vec::with_capacity(listed.len());
        for Listed { name, file_type } in listed {
            let path_bytes = site.path.len() + 1 + name.len();
            if path_bytes > PATH_BYTES_MAX || name.len() > NAME_BYTES_MAX {
                let path = [&*site.path, b"/", &*name].concat();
                let detail = format!("the path has {path_bytes} bytes");
                self.problem(&path, ProblemKind::TooLong, detail);
                continue;
            }
            match self.node(site, &name, file_type) {
                Ok(Seen::Known(place)) => found.push(Found::Known(place)),
                Ok(Seen::Node(node)) => {
                    found.push(Found::New(Entry { name: listed_name(&name), node }));
                }
                Ok(Seen::Directory) => found.extend(go_into(site, listed_name(&name), more)),
                Ok(Seen::Special) => self.report.special_files += 1,
                Err(error) => {
                    let path = self.path_of(site, &name).to_vec();
                    self.trouble(&path, error);
                }
            }
        }
        site.add(found);
    }

    fn node(&mut self, site: &Site, name: &[u8], listed: FileType) -> Result<Seen, Errno> {
        if listed == FileType::Directory {
            return Ok(Seen::Directory);
        }
        let stat = statat(&site.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let known = site.known(name);
        let seen = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Seen::Directory,
            FileType::RegularFile => self.file(site, name, &stat, known)?,
            FileType::Symlink => self.symlink(site, name, &stat, known)?,
            _ => Seen::Special,
        };
        Ok(match (seen, known) {
            // It was read again, and is as it was.
            (Seen::Node(node), Some((place, known))) if node == *known => Seen::Known(place),
            (seen, _) => seen,
        })
    }

    fn file(
        &mut self,
        site: &Site,
        name: &[u8],
        stat: &Stat,
        known: Option<(usize, &Node)>,
    ) -> Result<Seen, Errno> {
        if let Some((place, Node::File(known))) = known
            && self.remembered.trusts(&known.stamp, &content::stamp(stat))
        {
            self.report.reused_files += 1;
            return Ok(Seen::Known(place));
        }
        let Some(content) = content::read_file(&site.fd, name, &mut self.buffer)? else {
            return Err(Errno::NOENT);
        };
        self.report.hashed_files += 1;
        self.report.hashed_bytes += content.bytes;
        let path = self.path_of(site, name);
        let file = File::new(path, content.executable, content.digest, content.stamp);
        Ok(Seen::Node(Node::File(file)))
    }

    fn symlink(
        &mut self,
        site: &Site,
        name: &[u8],
        stat: &Stat,
        known: Option<(usize, &Node)>,
    ) -> Result<Seen, Errno> {
        let stamp = content::stamp(stat);
        if let Some((place, Node::Symlink(known))) = known
            && self.remembered.trusts(&known.stamp, &stamp)
        {
            return Ok(Seen::Known(place));
        }
        let target = content::read_link(&site.fd, name)?;
        let symlink = Symlink::new(self.path_of(site, name), target, stamp);
        Ok(Seen::Node(Node::Symlink(symlink)))
    }

    fn path_of(&mut self, site: &Site, name: &[u8]) -> &[u8] {
        self.path.clear();
        crate::tree::extend(&mut self.path, &site.path, name);
        &self.path
    }
}

fn listed_name(name: &[u8]) -> Name {
    Name::new(name).expect("what a directory lists is a name, and its length was looked at")
}

/// What an entry turned out to be.
enum Seen {
    /// As it was in the last scan, at this place there.
    Known(usize),
    Node(Node),
    Directory,
    Special,
}

/// A directory: to be entered, or known to be as it was.
fn go_into(site: &Arc<Site>, name: Name, more: &mut Vec<Task>) -> Option<Found> {
    let path = crate::tree::Directory::entry_path(&site.path, &name);
    if !site.scope.touches(&path)
        && let Some((place, Node::Directory(_))) = site.known(name.as_bytes())
    {
        return Some(Found::Known(place));
    }
    site.expect(1);
    more.push(Task::Enter(Arc::clone(site), name, site.scope.clone()));
    None
}
