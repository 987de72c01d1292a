//! The Physical Store as a [`Store`]: blocking work, off the threads that serve calls.

use std::{path::Path, sync::Arc};

use piton_core::{Digest, Entropy, FileBytes};
use piton_store::port::BoxFuture;
use rustix::fs::{AtFlags, Mode, Stat};

use super::{
    at_hand::AtHand,
    errno::fault,
    list::{kind_of, listing, size},
    lock::lock,
    open::Root,
    ready::{Making, Ready, read_all},
    search::search,
    temp::discard,
    write::Body,
};
use crate::{
    blocking::blocking,
    bounds::FILE_BYTES_MAX,
    path::{MountPath, is_temp_name},
    quota::Quota,
    search::{Found, Search},
    store::{
        Before, Change, Expected, Fault, FileStat, Identity, Kind, Listing, Loaded, Prepared,
        Store, Window, WindowRead, read_window, read_window_of,
    },
};

/// What a Workspace may choose about its Physical Store.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct PhysicalOptions {
    /// Whether links that stay inside the Mount are followed.
    pub links: bool,
    /// Whether a file that has other names elsewhere is refused.
    pub deny_hard_links: bool,
    /// Whether what is mounted inside the Mount is followed.
    pub mounts: bool,
    /// How much the Mount may hold.
    pub quota: Option<Quota>,
    /// Whether paths are opened name by name although the kernel could open them beneath the Mount.
    pub by_name: bool,
}

/// Files of a directory of this machine.
pub struct PhysicalStore {
    inner: Arc<Inner>,
}

struct Inner {
    root: Root,
    entropy: Arc<dyn Entropy>,
    options: PhysicalOptions,
}

impl PhysicalStore {
    /// Opens a directory and holds it: what happens to its path later has no effect.
    pub fn open(
        directory: &Path,
        options: PhysicalOptions,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, Fault> {
        let root = Root::hold(directory, options)?;
        Ok(Self { inner: Arc::new(Inner { root, entropy, options }) })
    }

    fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<R, Fault> + Send + 'static,
    ) -> BoxFuture<'static, Result<R, Fault>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || work(&inner)))
    }
}

impl Store for PhysicalStore {
    fn stat(&self, path: MountPath, digest: bool) -> BoxFuture<'_, Result<FileStat, Fault>> {
        if let Some(stat) = self.inner.known_stat(&path, digest) {
            return Box::pin(async move { Ok(stat) });
        }
        self.run(move |inner| inner.stat(&path, digest))
    }

    fn identity(&self, path: MountPath) -> BoxFuture<'_, Result<Identity, Fault>> {
        self.run(move |inner| {
            let stat = inner.entry(&path)?;
            Ok(Identity::new(format!("physical {} {}", stat.st_dev, stat.st_ino)))
        })
    }

    fn fingerprint(&self, path: MountPath) -> BoxFuture<'_, Result<Vec<u8>, Fault>> {
        self.run(move |inner| {
            let (directory, name) = inner.root.parent(&path)?;
            let stat =
                rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)?;
            if kind_of(&stat) == Kind::Link {
                let target = rustix::fs::readlinkat(&directory, name, Vec::new()).map_err(fault)?;
                return Ok(target.into_bytes());
            }
            Ok(format!("{:?}", (stat.st_size, stat.st_mtime, stat.st_mtime_nsec)).into_bytes())
        })
    }

    fn list(&self, path: MountPath) -> BoxFuture<'_, Result<Listing, Fault>> {
        self.run(move |inner| listing(&inner.root.directory(&path)?))
    }

    fn read(&self, path: MountPath, window: Window) -> BoxFuture<'_, Result<WindowRead, Fault>> {
        if let Some(AtHand { bytes, .. }) = self.inner.root.at_hand(&path) {
            return Box::pin(async move { read_window_of(&bytes, window) });
        }
        self.run(move |inner| {
            let (file, stat) = inner.root.file(&path)?;
            read_window(file, size(&stat), window)
        })
    }

    fn load(&self, path: MountPath, bytes_max: u64) -> BoxFuture<'_, Result<Loaded, Fault>> {
        if let Some(AtHand { bytes, stat }) = self.inner.root.at_hand(&path)
            && bytes.len() as u64 <= bytes_max
        {
            return Box::pin(async move { Ok(loaded(bytes, &stat)) });
        }
        self.run(move |inner| {
            let (file, stat) = inner.root.file(&path)?;
            Ok(loaded(read_all(file, &stat, bytes_max)?, &stat))
        })
    }

    fn search(&self, query: Arc<Search>) -> BoxFuture<'_, Result<Found, Fault>> {
        self.run(move |inner| search(&inner.root, &query))
    }

    fn resolve(&self, path: MountPath) -> BoxFuture<'_, Result<MountPath, Fault>> {
        if !self.inner.options.links {
            return Box::pin(async move { Ok(path) });
        }
        self.run(move |inner| inner.root.resolve(&path))
    }

    fn prepare(&self, change: Change) -> BoxFuture<'_, Result<Box<dyn Prepared>, Fault>> {
        self.run(move |inner| {
            let ready = inner.prepare(&change)?;
            Ok(Box::new(Pending(ready)) as Box<dyn Prepared>)
        })
    }

    fn has_lost(&self, _: MountPath) -> BoxFuture<'_, Result<bool, Fault>> {
        // What is missing in a directory of the machine, somebody removed.
        Box::pin(async { Ok(false) })
    }

    fn clear(&self, path: MountPath, temp: String) -> BoxFuture<'_, Result<(), Fault>> {
        self.run(move |inner| {
            if !is_temp_name(&temp) {
                return Ok(());
            }
            match inner.root.parent(&path) {
                Ok((directory, _)) => {
                    lock(&directory)?;
                    discard(&directory, &temp);
                    Ok(())
                }
                Err(Fault::NotFound | Fault::IsDirectory) => Ok(()),
                Err(other) => Err(other),
            }
        })
    }
}

