//! The adapters over a data directory, wired to the ports of the parts.
//!
//! *Invariants*: this is the only module that names adapters of the store. It knows nothing of the command line: a
//! path and a trace go in, ports and errors of the store come out.
#![expect(clippy::disallowed_methods, reason = "the adapters live on the disk of this machine")]

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::port::Trace;
use piton_runtime::RuntimePorts;
use piton_runtime::backpack::{BackpackPorts, JournalPorts};
use piton_runtime::context::ContextPorts;
use piton_runtime::workspaces::{VirtualPorts, WorkspacePorts};
use piton_store::Error;
use piton_store::local::{
    DamagedKept, LocalBlobs, LocalCache, LocalKeyRing, LocalLeases, LocalReplies, LocalTable,
    LogJournal, SegmentedJournal, SystemEntropy, TableStatus, list_damaged,
};
use piton_store::memory::{MemoryBlobs, MemoryTable};
use piton_store::port::{Blobs, Replies, Table};

pub(crate) use piton_store::local::{
    DataDir, SystemClock, SystemTimer, repair_table, runs_as_root,
};

/// Permission of a directory that only its owner can access.
const OWNER_ONLY: u32 = 0o700;

/// The adapters over an open data directory.
pub(crate) struct Adapters {
    dir: DataDir,
    /// Ports of the workflow engine and of everything that shares them.
    pub(crate) ports: RuntimePorts,
    pub(crate) backpacks: JournalPorts,
    /// Ports of context: a table of its own, and a directory for the scanners' stamps.
    pub(crate) frames: ContextPorts,
}

impl Adapters {
    /// Opens a data directory and creates it if necessary.
    pub(crate) fn open(root: &Path, trace: &Arc<dyn Trace>) -> Result<Self, Error> {
        let dir = DataDir::open(root)?;
        let blobs = LocalBlobs::new(dir.clone());
        let leases = || LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(trace));
        // Sessions share their leases with everything else that the runtime locks; backpacks have their own.
        let shared = leases();
        let sessions = SegmentedJournal::sessions(
            dir.clone(),
            blobs.clone(),
            shared.clone(),
            Arc::clone(trace),
        );
        let backpacks =
            LogJournal::backpacks(dir.clone(), blobs.clone(), leases(), Arc::clone(trace));
        let ports = RuntimePorts {
            journal: Arc::new(sessions),
            blobs: Arc::new(blobs),
            table: Arc::new(table(&dir, "workflow")?),
            leases: Arc::new(shared),
            keys: Arc::new(LocalKeyRing::new(dir.clone(), Arc::new(SystemEntropy))),
            cache: Arc::new(LocalCache::new(dir.clone())),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let backpacks = JournalPorts {
            journal: Arc::new(backpacks),
            blobs: Arc::clone(&ports.blobs) as _,
            ports: BackpackPorts {
                clock: Arc::clone(&ports.clock),
                entropy: Arc::clone(&ports.entropy),
            },
        };
        let frames = ContextPorts {
            table: Arc::new(table(&dir, "context")?),
            blobs: Arc::clone(&ports.blobs),
            leases: Arc::clone(&ports.leases),
            clock: Arc::clone(&ports.clock),
            // Stamps only save work: without the directory, scanners read every file again.
            stamps: made_directory(dir.root().join("stamps")),
        };
        Ok(Self { dir, ports, backpacks, frames })
    }

    /// Returns the path of the data directory.
    pub(crate) fn root(&self) -> &Path {
        self.dir.root()
    }

    /// Returns the ports of workspaces: Virtual Stores that are kept share the table of the sessions, the others live
    /// in memory.
    pub(crate) fn workspaces(&self, user_dir: Option<&Path>) -> WorkspacePorts {
        let ports = &self.ports;
        let kept = VirtualPorts {
            table: Arc::clone(&ports.table),
            blobs: Arc::clone(&ports.blobs),
            clock: Arc::clone(&ports.clock),
            entropy: Arc::clone(&ports.entropy),
        };
        WorkspacePorts { kept, ..trial_workspaces(user_dir, self.root()) }
    }

    /// Returns the store of replies for clients that lose their connection.
    pub(crate) fn replies(&self) -> Arc<dyn Replies> {
        Arc::new(LocalReplies::new(self.dir.clone()))
    }

    /// Returns the status of the table file.
    pub(crate) async fn table_status(&self) -> Result<TableStatus, Error> {
        // The status is about the file that all tables share, so any of their names will do.
        table(&self.dir, "workflow")?.status().await
    }

    /// Lists the damaged keys, tables and blobs that repairs kept.
    pub(crate) fn damaged(&self) -> Result<Vec<DamagedKept>, Error> {
        list_damaged(&self.dir)
    }

    /// True if there are keys that sign tokens.
    pub(crate) fn has_keys(&self) -> bool {
        self.root().join("keys/keyring.json").exists()
    }

    /// True if there is at least one session.
    pub(crate) fn has_sessions(&self) -> bool {
        let sessions = fs::read_dir(self.root().join("sessions"));
        sessions.is_ok_and(|mut entries| entries.next().is_some())
    }
}

/// Returns ports for a trial opening of workspaces. Everything is kept in memory, so the trial leaves nothing behind.
pub(crate) fn trial_workspaces(user_dir: Option<&Path>, root: &Path) -> WorkspacePorts {
    let memory = VirtualPorts {
        table: Arc::new(MemoryTable::default()) as Arc<dyn Table>,
        blobs: Arc::new(MemoryBlobs::new(Arc::new(SystemClock))) as Arc<dyn Blobs>,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    WorkspacePorts {
        kept: memory.clone(),
        memory,
        configuration: user_dir.map(Path::to_owned),
        data: Some(root.to_owned()),
    }
}

fn table(dir: &DataDir, name: &str) -> Result<LocalTable, Error> {
    LocalTable::open(dir, &name.parse().expect("it is a name"))
}

/// Creates a directory that only its owner can access. Returns nothing if that fails.
fn made_directory(path: PathBuf) -> Option<PathBuf> {
    let made = fs::DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(&path);
    made.is_ok().then_some(path)
}
