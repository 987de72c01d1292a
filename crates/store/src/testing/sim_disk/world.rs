//! The state of a simulated disk, and how calls find their way in it.

use std::collections::HashMap;
use std::io;
use std::path::{Component, Path};
use std::time::Duration;

use crate::testing::fault::{DiskFault, FaultVerdict, Nature};
use crate::testing::image::{Dir, ImageFile, Naming, Node};

/// The files and directories, the number of calls so far, and the fault to come.
pub(super) struct World {
    pub(super) files: HashMap<Node, ImageFile>,
    pub(super) dirs: HashMap<Node, Dir>,
    pub(super) next: Node,
    pub(super) births: u64,
    pub(super) now: Duration,
    pub(super) calls: u64,
    pub(super) fault: Option<DiskFault>,
    pub(super) crashed: bool,
    pub(super) locks: HashMap<Node, Locks>,
}

#[derive(Default)]
pub(super) struct Locks {
    pub(super) shared: usize,
    pub(super) exclusive: bool,
}

pub(super) const ROOT: Node = 0;

impl World {
    /// Counts a call and lets the fault judge it.
    pub(super) fn call(&mut self, nature: Nature) -> io::Result<FaultVerdict> {
        let call = self.calls;
        self.calls += 1;
        if self.crashed {
            return Err(io::Error::other("the power is out"));
        }
        match self.fault {
            Some(fault) => fault.judge(call, nature, &mut self.crashed),
            None => Ok(FaultVerdict::Works),
        }
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<Node> {
        let mut node = ROOT;
        for part in path.components() {
            if let Component::Normal(name) = part {
                let dir = self.dirs.get(&node).ok_or(io::ErrorKind::NotADirectory)?;
                let name = name.to_str().ok_or(io::ErrorKind::InvalidInput)?;
                node = *dir.live.get(name).ok_or(io::ErrorKind::NotFound)?;
            }
        }
        Ok(node)
    }

    pub(super) fn place(&self, path: &Path) -> io::Result<(Node, String)> {
        let parent = self.find(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
        let name = path.file_name().and_then(|name| name.to_str());
        Ok((parent, name.ok_or(io::ErrorKind::InvalidInput)?.to_owned()))
    }

    pub(super) fn dir(&mut self, node: Node) -> io::Result<&mut Dir> {
        self.dirs.get_mut(&node).ok_or(io::ErrorKind::NotADirectory.into())
    }

    pub(super) fn file(&mut self, node: Node) -> io::Result<&mut ImageFile> {
        self.files.get_mut(&node).ok_or(io::ErrorKind::IsADirectory.into())
    }

    pub(super) fn new_file(&mut self, path: &Path) -> io::Result<Node> {
        let (parent, name) = self.place(path)?;
        if self.dir(parent)?.live.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let node = self.next;
        self.next += 1;
        self.births += 1;
        let file = ImageFile { written: self.now, born: self.births, ..ImageFile::default() };
        self.files.insert(node, file);
        self.dir(parent)?.name(Naming::Link(name, node));
        Ok(node)
    }
}
