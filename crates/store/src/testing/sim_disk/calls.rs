//! The calls of a simulated disk. Each is counted and judged before it does anything.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::disk::SimDisk;
use super::fault::{FaultVerdict, Nature};
use super::image::{Dir, ImageWrite, Naming, Node};
use crate::local::disk::{Disk, DiskFile, FileLock, Stat};

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
        // Two directories are made durable by two syncs, so a power cut may keep either change, both, or none.
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

struct SimFile {
    disk: SimDisk,
    node: Node,
}

impl DiskFile for SimFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut world = self.disk.world();
        let verdict = world.call(Nature::NeedsSpace)?;
        let taken = match verdict {
            FaultVerdict::Works => bytes.len(),
            FaultVerdict::WorksHalf => bytes.len().div_ceil(2),
        };
        let now = world.now;
        let file = world.file(self.node)?;
        let offset = usize::try_from(offset).unwrap();
        file.write(ImageWrite::Data { offset, bytes: bytes[..taken].to_vec() });
        file.written = now;
        Ok(taken)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut world = self.disk.world();
        world.call(Nature::Writes)?;
        let length = usize::try_from(len).unwrap();
        world.file(self.node)?.write(ImageWrite::Length(length));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut world = self.disk.world();
        let verdict = world.call(Nature::Syncs);
        let crashed = world.crashed;
        let file = world.file(self.node)?;
        match verdict {
            Ok(_) => file.sync(),
            // After a power cut nothing changes any more. Otherwise a failed sync loses what it should have written.
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
        // A panicking test may have poisoned the mutex, and a panic while dropping would hide the cause.
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
