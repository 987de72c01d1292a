//! An open data directory: the only place that names the adapters of the use cases.

use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
};

use piton_backpack::journal::JournalPorts;
use piton_core::{
    Envelope, RunId, SessionId,
    port::{Clock, Trace},
};
use piton_mcp::ServerBuilder;
use piton_runtime::{
    Connection, Runtime, RuntimePorts, Whereabouts,
    config::Configuration,
    context::{AgentId, ContextPorts},
    library::sources,
    project_env::ProjectDir,
    reply::RunShown,
    request::SessionReference,
    workspaces::{FileWorld, VirtualPorts, WorkspacePorts},
};
use piton_store::{
    local::{
        DamagedKept, DataDir, LocalBlobs, LocalCache, LocalKeyRing, LocalLeases, LocalReplies,
        LocalTable, LogJournal, SegmentedJournal, SystemClock, SystemEntropy, TableStatus,
        list_damaged,
    },
    memory::{MemoryBlobs, MemoryTable},
    port::{Blobs, Leases, Replies, Table},
};
use piton_workflow::transfer::{self, remove_unfinished};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use crate::{app::App, data_dir, failure::Failure, log::CallLogger};

/// An open data directory.
pub(crate) struct Open {
    executor: tokio::runtime::Runtime,
    dir: DataDir,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) leases: Arc<dyn Leases>,
    /// Ports that workspaces are opened with.
    pub(crate) files: WorkspacePorts,
    pub(crate) log: CallLogger,
}

impl Open {
    pub(crate) fn new(app: &App) -> Result<Self, Failure> {
        Self::serving(app, None)
    }

    /// Opens the data directory. Clients act as the context agent `context`, else as the one that the configuration
    /// names.
    pub(crate) fn serving(app: &App, context: Option<AgentId>) -> Result<Self, Failure> {
        let configuration = app.configuration()?;
        let settings = configuration.settings();
        // Refuses a bad location before anything is created in it.
        let root = checked_root(app, &configuration)?;
        let log = CallLogger::new(&root, settings.log_level(), &app.command);
        let executor = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(Failure::io("start the runtime"))?;
        // Before the data directory is opened: from then on any write may reach the limit.
        survive_file_size_limit(&executor);
        let at_root = |source| Failure::DataDir { path: root.clone(), source };
        let dir = DataDir::open(&root).map_err(at_root)?;
        let ports = ports(&dir, &log).map_err(at_root)?;
        // The first directory that is opened provides the log of the whole call; one that failed to open leaves no
        // logger behind.
        let log = app.log.get_or_init(|| log).clone();
        let removed = executor.block_on(remove_unfinished(transfer_ports(&ports)));
        // An import that crashed leaves half a session. That it cannot be removed must not keep every command from
        // working.
        match removed {
            Ok(sessions) => sessions.iter().for_each(|session| log.removed_half(*session)),
            Err(error) => log.failed(&error.envelope()),
        }
        let leases = Arc::clone(&ports.leases);
        let backpacks = backpacks(&dir, &log);
        let frames = frame_ports(&dir, &ports).map_err(at_root)?;
        let user_dir = configuration.user_dir().map(Path::to_owned);
        let files = file_ports(&ports, user_dir, root.clone());
        let runtime = Runtime::new(ports, configuration)?;
        let runtime = runtime.with_backpacks(backpacks).with_frames(frames, context);
        let runtime = Arc::new(runtime);
        Ok(Self { executor, dir, runtime, leases, files, log })
    }