fn loaded(bytes: Vec<u8>, stat: &Stat) -> Loaded {
    let digest = Digest::of(&FileBytes(&bytes));
    Loaded { bytes, digest, executable: is_executable(stat) }
}

/// Whether the owner of a file may run it.
fn is_executable(stat: &Stat) -> bool {
    kind_of(stat) == Kind::File && Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR)
}

/// What is told of a path that is no link.
fn told(stat: &Stat, digest: Option<Digest>) -> FileStat {
    let kind = kind_of(stat);
    FileStat {
        kind,
        bytes: if kind == Kind::File { size(stat) } else { 0 },
        modified: u64::try_from(stat.st_mtime).ok(),
        digest,
        executable: is_executable(stat),
    }
}

impl Inner {
    /// What stands at a path, if the kernel has all that is asked for in memory.
    fn known_stat(&self, path: &MountPath, digest: bool) -> Option<FileStat> {
        let stat = self.root.known(path)?;
        match kind_of(&stat) {
            Kind::Link => None,
            Kind::File if digest => {
                let AtHand { stat, bytes } = self.root.at_hand(path)?;
                Some(told(&stat, Some(Digest::of(&FileBytes(&bytes)))))
            }
            _ => Some(told(&stat, None)),
        }
    }

    /// What stands at a path; a link is not followed.
    fn entry(&self, path: &MountPath) -> Result<Stat, Fault> {
        if path.is_root() {
            return rustix::fs::fstat(self.root.directory(path)?).map_err(fault);
        }
        let (directory, name) = self.root.parent(path)?;
        rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fault)
    }

    fn stat(&self, path: &MountPath, digest: bool) -> Result<FileStat, Fault> {
        let stat = self.entry(path)?;
        let kind = kind_of(&stat);
        if kind == Kind::Link {
            return Err(Fault::Link);
        }
        let wanted = digest && kind == Kind::File;
        let digest = wanted
            .then(|| {
                self.root.file(path).and_then(|(file, stat)| read_all(file, &stat, FILE_BYTES_MAX))
            })
            .and_then(Result::ok)
            .map(|bytes| Digest::of(&FileBytes(&bytes)));
        Ok(told(&stat, digest))
    }

    fn prepare(&self, change: &Change) -> Result<Box<dyn Ready>, Fault> {
        let (root, entropy) = (&self.root, &*self.entropy);
        // With a quota, every change takes the lock of the Mount, so that what is counted holds.
        let held = match self.options.quota {
            Some(_) => {
                let mount = root.directory(&MountPath::root())?;
                lock(&mount)?;
                Some(mount)
            }
            None => None,
        };
        let check = |path: &MountPath, bytes: &[u8], added: bool| match self.options.quota {
            Some(quota) => root.check_quota(quota, path, bytes.len() as u64, added),
            None => Ok(()),
        };
        Ok(match change {
            Change::Write { path, bytes, expected, executable } => {
                check(path, bytes, false)?;
                let body = Body::Whole(bytes, *executable);
                Box::new(root.prepare_write(path, &body, expected, held, entropy)?)
            }
            Change::Append { path, bytes } => {
                check(path, bytes, true)?;
                let expected = Expected::Anything;
                Box::new(root.prepare_write(path, &Body::Added(bytes), &expected, held, entropy)?)
            }
            Change::Delete { path, recursive, expected, mask } => {
                let mut removal = root.prepare_removal(path, *recursive, mask, held, entropy)?;
                if matches!(expected, Expected::Digest(_)) {
                    removal.remember()?;
                }
                if let Before::File(digest) = removal.before() {
                    expected.check(digest.as_ref())?;
                }
                Box::new(removal)
            }
            Change::Move { from, to, mask } => Box::new(root.prepare_move(from, to, mask, held)?),
            Change::MakeDirectory { path } => {
                let (directory, made) = root.make(path)?;
                Box::new(Making { directory, made })
            }
        })
    }
}

/// A change that is ready, as the port wants it.
struct Pending(Box<dyn Ready>);

impl Prepared for Pending {
    fn before(&self) -> Before {
        self.0.before()
    }

    fn after(&self) -> Option<Digest> {
        self.0.after()
    }

    fn temp(&self) -> Option<&str> {
        self.0.temp()
    }

    fn commit(mut self: Box<Self>) -> BoxFuture<'static, Result<(), Fault>> {
        Box::pin(blocking(move || self.0.commit()))
    }
}
