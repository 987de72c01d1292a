//! The simulated disk and its state.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use std::{fmt, io};

use piton_core::port::fixed::SeededEntropy;

use super::fault::{DiskFault, FaultVerdict, Nature};
use super::image::{Dir, ImageFile, Naming, Node};

/// A simulated disk. Clones share it.
#[derive(Clone)]
pub struct SimDisk(pub(super) Arc<Mutex<World>>);

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl SimDisk {
    /// Creates an empty disk.
    pub fn new() -> Self {
        Self::with(HashMap::new(), HashMap::from([(ROOT, Dir::default())]), 1, 1, Duration::ZERO)
    }

    fn with(
        files: HashMap<Node, ImageFile>,
        dirs: HashMap<Node, Dir>,
        next: Node,
        births: u64,
        now: Duration,
    ) -> Self {
        Self(Arc::new(Mutex::new(World {
            files,
            dirs,
            next,
            births,
            now,
            calls: 0,
            fault: None,
            crashed: false,
            locks: HashMap::new(),
        })))
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// Returns the number of calls since the last fault was set.
    pub fn calls(&self) -> u64 {
        self.world().calls
    }

    /// Sets the next fault, or none, and counts calls from 0 again.
    pub fn set_fault(&self, fault: Option<DiskFault>) {
        let mut world = self.world();
        world.calls = 0;
        world.fault = fault;
    }

    /// Lets time pass for the ages of files.
    pub fn advance(&self, time: Duration) {
        self.world().now += time;
    }

    /// Changes the bytes of a file as a failing medium would.
    pub fn damage(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut world = self.world();
        let node = world.find(path).unwrap();
        let file = world.files.get_mut(&node).unwrap();
        // The medium itself changes, so nothing that is cached or pending may hide it.
        change(&mut file.durable);
        file.live = file.durable.clone();
        file.pending.clear();
    }

    /// Returns the disk as it would be found after a power cut at this moment: with any subset of what was not synced,
    /// torn at `sector` bytes.
    #[must_use]
    pub fn after_power_cut(&self, seed: u64, sector: usize) -> Self {
        let luck = SeededEntropy::new(seed);
        let world = self.world();
        let mut files = HashMap::new();
        let mut dirs = HashMap::new();
        // Only what a surviving name leads to is found again. A file that lost its name is gone, however durable its
        // bytes.
        let mut reached = vec![ROOT];
        while let Some(node) = reached.pop() {
            if let Some(dir) = world.dirs.get(&node) {
                let names = dir.after_power_cut(&luck);
                reached.extend(names.values().copied());
                let dir = Dir { durable: names.clone(), live: names, pending: Vec::new() };
                dirs.insert(node, dir);
            } else if let Some(file) = world.files.get(&node) {
                let bytes = file.after_power_cut(&luck, sector);
                let file = ImageFile {
                    durable: bytes.clone(),
                    live: bytes,
                    pending: Vec::new(),
                    ..file.clone()
                };
                files.insert(node, file);
            }
        }
        Self::with(files, dirs, world.next, world.births, world.now)
    }

    /// Returns the disk as it would be found if nothing that was not synced had reached the medium.
    #[must_use]
    pub fn after_losing_all(&self) -> Self {
        let fork = self.fork();
        let mut world = fork.world();
        for file in world.files.values_mut() {
            file.pending.clear();
            file.live = file.durable.clone();
        }
        for dir in world.dirs.values_mut() {
            dir.pending.clear();
            dir.live = dir.durable.clone();
        }
        drop(world);
        fork
    }

    /// Returns an independent copy of this disk, without its locks and faults.
    #[must_use]
    pub fn fork(&self) -> Self {
        let world = self.world();
        let (files, dirs) = (world.files.clone(), world.dirs.clone());
        Self::with(files, dirs, world.next, world.births, world.now)
    }

    /// Returns every file and its bytes as a reader sees them.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let world = self.world();
        let mut contents = BTreeMap::new();
        let mut stack = vec![(PathBuf::from("/"), ROOT)];
        while let Some((path, node)) = stack.pop() {
            if let Some(dir) = world.dirs.get(&node) {
                stack.extend(dir.live.iter().map(|(name, node)| (path.join(name), *node)));
            } else if let Some(file) = world.files.get(&node) {
                contents.insert(path, file.live.clone());
            }
        }
        contents
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimDisk")
    }
}

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