    /// Runs a use case to its end.
    pub(crate) fn wait<T, E: Into<Envelope>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        self.block_on(work).map_err(|error| error.into().into())
    }

    /// Runs any other future to its end.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.executor.block_on(work)
    }

    /// Runs a future in the background.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.executor.spawn(work);
    }

    /// Ends without waiting for threads that are blocked on a pipe whose other end is idle.
    pub(crate) fn leave(self) {
        // A drop would wait for blocking reads of standard input, which end only when the client closes it.
        self.executor.shutdown_background();
    }

    /// Records which configuration is in force. A failure is only logged: a damaged table must keep no agent from its
    /// runs.
    pub(crate) fn note_applied(&self) {
        if let Err(envelope) = self.block_on(self.runtime.note_applied()) {
            self.log.failed(&envelope);
        }
    }

    /// Returns the store of replies for clients that lose their connection.
    pub(crate) fn replies(&self) -> Arc<dyn Replies> {
        Arc::new(LocalReplies::new(self.dir.clone()))
    }

    /// Returns the path of the data directory.
    pub(crate) fn root(&self) -> &Path {
        self.dir.root()
    }

    /// Returns a server builder that logs each call of an agent.
    pub(crate) fn offer(&self, files: Option<Arc<FileWorld>>) -> ServerBuilder {
        let offer = ServerBuilder::from(&self.runtime).logged(Arc::new(self.log.clone()));
        match files {
            Some(files) => offer.with_workspaces(files),
            None => offer,
        }
    }

    /// Returns the status of the table file.
    pub(crate) fn table_status(&self) -> Result<TableStatus, piton_store::Error> {
        // The status is about the file that all tables share, so any of their names will do.
        let name = "workflow".parse().expect("it is a name");
        let table = LocalTable::open(&self.dir, &name)?;
        self.block_on(table.status())
    }

    /// Lists the damaged keys, tables and blobs that repairs kept.
    pub(crate) fn damaged(&self) -> Result<Vec<DamagedKept>, piton_store::Error> {
        list_damaged(&self.dir)
    }

    /// True if there are keys that sign tokens.
    pub(crate) fn has_keys(&self) -> bool {
        crate::files::exists(&self.root().join("keys/keyring.json"))
    }

    /// True if there is at least one session.
    pub(crate) fn has_sessions(&self) -> bool {
        crate::files::has_entries(&self.root().join("sessions"))
    }

    /// Returns the content-addressed store.
    pub(crate) fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::clone(&self.files.kept.blobs)
    }

    /// Returns the ports of the backpack journal.
    pub(crate) fn backpacks(&self) -> JournalPorts {
        backpacks(&self.dir, &self.log)
    }

    /// Connects a client that works where this process was started.
    pub(crate) fn connect(&self, app: &App) -> Connection {
        let working_dir = app.environment.working_dir.clone();
        self.runtime.connect(Whereabouts { working_dir, ..Whereabouts::default() })
    }

    /// Returns the single run that a reference names.
    pub(crate) fn run(&self, reference: &SessionReference) -> Result<RunShown, Failure> {
        let shown = self.wait(self.runtime.show_session(reference))?;
        // Attributes the log of this call to the session, even if the lookup fails below.
        self.log.about(shown.session_id);
        let count = shown.runs.len();
        let mut runs = shown.runs.into_iter();
        // A reference to a session is a reference to its run only if it has exactly one.
        match (runs.next(), runs.next()) {
            (Some(run), None) => Ok(run),
            _ => Err(Failure::refused(
                format!("The session {} has {count} runs.", shown.session_id),
                format!(
                    "Name the run that you mean by its id; `piton session show {}` lists them.",
                    shown.session_id
                ),
            )),
        }
    }

    /// Returns the ids of the single run that a reference names.
    pub(crate) fn ids(&self, reference: &SessionReference) -> Result<(SessionId, RunId), Failure> {
        self.run(reference).map(|run| (run.summary.session_id, run.summary.run_id))
    }
}

/// Returns the data directory after checking that it is in a permitted location.
pub(crate) fn checked_root(app: &App, configuration: &Configuration) -> Result<PathBuf, Failure> {
    let settings = configuration.settings();
    let root = app.data_dir(&settings)?;
    let project = app.project(&settings)?;
    let project = project.as_ref().map(ProjectDir::path);
    let sources = sources(&settings, configuration.user_dir(), project);
    data_dir::outside_of(&sources, &root, &app.environment)?;
    Ok(root)
}

/// Returns ports for a trial opening of workspaces. Everything is kept in memory, so the trial leaves nothing behind.
pub(crate) fn trial_ports(configuration: &Configuration, root: &Path) -> WorkspacePorts {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ports = VirtualPorts {
        table: Arc::new(MemoryTable::default()),
        blobs: Arc::new(MemoryBlobs::new(Arc::clone(&clock))),
        clock,
        entropy: Arc::new(SystemEntropy),
    };
    WorkspacePorts {
        kept: ports.clone(),
        memory: ports,
        configuration: configuration.user_dir().map(Path::to_owned),
        data: Some(root.to_owned()),
    }
}

