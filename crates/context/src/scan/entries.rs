//! Looking at the entries of a directory: which are as they were, and what the others are now.

use std::sync::Arc;

use rustix::{
    fs::{AtFlags, FileType, Stat, statat},
    io::Errno,
};

use super::{
    content, listing::Listed, report::ProblemKind, site::Site, walk::Task, walker::Walker,
};
use crate::{
    bounds::PATH_BYTES_MAX,
    tree::{Entry, File, Name, Node, Symlink},
};

impl Walker<'_> {
    /// Adds the files and links among `listed` to the directory, and the directories to what is to be done.
    pub(super) fn look_at(&mut self, site: &Arc<Site>, listed: Vec<Listed>, more: &mut Vec<Task>) {
        let mut entries = Vec::with_capacity(listed.len());
        for Listed { name, file_type } in listed {
            let path_bytes = site.path.len() + 1 + name.len();
            let name = match Name::new(&name) {
                Ok(name) if path_bytes <= PATH_BYTES_MAX => name,
                _ => {
                    let path = [&*site.path, b"/", &*name].concat();
                    let detail = format!("the path has {path_bytes} bytes");
                    self.problem(&path, ProblemKind::TooLong, detail);
                    continue;
                }
            };
            match self.node(site, &name, file_type) {
                Ok(Seen::Node(node)) => entries.push(Entry { name, node }),
                Ok(Seen::Directory) => go_into(site, name, &mut entries, more),
                Ok(Seen::Special) => self.report.special_files += 1,
                Err(error) => {
                    let path = crate::tree::Directory::entry_path(&site.path, &name);
                    self.trouble(&path, error);
                }
            }
        }
        site.add(entries);
    }

    fn node(&mut self, site: &Site, name: &Name, listed: FileType) -> Result<Seen, Errno> {
        if listed == FileType::Directory {
            return Ok(Seen::Directory);
        }
        let stat = statat(&site.fd, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW)?;
        let known = site.known.as_ref().and_then(|known| known.entry(name.as_bytes()));
        let known = known.map(|entry| &entry.node);
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Ok(Seen::Directory),
            FileType::RegularFile => self.file(site, name, &stat, known),
            FileType::Symlink => self.symlink(site, name, &stat, known),
            _ => Ok(Seen::Special),
        }
    }

    fn file(
        &mut self,
        site: &Site,
        name: &Name,
        stat: &Stat,
        known: Option<&Node>,
    ) -> Result<Seen, Errno> {
        if let Some(Node::File(known)) = known
            && self.remembered.trusts(&known.stamp, &content::stamp(stat))
        {
            self.report.reused_files += 1;
            return Ok(Seen::Node(Node::File(known.clone())));
        }
        let Some(content) = content::read_file(&site.fd, name.as_bytes(), &mut self.buffer)? else {
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
        name: &Name,
        stat: &Stat,
        known: Option<&Node>,
    ) -> Result<Seen, Errno> {
        let stamp = content::stamp(stat);
        if let Some(Node::Symlink(known)) = known
            && self.remembered.trusts(&known.stamp, &stamp)
        {
            return Ok(Seen::Node(Node::Symlink(known.clone())));
        }
        let target = content::read_link(&site.fd, name.as_bytes())?;
        let symlink = Symlink::new(self.path_of(site, name), target, stamp);
        Ok(Seen::Node(Node::Symlink(symlink)))
    }

    fn path_of(&mut self, site: &Site, name: &Name) -> &[u8] {
        self.path.clear();
        crate::tree::extend(&mut self.path, &site.path, name.as_bytes());
        &self.path
    }
}

/// What an entry turned out to be.
enum Seen {
    Node(Node),
    Directory,
    Special,
}

/// A directory: to be entered, or known to be as it was.
fn go_into(site: &Arc<Site>, name: Name, entries: &mut Vec<Entry>, more: &mut Vec<Task>) {
    let path = crate::tree::Directory::entry_path(&site.path, &name);
    let known = site.known.as_ref().and_then(|known| known.entry(name.as_bytes()));
    if !site.scope.touches(&path)
        && let Some(Entry { node: node @ Node::Directory(_), .. }) = known
    {
        entries.push(Entry { name, node: node.clone() });
        return;
    }
    site.expect(1);
    more.push(Task::Enter(Arc::clone(site), name, site.scope.clone()));
}
