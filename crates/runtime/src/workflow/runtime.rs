//! The state of a process: the effects that the use cases need, settings, compiled workflows, folded sessions.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_backpack::journal::JournalPorts;
use piton_core::port::{Clock, Entropy};
use piton_core::{Digest, Envelope};
use piton_store::port::{
    BlobReader, Blobs, Cache, EntryChange, Expect, Index, Journal, JournalReader, Key, KeyRing,
    Leases, Table, TableWrite,
};
use piton_workflow::run_index::RunIndex;
use piton_workflow::session::Sessions;
use piton_workflow::{SessionEvent, SessionPorts};

use crate::backpack::SharedBackpacks;
use crate::config::{ConfigProblem, Configuration, Settings, Status};
use crate::connection::{Connection, Whereabouts};
use crate::context::{AgentId, ContextPorts};
use crate::library::{Library, LibraryContents, sources};

/// Key of the digest of the configuration in force, in the table.
const APPLIED_KEY: &str = "runtime/applied_config_hash";

/// The effects that the use cases need. The code that constructs this chooses the adapters.
#[derive(Clone)]
pub struct RuntimePorts {
    /// Sessions.
    pub journal: Arc<dyn Journal<SessionEvent>>,
    /// Content that sessions refer to.
    pub blobs: Arc<dyn Blobs>,
    /// Notes about sessions, and the files of Virtual Stores.
    pub table: Arc<dyn Table>,
    /// Locks between processes.
    pub leases: Arc<dyn Leases>,
    /// Signs and verifies tokens.
    pub keys: Arc<dyn KeyRing>,
    /// What is found of sessions. Can be made again.
    pub index: Arc<dyn Index>,
    /// Shapes of long runs. Can be made again.
    pub cache: Arc<dyn Cache>,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
}

impl RuntimePorts {
    /// Returns the ports of transfer and maintenance.
    pub(super) fn of_sessions(&self) -> SessionPorts<'_> {
        SessionPorts {
            journal: &*self.journal,
            blobs: &*self.blobs,
            table: &*self.table,
            index: &*self.index,
            leases: &*self.leases,
            clock: &*self.clock,
            entropy: &*self.entropy,
        }
    }
}

/// Everything that Piton does for its callers.
pub struct Runtime {
    pub(crate) ports: RuntimePorts,
    pub(crate) sessions: Sessions,
    pub(super) recall: RunIndex,
    pub(super) library: Library,
    /// The configuration when the process started.
    pub(crate) configuration: Configuration,
    /// The settings in force when the process started.
    applied: Settings,
    /// Storage of backpacks, if this process has them.
    pub(crate) backpacks: Option<JournalPorts>,
    /// The backpacks that agents are attached to.
    pub(crate) shared_backpacks: SharedBackpacks,
    /// Storage of context, if this process has it.
    pub(crate) frames: Option<ContextPorts>,
    /// The context agent that clients act as, whatever the configuration says.
    pub(crate) context_agent: Option<AgentId>,
    /// The data directory in use, if storage is on a disk.
    pub(super) data_dir: Option<PathBuf>,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Runtime").finish_non_exhaustive()
    }
}

impl Runtime {
    /// Creates the use cases over `ports`, with the settings of `configuration`.
    pub fn new(ports: RuntimePorts, configuration: Configuration) -> Result<Self, Envelope> {
        let applied =
            configuration.settings_here().map_err(|found| ConfigProblem::envelope(&found))?;
        let sessions = Sessions::new(
            Arc::clone(&ports.journal),
            Arc::clone(&ports.blobs),
            Arc::clone(&ports.keys),
            Arc::clone(&ports.clock),
            Arc::clone(&ports.entropy),
        );
        let journal: Arc<dyn JournalReader<SessionEvent>> = Arc::clone(&ports.journal) as _;
        let blobs: Arc<dyn BlobReader> = Arc::clone(&ports.blobs) as _;
        let recall = RunIndex::new(journal, blobs, Arc::clone(&ports.index))
            .following(sessions.reader().clone());
        Ok(Self {
            ports,
            sessions,
            recall,
            library: Library::default(),
            configuration,
            applied,
            backpacks: None,
            shared_backpacks: SharedBackpacks::default(),
            frames: None,
            context_agent: None,
            data_dir: None,
        })
    }

    /// Returns the runtime with the data directory that its storage is in.
    #[must_use]
    pub fn with_data_dir(self, data_dir: PathBuf) -> Self {
        Self { data_dir: Some(data_dir), ..self }
    }

    /// Returns the runtime with context. Clients act as `agent`, or else as the agent in the configuration.
    #[must_use]
    pub fn with_frames(self, frames: ContextPorts, agent: Option<AgentId>) -> Self {
        Self { frames: Some(frames), context_agent: agent, ..self }
    }

    /// Returns the use cases of one agent.
    pub fn connect(self: &Arc<Self>, whereabouts: Whereabouts) -> Connection {
        Connection::new(Arc::clone(self), whereabouts, true)
    }

    /// Returns the use cases for a single call of an agent about which nothing is known.
    pub fn connect_once(self: &Arc<Self>) -> Connection {
        Connection::new(Arc::clone(self), Whereabouts::default(), false)
    }

    /// Returns the settings in force when the process started.
    pub fn applied(&self) -> &Settings {
        &self.applied
    }

    /// Returns the clock, which gives the time of day and measures waiting.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.ports.clock
    }

    /// Records the digest of the configuration that this process uses. A front end does so when it opens.
    pub async fn note_applied(&self) -> Result<Digest, Envelope> {
        let digest = self.applied().digest();
        let noted = self.ports.table.get(APPLIED_KEY.as_bytes()).await?;
        // Most starts find the same configuration, and then nothing is written.
        if noted.is_some_and(|noted| noted.value == digest.to_string().into_bytes()) {
            return Ok(digest);
        }
        let key: Key = Arc::from(APPLIED_KEY.as_bytes());
        let change = EntryChange::Put(digest.to_string().into_bytes());
        let write = TableWrite { key, expect: Expect::Anything, change };
        self.ports.table.commit(vec![write]).await?;
        Ok(digest)
    }

    /// Compares the current settings with those in force when the process started.
    pub fn status(&self) -> Result<Status, Envelope> {
        let desired = self.configuration.reload().and_then(|fresh| fresh.settings_here());
        let desired = desired.map_err(|found| ConfigProblem::envelope(&found))?;
        Ok(Status::of(&desired, &self.applied))
    }

    /// Returns the settings for a project: those from the start of the process, except for settings that take effect at
    /// once.
    pub(crate) fn settings_for(
        &self,
        project: Option<&Path>,
    ) -> Result<Settings, Vec<ConfigProblem>> {
        let of = |configuration: &Configuration| match project {
            Some(project) => configuration.settings_for(project),
            None => Ok(configuration.settings()),
        };
        Ok(of(&self.configuration)?.with_live(&of(&self.configuration.reload()?)?))
    }

    /// Returns the workflows available to a project.
    pub(crate) fn library_contents(
        &self,
        settings: &Settings,
        project: Option<&Path>,
    ) -> LibraryContents {
        self.library.contents(&sources(settings, self.configuration.user_dir(), project))
    }
}
