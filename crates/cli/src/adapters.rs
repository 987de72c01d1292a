//! The adapters over a data directory, as the runtime takes them.
//!
//! *Invariants*: this is the only module that names adapters. It knows nothing of the command line: a path and a trace
//! go in, ports and errors of the store come out.
#![expect(clippy::disallowed_methods, reason = "looks whether there are keys and sessions")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use piton::Piton;
use piton_core::port::Trace;
use piton_runtime::RuntimePorts;
use piton_runtime::backpack::JournalPorts;
use piton_runtime::context::ContextPorts;
use piton_runtime::workspaces::{VirtualPorts, WorkspacePorts};
use piton_store::Error;
use piton_store::local::{DamagedKept, LocalChanges, LocalTable, TableStatus, list_damaged};
use piton_store::port::{Changes, Replies, Table};

pub(crate) use piton::memory_workspaces;
pub(crate) use piton_store::local::{
    DataDir, FORMAT_VERSION, OLDEST_READER, SystemClock, SystemEntropy, SystemTimer, WatchedPlace,
    repair_table, runs_as_root,
};

/// The adapters over an open data directory.
pub(crate) struct Adapters {
    piton: Piton,
    /// Ports of the workflow engine and of everything that shares them.
    pub(crate) ports: RuntimePorts,
    pub(crate) backpacks: JournalPorts,
    /// Ports of context: a table of its own, and a directory for the scanners' stamps.
    pub(crate) frames: ContextPorts,
}

impl Adapters {
    /// Opens a data directory and creates it if necessary.
    pub(crate) fn open(root: &Path, trace: &Arc<dyn Trace>) -> Result<Self, Error> {
        let piton = Piton::open_traced(root, trace)?;
        let ports = RuntimePorts {
            journal: piton.session_journal(),
            blobs: piton.blobs(),
            table: piton.table(&"workflow".parse().expect("it is a name"))?,
            leases: piton.leases(),
            keys: piton.keys(),
            index: piton.index(),
            cache: piton.cache(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let (backpacks, frames) = (piton.backpack_ports(), piton.context_ports()?);
        Ok(Self { piton, ports, backpacks, frames })
    }

    /// Returns the path of the data directory.
    pub(crate) fn root(&self) -> &Path {
        self.piton.root()
    }

    /// Returns the ports of workspaces: Virtual Stores that are kept share the table of the sessions, the others live
    /// in memory.
    pub(crate) fn workspaces(&self, user_dir: Option<&Path>) -> WorkspacePorts {
        let memory = memory_workspaces(user_dir.map(Path::to_owned), self.root());
        let kept = VirtualPorts {
            table: Arc::clone(&self.ports.table),
            blobs: Arc::clone(&self.ports.blobs),
            ..memory.kept.clone()
        };
        WorkspacePorts { kept, ..memory }
    }

    /// Returns the store of replies for clients that lose their connection.
    pub(crate) fn replies(&self) -> Arc<dyn Replies> {
        self.piton.replies()
    }

    /// Returns the table in which the console keeps who is signed in.
    pub(crate) fn console_table(&self) -> Result<Arc<dyn Table>, Error> {
        self.piton.table(&"console".parse().expect("it is a name"))
    }

    /// Returns the hints about changes in the data directory and in places around it.
    pub(crate) fn changes(&self, places: Vec<WatchedPlace>) -> Arc<dyn Changes> {
        Arc::new(LocalChanges::new(self.piton.dir().clone(), places))
    }

    /// Returns the status of the table file.
    pub(crate) async fn table_status(&self) -> Result<TableStatus, Error> {
        // The status is about the file that all tables share, so any of their names will do.
        let name = "workflow".parse().expect("it is a name");
        LocalTable::open(self.piton.dir(), &name)?.status().await
    }

    /// Lists the damaged keys, tables and blobs that repairs kept.
    pub(crate) fn damaged(&self) -> Result<Vec<DamagedKept>, Error> {
        list_damaged(self.piton.dir())
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
