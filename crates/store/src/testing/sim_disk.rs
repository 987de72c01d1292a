//! A disk in memory whose every call can fail, and whose power can go out.
//!
//! Fault model: see [`FaultKind`](super::FaultKind) for what a call can do, and the `image` module
//! for what a power cut leaves. Calls are counted from 0, reads too. The same seed gives the same
//! image.
//!
//! Limitations: permissions are not modelled; a rename between two directories is two changes, so
//! a power cut may leave either name, both, or none.

use std::{
    collections::{BTreeMap, HashMap},
    fmt, io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use piton_core::port::fixed::SeededEntropy;

use super::{
    fault::{Fault, Nature, Verdict},
    image::{Dir, File, Naming, Node, Write},
};
use crate::local::disk::{Disk, DiskFile, FileLock, Stat};

/// A simulated disk. Clones share it.
#[derive(Clone)]
pub struct SimDisk(Arc<Mutex<World>>);

struct World {
    files: HashMap<Node, File>,
    dirs: HashMap<Node, Dir>,
    next: Node,
    births: u64,
    now: Duration,
    calls: u64,
    fault: Option<Fault>,
    crashed: bool,
    locks: HashMap<Node, Locks>,
}

#[derive(Default)]
struct Locks {
    shared: usize,
    exclusive: bool,
}

const ROOT: Node = 0;

/// One of two, by luck.
pub(super) fn coin(luck: &SeededEntropy) -> bool {
    luck.next_u64() & 1 == 0
}

/// A number below `end`, by luck.
pub(super) fn below(luck: &SeededEntropy, end: u64) -> u64 {
    luck.next_u64() % end.max(1)
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl SimDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::with(HashMap::new(), HashMap::from([(ROOT, Dir::default())]), 1, 1, Duration::ZERO)
    }

    fn with(
        files: HashMap<Node, File>,
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

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// How many calls there were since the last fault was set.
    pub fn calls(&self) -> u64 {
        self.world().calls
    }

    /// Sets the next fault, or none, and counts calls from 0 again.
    pub fn set_fault(&self, fault: Option<Fault>) {
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
        change(&mut file.durable);
        file.live = file.durable.clone();
        file.pending.clear();
    }

    /// What would be found after a power cut in this moment: any subset of what was not synced,
    /// torn at `sector` bytes.
    #[must_use]
    pub fn after_power_cut(&self, seed: u64, sector: usize) -> Self {
        let luck = SeededEntropy::new(seed);
        let world = self.world();
        let mut files = HashMap::new();
        let mut dirs = HashMap::new();
        let mut reached = vec![ROOT];
        while let Some(node) = reached.pop() {
            if let Some(dir) = world.dirs.get(&node) {
                let names = dir.after_power_cut(&luck);
                reached.extend(names.values().copied());
                let dir = Dir { durable: names.clone(), live: names, pending: Vec::new() };
                dirs.insert(node, dir);
            } else if let Some(file) = world.files.get(&node) {
                let bytes = file.after_power_cut(&luck, sector);
                let file = File {
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

    /// What would be found if nothing that was not synced had reached the medium.
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

    /// A disk of its own that is just like this one, without its locks and faults.
    #[must_use]
    pub fn fork(&self) -> Self {
        let world = self.world();
        let (files, dirs) = (world.files.clone(), world.dirs.clone());
        Self::with(files, dirs, world.next, world.births, world.now)
    }

    /// Every file and its bytes as a reader sees them.
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

impl World {
    /// Counts a call and lets the fault judge it.
    fn call(&mut self, nature: Nature) -> io::Result<Verdict> {
        let call = self.calls;
        self.calls += 1;
        if self.crashed {
            return Err(io::Error::other("the power is out"));
        }
        match self.fault {
            Some(fault) => fault.judge(call, nature, &mut self.crashed),
            None => Ok(Verdict::Works),
        }
    }

    fn find(&self, path: &Path) -> io::Result<Node> {
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

    fn place(&self, path: &Path) -> io::Result<(Node, String)> {
        let parent = self.find(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
        let name = path.file_name().and_then(|name| name.to_str());
        Ok((parent, name.ok_or(io::ErrorKind::InvalidInput)?.to_owned()))
    }

    fn dir(&mut self, node: Node) -> io::Result<&mut Dir> {
        self.dirs.get_mut(&node).ok_or(io::ErrorKind::NotADirectory.into())
    }

    fn file(&mut self, node: Node) -> io::Result<&mut File> {
        self.files.get_mut(&node).ok_or(io::ErrorKind::IsADirectory.into())
    }

    fn new_file(&mut self, path: &Path) -> io::Result<Node> {
        let (parent, name) = self.place(path)?;
        if self.dir(parent)?.live.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let node = self.next;
        self.next += 1;
        self.births += 1;
        let file = File { written: self.now, born: self.births, ..File::default() };
        self.files.insert(node, file);
        self.dir(parent)?.name(Naming::Link(name, node));
        Ok(node)
    }
}

impl Disk for SimDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut world = self.world();
        world.call(Nature::NeedsSpace)?;
        let node = world.new_file(path)?;
        Ok(Box::new(SimFile { disk: self.clone(), node }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut world = self.world();
        world.call(Nature::Reads)?;
        let node = world.find(path)?;
        world.file(node)?;
        Ok(Box::new(SimFile { disk: self.clone(), node }))
    }

    fn read_from(&self, path: &Path, offset: u64, len_max: u64) -> io::Result<Vec<u8>> {
        let mut world = self.world();
        world.call(Nature::Reads)?;
        let node = world.find(path)?;
        let bytes = &world.file(node)?.live;
        let from = usize::try_from(offset).unwrap().min(bytes.len());
        let found = &bytes[from..];
        if found.len() as u64 > len_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(found.to_vec())
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        let mut world = self.world();
        world.call(Nature::Reads)?;
        let node = match world.find(path) {
            Ok(node) => node,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let now = world.now;
        Ok(Some(world.files.get(&node).map_or(
            Stat { incarnation: node.into(), len: 0, age: Duration::ZERO, is_dir: true },
            |file| Stat {
                incarnation: (u128::from(file.born) << 64) | u128::from(node),
                len: file.live.len() as u64,
                age: now.saturating_sub(file.written),
                is_dir: false,
            },
        )))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut world = self.world();
        world.call(Nature::Reads)?;
        let node = world.find(path)?;
        Ok(world.dir(node)?.live.keys().cloned().collect())
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::NeedsSpace)?;
        let (parent, name) = world.place(path)?;
        if let Some(node) = world.dir(parent)?.live.get(&name).copied() {
            return world.dir(node).map(|_| ());
        }
        let node = world.next;
        world.next += 1;
        world.dirs.insert(node, Dir::default());
        world.dir(parent)?.name(Naming::Link(name, node));
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Writes)?;
        let node = world.find(from)?;
        let (from_dir, from_name) = world.place(from)?;
        let (to_dir, to_name) = world.place(to)?;
        if from_dir == to_dir {
            world.dir(from_dir)?.name(Naming::Rename { from: from_name, to: to_name, node });
        } else {
            world.dir(to_dir)?.name(Naming::Link(to_name, node));
            world.dir(from_dir)?.name(Naming::Unlink(from_name));
        }
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Writes)?;
        let node = world.find(path)?;
        world.file(node)?;
        let (parent, name) = world.place(path)?;
        world.dir(parent)?.name(Naming::Unlink(name));
        Ok(())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Writes)?;
        let node = world.find(path)?;
        if !world.dir(node)?.live.is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let (parent, name) = world.place(path)?;
        world.dir(parent)?.name(Naming::Unlink(name));
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Syncs)?;
        let node = world.find(path)?;
        world.dir(node)?.sync();
        Ok(())
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Writes)?;
        let (node, now) = (world.find(path)?, world.now);
        world.file(node)?.written = now;
        Ok(())
    }

    fn evict(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.call(Nature::Reads)?;
        let node = world.find(path)?;
        world.file(node)?.evict();
        Ok(())
    }

    fn lock(&self, path: &Path, exclusive: bool) -> io::Result<Option<Box<dyn FileLock>>> {
        let mut world = self.world();
        world.call(Nature::NeedsSpace)?;
        let node = match world.find(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => world.new_file(path)?,
            found => found?,
        };
        let locks = world.locks.entry(node).or_default();
        if locks.exclusive || (exclusive && locks.shared > 0) {
            return Ok(None);
        }
        if exclusive {
            locks.exclusive = true;
        } else {
            locks.shared += 1;
        }
        Ok(Some(Box::new(SimLock { disk: self.clone(), node, exclusive })))
    }

    fn parallelism(&self) -> usize {
        1
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimDisk")
    }
}

struct SimFile {
    disk: SimDisk,
    node: Node,
}

impl DiskFile for SimFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut world = self.disk.world();
        let verdict = world.call(Nature::NeedsSpace)?;
        let taken = match verdict {
            Verdict::Works => bytes.len(),
            Verdict::WorksHalf => bytes.len().div_ceil(2),
        };
        let now = world.now;
        let file = world.file(self.node)?;
        let offset = usize::try_from(offset).unwrap();
        file.write(Write::Data { offset, bytes: bytes[..taken].to_vec() });
        file.written = now;
        Ok(taken)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut world = self.disk.world();
        world.call(Nature::Writes)?;
        let length = usize::try_from(len).unwrap();
        world.file(self.node)?.write(Write::Length(length));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut world = self.disk.world();
        let verdict = world.call(Nature::Syncs);
        let crashed = world.crashed;
        let file = world.file(self.node)?;
        match verdict {
            Ok(_) => file.sync(),
            Err(_) if !crashed => file.fail_sync(),
            Err(_) => {}
        }
        verdict.map(|_| ())
    }
}

struct SimLock {
    disk: SimDisk,
    node: Node,
    exclusive: bool,
}

impl FileLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        if let Ok(mut world) = self.disk.0.lock()
            && let Some(locks) = world.locks.get_mut(&self.node)
        {
            if self.exclusive {
                locks.exclusive = false;
            } else {
                locks.shared -= 1;
            }
        }
    }
}
