//! The front door: an open data directory, and the parts over it.
//!
//! *Invariants*: this crate and tests are the only code that names the adapters of the store. The journals, leases and
//! blobs of one [`Piton`] are shared by everything that it returns.

use std::path::Path;
#[cfg(any(feature = "context", feature = "workspaces"))]
use std::path::PathBuf;
use std::sync::Arc;

use piton_core::port::{NoTrace, Trace};
use piton_store::local::{
    DataDir, LocalBlobs, LocalCache, LocalIndex, LocalKeyRing, LocalLeases, LocalReplies,
    LocalTable, SystemClock, SystemEntropy,
};
use piton_store::port::{Blobs, Cache, Index, KeyRing, Leases, Replies, Table};
use piton_store::{Error, LeaseName};

#[cfg(feature = "backpack")]
use piton_backpack::journal::{BackpackEvent, Holder, JournalPorts, JournaledBackpack, Mode};
#[cfg(feature = "backpack")]
use piton_store::local::LogJournal;
#[cfg(feature = "workflow")]
use piton_store::local::SegmentedJournal;
#[cfg(feature = "workflow")]
use piton_workflow::SessionEvent;

/// An open data directory. Cheap to clone: clones share everything.
///
/// Nothing is held exclusively. Any number of processes can open the same directory.
#[derive(Clone)]
pub struct Piton {
    dir: DataDir,
    blobs: Arc<LocalBlobs>,
    leases: Arc<LocalLeases>,
    index: Arc<LocalIndex>,
    #[cfg(feature = "workflow")]
    sessions: Arc<SegmentedJournal<SessionEvent>>,
    #[cfg(feature = "backpack")]
    backpacks: Arc<LogJournal<BackpackEvent>>,
}

impl std::fmt::Debug for Piton {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Piton").field(&self.root()).finish()
    }
}

impl Piton {
    /// Opens a data directory, or creates it if it does not exist.
    ///
    /// A directory is refused if it is on a network file system, holds something that Piton did not put there, or was
    /// written by a newer version. One of an older version is migrated.
    pub fn open(root: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_traced(root, &(Arc::new(NoTrace) as Arc<dyn Trace>))
    }

    /// Opens a data directory, and reports what is worth a line in a log to `trace`.
    pub fn open_traced(root: impl AsRef<Path>, trace: &Arc<dyn Trace>) -> Result<Self, Error> {
        let dir = DataDir::open(root.as_ref())?;
        let blobs = LocalBlobs::new(dir.clone());
        let new_leases = || LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(trace));
        let leases = new_leases();
        Ok(Self {
            #[cfg(feature = "workflow")]
            sessions: Arc::new(SegmentedJournal::sessions(
                dir.clone(),
                blobs.clone(),
                leases.clone(),
                Arc::clone(trace),
            )),
            #[cfg(feature = "backpack")]
            // A session and a backpack may have the same name, so backpacks have leases of their own.
            backpacks: Arc::new(LogJournal::backpacks(
                dir.clone(),
                blobs.clone(),
                new_leases(),
                Arc::clone(trace),
            )),
            blobs: Arc::new(blobs),
            leases: Arc::new(leases),
            index: Arc::new(LocalIndex::new(dir.clone())),
            dir,
        })
    }

    /// Returns the path of the data directory.
    pub fn root(&self) -> &Path {
        self.dir.root()
    }

    /// Returns the directory that the adapters are made over.
    pub fn dir(&self) -> &DataDir {
        &self.dir
    }

    /// Returns the content-addressed store.
    pub fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::clone(&self.blobs) as _
    }

    /// Returns the leases that processes coordinate with.
    pub fn leases(&self) -> Arc<dyn Leases> {
        Arc::clone(&self.leases) as _
    }

    /// Opens a table. All tables are in one database.
    pub fn table(&self, name: &LeaseName) -> Result<Arc<dyn Table>, Error> {
        Ok(Arc::new(LocalTable::open(&self.dir, name)?))
    }

    /// Returns the keys that sign tokens.
    pub fn keys(&self) -> Arc<dyn KeyRing> {
        Arc::new(LocalKeyRing::new(self.dir.clone(), Arc::new(SystemEntropy)))
    }

    /// Returns the index of what can be found, which may be deleted at any time.
    pub fn index(&self) -> Arc<dyn Index> {
        Arc::clone(&self.index) as _
    }

    /// Returns the cache, which may be deleted at any time.
    pub fn cache(&self) -> Arc<dyn Cache> {
        Arc::new(LocalCache::new(self.dir.clone()))
    }

    /// Returns the store of replies for clients that lose their connection.
    pub fn replies(&self) -> Arc<dyn Replies> {
        Arc::new(LocalReplies::new(self.dir.clone()))
    }
}

/// Workflows.
#[cfg(feature = "workflow")]
impl Piton {
    /// Returns the operations on runs: start one, submit an output, replay, fork, rehydrate, bookmark.
    pub fn sessions(&self) -> piton_workflow::session::Sessions {
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        let journal = self.session_journal();
        piton_workflow::session::Sessions::new(journal, self.blobs(), self.keys(), clock, entropy)
    }

    /// Returns the index of every run, for listing runs and finding the one to resume.
    pub fn run_index(&self) -> piton_workflow::run_index::RunIndex {
        let journal = Arc::clone(&self.sessions);
        piton_workflow::run_index::RunIndex::new(journal, self.blobs(), self.index())
    }

    /// Returns the journal of sessions.
    pub fn session_journal(&self) -> Arc<dyn piton_store::port::Journal<SessionEvent>> {
        Arc::clone(&self.sessions) as _
    }
}

