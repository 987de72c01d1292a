//! The paths of everything under the data directory, and the check that a directory may become one.
//!
//! Invariants: adapters find every path here; only `format.json` and the copies before a migration belong to `format`.
//! Files and directories are accessible to their owner only.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::port::NoTrace;

use super::disk::Disk;
use super::file_system::{self, FileSystem};
use super::{LocalLeases, RealDisk, SystemClock, format};
use crate::port::{BlobNamespace, Lease};
use crate::{Error, LeaseName, StreamId};

/// An open data directory.
#[derive(Debug, Clone)]
pub struct DataDir {
    root: Arc<Path>,
    disk: Arc<dyn Disk>,
    /// Keeps other processes from changing the format while the directory is open.
    format: Option<Arc<Lease>>,
}

impl DataDir {
    /// Opens a data directory on this machine, creating it if necessary.
    ///
    /// A directory on a network file system is refused: locks and syncs do not hold there. So is one that a newer Piton
    /// wrote in a way that this one does not know, and one that holds something that Piton did not put there. An older
    /// one is migrated.
    pub fn open(root: &Path) -> Result<Self, Error> {
        file_system::create_root(root)?;
        if let FileSystem::Network(kind) = file_system::detect(root)? {
            return Err(Error::UnsupportedFileSystem { file_system: kind });
        }
        // The check sees the directory as it was found, before anything of ours is created in it.
        refuse_foreign(&RealDisk, root)?;
        let mut dir = Self::on(Arc::new(RealDisk), root)?;
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        dir.format = Some(Arc::new(format::settle(&dir, &leases)?));
        Ok(dir)
    }

    /// Opens a data directory that no other process has open, and keeps all others out of it. Blocks.
    pub fn open_alone(root: &Path) -> Result<Self, Error> {
        let mut dir = Self::open(root)?;
        // The shared lease of `open` goes first: it would keep even this process from the exclusive one.
        dir.format = None;
        let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::new(NoTrace));
        dir.format = Some(Arc::new(format::lock_exclusively(&leases)?));
        Ok(dir)
    }

    /// Opens a data directory on a given disk, whatever its format. Its root must exist there.
    pub fn on(disk: Arc<dyn Disk>, root: &Path) -> Result<Self, Error> {
        let dir = Self { root: root.into(), disk, format: None };
        dir.make_parts().map_err(Error::io("make the data directory"))?;
        Ok(dir)
    }

    fn make_parts(&self) -> std::io::Result<()> {
        let mut is_new = false;
        for name in ["sessions", "backpacks", "leases", "keys", "trash", "workflows"] {
            let part = self.root.join(name);
            if self.disk.stat(&part)?.is_none() {
                self.disk.create_dir(&part)?;
                is_new = true;
            }
        }
        if is_new { self.disk.sync_dir(&self.root) } else { Ok(()) }
    }

    /// Returns the disk that the data directory is on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Returns the path of the data directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of sessions, which has one directory per session.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Returns the directory of backpacks, which has one directory per backpack.
    pub fn backpacks(&self) -> PathBuf {
        self.root.join("backpacks")
    }

    /// Returns the directory in which deleted streams wait for their removal.
    pub fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// Returns the directory for damaged data that was taken out of use.
    pub fn damaged(&self) -> PathBuf {
        self.root.join("damaged")
    }

    /// Returns the path of the key ring.
    pub fn keyring(&self) -> PathBuf {
        self.root.join("keys/keyring.json")
    }

    /// Returns the path of the table's database.
    pub fn table(&self) -> PathBuf {
        self.root.join("table.sqlite3")
    }

    /// Returns the directory of the index's databases.
    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// Returns the file that is locked while a lease is held.
    pub fn lease(&self, name: &LeaseName) -> PathBuf {
        self.root.join("leases").join(format!("{name}.lock"))
    }

    /// Returns the file that is locked while a lease is being taken.
    pub fn lease_turn(&self, name: &LeaseName) -> PathBuf {
        self.root.join("leases").join(format!("{name}.turn"))
    }

    /// Returns the file that is locked while a caller waits for a stream. The lock on the stream itself lies beside it.
    pub(super) fn stream_turn(&self, stream: &StreamId) -> PathBuf {
        self.root.join("leases").join(format!("stream-{stream}.turn"))
    }

    /// Returns the directory of a session's cached projections.
    pub fn cache(&self, stream: &StreamId) -> PathBuf {
        self.sessions().join(stream.as_str()).join("cache")
    }

    /// Returns the directory of replies that clients may ask for again, which has one directory per client.
    pub fn replies(&self) -> PathBuf {
        self.root.join("run/replies")
    }

    /// Returns the directory of calls whose replies are being made, with a locked file for each.
    pub fn reply_claims(&self) -> PathBuf {
        self.root.join("run/calls")
    }

    /// Returns the directory of a namespace's blobs.
    pub fn blobs(&self, namespace: BlobNamespace) -> PathBuf {
        self.root.join(match namespace {
            BlobNamespace::Snapshots => "snapshots",
            BlobNamespace::Artifacts => "artifacts",
            BlobNamespace::PinnedWorkflows => "workflows/pinned",
            BlobNamespace::Backpacks => "blobs/backpacks",
            BlobNamespace::Virtual => "blobs/virtual",
            BlobNamespace::Context => "blobs/context",
        })
    }
}

/// Names in a data directory: what the store keeps there, and what the program keeps beside it.
const OURS: [&str; 19] = [
    "artifacts",
    "backpacks",
    "backups",
    "blobs",
    "damaged",
    "demo",
    "format.json",
    "format.json.new",
    "index",
    "keys",
    "leases",
    "logs",
    "run",
    "sessions",
    "snapshots",
    "stamps",
    "table.sqlite3",
    "trash",
    "workflows",
];

/// Prefix of the files that SQLite keeps beside its database.
const BESIDE_THE_TABLE: &str = "table.sqlite3-";

/// Directory that a file system keeps at its top level.
const OF_THE_FILE_SYSTEM: &str = "lost+found";

/// Refuses a directory that is neither empty nor a data directory. Touches nothing.
///
/// A mistyped path must not turn a directory that is in use into a data directory: Piton empties `trash`, and lists
/// what lies in `sessions`.
///
/// *Limitations*: a directory without `format.json` is judged only by the names in it. Hidden names are ignored: the
/// home directory of a service has some, and none is in the way.
fn refuse_foreign(disk: &dyn Disk, root: &Path) -> Result<(), Error> {
    let foreign = || -> io::Result<Option<String>> {
        if disk.stat(&root.join("format.json"))?.is_some() {
            return Ok(None);
        }
        Ok(disk.list(root)?.into_iter().filter(|name| !is_ours(name)).min())
    };
    match foreign().map_err(Error::io("look at the data directory"))? {
        Some(name) => Err(Error::ForeignDirectory { name: name.escape_debug().to_string() }),
        None => Ok(()),
    }
}

fn is_ours(name: &str) -> bool {
    OURS.contains(&name)
        || name.starts_with(BESIDE_THE_TABLE)
        || name.starts_with('.')
        || name == OF_THE_FILE_SYSTEM
}