/// Turns reaching the file size limit of the process (`ulimit -f`) into an ordinary error. Without a handler, the
/// signal ends the process without a message.
fn survive_file_size_limit(executor: &tokio::runtime::Runtime) {
    // Installing the handler is all: the write itself then fails with an error, so the stream of signals is dropped.
    const SIGXFSZ: i32 = 25;
    // A failure to install it is ignored: everything else still works.
    let _ = executor.block_on(async { signal(SignalKind::from_raw(SIGXFSZ)) });
}

fn ports(dir: &DataDir, log: &CallLogger) -> Result<RuntimePorts, piton_store::Error> {
    let trace: Arc<dyn Trace> = Arc::new(log.clone());
    let clock = Arc::new(SystemClock);
    let leases = LocalLeases::new(dir.clone(), Arc::clone(&clock) as _, Arc::clone(&trace));
    let blobs = LocalBlobs::new(dir.clone());
    let journal =
        SegmentedJournal::sessions(dir.clone(), blobs.clone(), leases.clone(), Arc::clone(&trace));
    let name = "workflow".parse().expect("it is a name");
    Ok(RuntimePorts {
        journal: Arc::new(journal),
        blobs: Arc::new(blobs) as Arc<dyn Blobs>,
        table: Arc::new(LocalTable::open(dir, &name)?),
        leases: Arc::new(leases),
        keys: Arc::new(LocalKeyRing::new(dir.clone(), Arc::new(SystemEntropy))),
        cache: Arc::new(LocalCache::new(dir.clone())),
        clock,
        entropy: Arc::new(SystemEntropy),
    })
}

/// Builds the ports of the backpack journal.
fn backpacks(dir: &DataDir, log: &CallLogger) -> JournalPorts {
    let trace: Arc<dyn Trace> = Arc::new(log.clone());
    let leases = LocalLeases::new(dir.clone(), Arc::new(SystemClock), Arc::clone(&trace));
    let blobs = LocalBlobs::new(dir.clone());
    let journal = LogJournal::backpacks(dir.clone(), blobs.clone(), leases, trace);
    let ports = piton_backpack::BackpackPorts {
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    JournalPorts { journal: Arc::new(journal), blobs: Arc::new(blobs), ports }
}

/// Builds the ports of context: a table of its own, and a directory for the scanners' stamps.
fn frame_ports(dir: &DataDir, ports: &RuntimePorts) -> Result<ContextPorts, piton_store::Error> {
    let name = "context".parse().expect("it is a name");
    Ok(ContextPorts {
        table: Arc::new(LocalTable::open(dir, &name)?),
        blobs: Arc::clone(&ports.blobs),
        leases: Arc::clone(&ports.leases),
        clock: Arc::clone(&ports.clock),
        // Stamps only save work: without the directory, scanners read every file again.
        stamps: crate::files::make_directory(&dir.root().join("stamps")).ok(),
    })
}

/// Builds the ports of workspaces: Virtual Stores that are kept share the table of the sessions, the others live in
/// memory.
fn file_ports(
    ports: &RuntimePorts,
    configuration: Option<PathBuf>,
    data: PathBuf,
) -> WorkspacePorts {
    let of = |table: Arc<dyn Table>, blobs: Arc<dyn Blobs>| VirtualPorts {
        table,
        blobs,
        clock: Arc::clone(&ports.clock),
        entropy: Arc::clone(&ports.entropy),
    };
    let blobs = Arc::new(MemoryBlobs::new(Arc::clone(&ports.clock)));
    WorkspacePorts {
        kept: of(Arc::clone(&ports.table), Arc::clone(&ports.blobs)),
        memory: of(Arc::new(MemoryTable::default()), blobs),
        configuration,
        data: Some(data),
    }
}

fn transfer_ports(ports: &RuntimePorts) -> transfer::TransferPorts<'_> {
    transfer::TransferPorts {
        journal: &*ports.journal,
        blobs: &*ports.blobs,
        table: &*ports.table,
        clock: &*ports.clock,
        entropy: &*ports.entropy,
    }
}