/// Backpacks.
#[cfg(feature = "backpack")]
impl Piton {
    /// Opens a backpack for writing, or creates it. Each write is on disk once it is saved.
    ///
    /// There is one writer at a time. A second one is refused at once, with the name of the holder.
    pub async fn backpack(
        &self,
        id: &piton_backpack::BackpackId,
    ) -> Result<JournaledBackpack, piton_backpack::Error> {
        let holder = Holder::new(concat!("piton ", env!("CARGO_PKG_VERSION")))
            .expect("a short word is a holder");
        let (options, ports) = (piton_backpack::Options::default(), self.backpack_ports());
        let opening = JournaledBackpack::open(id, holder, Mode::Durable, options, ports);
        Ok(opening.await?.backpack)
    }

    /// Returns the ports of backpacks, for opening one with other options, following, checking or forking one.
    pub fn backpack_ports(&self) -> JournalPorts {
        let ports = piton_backpack::BackpackPorts {
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        };
        let journal = Arc::clone(&self.backpacks);
        JournalPorts { journal, blobs: Arc::clone(&self.blobs) as _, ports }
    }
}

/// Flows.
#[cfg(feature = "flow")]
impl Piton {
    /// Returns a runner of flows that asks these models and calls these tools.
    pub fn runner(
        models: Arc<dyn piton_models::ModelClient>,
        tools: piton_backpack::flow::Tools,
    ) -> piton_backpack::flow::Runner {
        let ports = piton_backpack::flow::RunnerPorts {
            clock: Arc::new(SystemClock),
            timer: Arc::new(piton_store::local::SystemTimer),
            entropy: Arc::new(SystemEntropy),
        };
        piton_backpack::flow::Runner::new(models, tools, ports)
    }
}

/// Context.
#[cfg(feature = "context")]
impl Piton {
    /// Returns the context of a project directory. Agents that read or write in it see the files as they are now.
    pub fn context(
        &self,
        project: impl AsRef<Path>,
    ) -> Result<piton_context::Context, piton_context::Error> {
        let location = piton_context::ProjectLocation::find(project.as_ref(), None)?;
        Ok(piton_context::Context::new(self.context_ports()?, location).live())
    }

    /// Returns the ports of context: a table of its own, and a directory for the scanners' stamps.
    pub fn context_ports(&self) -> Result<piton_context::ContextPorts, Error> {
        Ok(piton_context::ContextPorts {
            table: self.table(&"context".parse().expect("it is a name"))?,
            blobs: self.blobs(),
            leases: self.leases(),
            clock: Arc::new(SystemClock),
            // Stamps only save work: without the directory, scanners read every file again.
            stamps: private_directory(self.root().join("stamps")),
        })
    }
}

/// Workspaces.
#[cfg(feature = "workspaces")]
impl Piton {
    /// Opens Workspaces, and returns the file operations of an agent in them. Each change is recorded as made by
    /// `actor`.
    ///
    /// If anything is wrong with the Workspaces, every problem is named and nothing is opened.
    pub async fn files(
        &self,
        workspaces: &[piton_workspaces::config::WorkspaceConfig],
        actor: piton_workspaces::Actor,
    ) -> Result<piton_workspaces::Files, piton_workspaces::Error> {
        let ports = self.workspace_ports(None)?;
        let opened = piton_workspaces::config::open(workspaces, &ports)?;
        let kept = &ports.kept;
        let ledgers =
            piton_workspaces::audit::Ledgers::of(&kept.table, &kept.clock, &opened.mounts);
        let workspaces = Arc::new(opened.workspaces);
        // A process that died between a change and its outcome left the record open. It is settled from the files.
        ledgers.recover(&workspaces).await?;
        Ok(piton_workspaces::Files::new(workspaces).recorded(ledgers, actor))
    }

    /// Returns the ports of Workspaces. Virtual Stores that are kept share a table with the sessions; the others live
    /// in memory. Agents may only read `configuration`, and never see the data directory.
    pub fn workspace_ports(
        &self,
        configuration: Option<PathBuf>,
    ) -> Result<piton_workspaces::config::WorkspacePorts, Error> {
        let memory = memory_workspaces(configuration, self.root());
        let kept = piton_workspaces::virtual_store::VirtualPorts {
            table: self.table(&"workflow".parse().expect("it is a name"))?,
            blobs: self.blobs(),
            ..memory.kept.clone()
        };
        Ok(piton_workspaces::config::WorkspacePorts { kept, ..memory })
    }
}

/// Returns ports of Workspaces that keep everything in memory and leave nothing behind.
#[cfg(feature = "workspaces")]
pub fn memory_workspaces(
    configuration: Option<PathBuf>,
    data: &Path,
) -> piton_workspaces::config::WorkspacePorts {
    let memory = piton_workspaces::virtual_store::VirtualPorts {
        table: Arc::new(piton_store::memory::MemoryTable::default()),
        blobs: Arc::new(piton_store::memory::MemoryBlobs::new(Arc::new(SystemClock))),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    piton_workspaces::config::WorkspacePorts {
        kept: memory.clone(),
        memory,
        configuration,
        data: Some(data.to_owned()),
    }
}

/// Creates a directory that only its owner can access. Returns nothing if that fails.
#[cfg(feature = "context")]
fn private_directory(path: PathBuf) -> Option<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;

    /// Read, write and search for the owner; nothing for others.
    const OWNER_ONLY: u32 = 0o700;
    let made = std::fs::DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(&path);
    made.is_ok().then_some(path)
}
