//! An open data directory: the one place that names the adapters of the use cases.

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
    context::{AgentId, FramePorts},
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
    /// What Workspaces are opened with.
    pub(crate) files: WorkspacePorts,
    pub(crate) log: CallLogger,
}

impl Open {
    pub(crate) fn new(app: &App) -> Result<Self, Failure> {
        Self::serving(app, None)
    }

    /// The same; clients act as the agent of context that is named, else as whom the configuration names.
    pub(crate) fn serving(app: &App, context: Option<AgentId>) -> Result<Self, Failure> {
        let configuration = app.configuration()?;
        let settings = configuration.settings();
        let root = checked_root(app, &configuration)?;
        let log = CallLogger::new(&root, settings.log_level(), &app.command);
        let executor = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(Failure::io("start the runtime"))?;
        survive_file_size_limit(&executor);
        let at_root = |source| Failure::DataDir { path: root.clone(), source };
        let dir = DataDir::open(&root).map_err(at_root)?;
        let ports = ports(&dir, &log).map_err(at_root)?;
        let log = app.log.get_or_init(|| log).clone();
        let removed = executor.block_on(remove_unfinished(transfer_ports(&ports)));
        // What one import left half must not keep every command from working.
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

    /// Waits for a use case.
    pub(crate) fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, Envelope>>,
    ) -> Result<T, Failure> {
        Ok(self.block_on(work)?)
    }

    /// Waits for anything else.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.executor.block_on(work)
    }

    /// Does something beside whatever is waited for.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.executor.spawn(work);
    }

    /// Ends without waiting for threads that read or write a pipe whose other end does nothing.
    pub(crate) fn leave(self) {
        self.executor.shutdown_background();
    }

    /// Notes which configuration is in force. A server is worth more than the note: a damaged table keeps no agent from
    /// its runs.
    pub(crate) fn note_applied(&self) {
        if let Err(envelope) = self.block_on(self.runtime.note_applied()) {
            self.log.failed(&envelope);
        }
    }

    /// Where replies are kept for clients that lose their connection.
    pub(crate) fn replies(&self) -> Arc<dyn Replies> {
        Arc::new(LocalReplies::new(self.dir.clone()))
    }

    /// The data directory.
    pub(crate) fn root(&self) -> &Path {
        self.dir.root()
    }

    /// What agents are offered, with a line in the log for each of their calls.
    pub(crate) fn offer(&self, files: Option<Arc<FileWorld>>) -> ServerBuilder {
        let offer = ServerBuilder::from(&self.runtime).logged(Arc::new(self.log.clone()));
        match files {
            Some(files) => offer.with_files(files),
            None => offer,
        }
    }

    /// How the file of the tables is.
    pub(crate) fn table_status(&self) -> Result<TableStatus, piton_store::Error> {
        let name = "workflow".parse().expect("it is a name");
        let table = LocalTable::open(&self.dir, &name)?;
        self.block_on(table.status())
    }

    /// Damaged keys, tables and blobs that repairs keep.
    pub(crate) fn damaged(&self) -> Result<Vec<DamagedKept>, piton_store::Error> {
        list_damaged(&self.dir)
    }

    /// Whether there are keys that sign tokens.
    pub(crate) fn has_keys(&self) -> bool {
        crate::files::exists(&self.root().join("keys/keyring.json"))
    }

    /// Whether there is a session.
    pub(crate) fn has_sessions(&self) -> bool {
        crate::files::has_entries(&self.root().join("sessions"))
    }

    /// What is stored by content.
    pub(crate) fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::clone(&self.files.kept.blobs)
    }

    /// Where backpacks are kept.
    pub(crate) fn backpacks(&self) -> JournalPorts {
        backpacks(&self.dir, &self.log)
    }

    /// The use cases of somebody who works where the process was started.
    pub(crate) fn connect(&self, app: &App) -> Connection {
        let working_dir = app.environment.working_dir.clone();
        self.runtime.connect(Whereabouts { working_dir, ..Whereabouts::default() })
    }

    /// The one run that a person means.
    pub(crate) fn run(&self, reference: &SessionReference) -> Result<RunShown, Failure> {
        let shown = self.wait(self.runtime.show_session(reference))?;
        self.log.about(shown.session_id);
        let count = shown.runs.len();
        let mut runs = shown.runs.into_iter();
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

    /// The ids of the one run that a person means.
    pub(crate) fn ids(&self, reference: &SessionReference) -> Result<(SessionId, RunId), Failure> {
        self.run(reference).map(|run| (run.summary.session_id, run.summary.run_id))
    }
}

/// The data directory, if it may be where it is.
pub(crate) fn checked_root(app: &App, configuration: &Configuration) -> Result<PathBuf, Failure> {
    let settings = configuration.settings();
    let root = app.data_dir(&settings)?;
    let project = app.project(&settings)?;
    let project = project.as_ref().map(ProjectDir::path);
    let sources = sources(&settings, configuration.user_dir(), project);
    data_dir::outside_of(&sources, &root, &app.environment)?;
    Ok(root)
}

/// What Workspaces are opened with to see whether they can be: what is kept is kept in memory.
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

/// Makes a file that reaches the limit of the process (`ulimit -f`) an error like any other: unless somebody listens, the
/// signal about it ends the process without a word.
fn survive_file_size_limit(executor: &tokio::runtime::Runtime) {
    const SIGXFSZ: i32 = 25;
    // Where it cannot be listened for, everything else works all the same.
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

/// Where backpacks are kept.
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

/// Where context is kept: a table of its own, and beside it what scanners remember.
fn frame_ports(dir: &DataDir, ports: &RuntimePorts) -> Result<FramePorts, piton_store::Error> {
    let name = "context".parse().expect("it is a name");
    Ok(FramePorts {
        table: Arc::new(LocalTable::open(dir, &name)?),
        blobs: Arc::clone(&ports.blobs),
        leases: Arc::clone(&ports.leases),
        clock: Arc::clone(&ports.clock),
        stamps: crate::files::make_directory(&dir.root().join("stamps")).ok(),
    })
}

/// Virtual Stores that are kept live beside what is noted about sessions; the others in memory.
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
