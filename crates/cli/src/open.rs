//! An open data directory, as the commands use it.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use piton_core::port::Trace;
use piton_core::{Envelope, RunId, SessionId};
use piton_mcp::ServerBuilder;
use piton_runtime::config::Configuration;
use piton_runtime::context::AgentId;
use piton_runtime::library::sources;
use piton_runtime::project_env::ProjectDir;
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::RunShown;
use piton_runtime::request::{RunQuery, SessionReference};
use piton_runtime::workspaces::{FileWorld, WorkspacePorts};
use piton_runtime::{Connection, Runtime, Whereabouts};
use tokio::runtime::{Builder, Runtime as Executor};
use tokio::signal::unix::{SignalKind, signal};

use crate::adapters::Adapters;
use crate::app::App;
use crate::data_dir;
use crate::failure::Failure;
use crate::log::CallLogger;
use crate::messages::{CHOOSE_DATA_DIR, START_A_RUN};
use crate::output;

/// An open data directory.
pub(crate) struct Open {
    executor: Executor,
    pub(crate) adapters: Adapters,
    pub(crate) runtime: Arc<Runtime>,
    /// Ports that workspaces are opened with.
    pub(crate) files: WorkspacePorts,
    pub(crate) log: CallLogger,
}

impl Open {
    /// Opens the data directory. Clients act as the context agent `agent`, else as the one that the configuration
    /// names.
    pub(crate) fn new(app: &App, agent: Option<AgentId>) -> Result<Self, Failure> {
        Self::configured(app, app.configuration()?, agent)
    }

    /// Opens the data directory without the project's configuration, whose mistakes must not keep a person out.
    pub(crate) fn outside_projects(app: &App) -> Result<Self, Failure> {
        Self::configured(app, app.configuration()?.outside_projects(), None)
    }

    fn configured(
        app: &App,
        configuration: Configuration,
        agent: Option<AgentId>,
    ) -> Result<Self, Failure> {
        // Refuses a bad location before anything is created in it.
        let root = checked_root(app, &configuration)?;
        let log = CallLogger::new(&root, configuration.settings().log_level(), &app.command);
        let executor = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(Failure::io("start the runtime"))?;
        // Before the data directory is opened: from then on any write may reach the limit.
        survive_file_size_limit(&executor);
        let trace: Arc<dyn Trace> = Arc::new(log.clone());
        let adapters = Adapters::open(&root, &trace);
        let adapters = adapters.map_err(|error| Failure::data_dir(&root, &error))?;
        // The first directory that is opened provides the log of the whole call; one that failed to open leaves no
        // logger behind.
        let log = app.log.get_or_init(|| log).clone();
        let files = adapters.workspaces(configuration.user_dir());
        let runtime = Runtime::new(adapters.ports.clone(), configuration)?
            .with_data_dir(root.clone())
            .with_backpacks(adapters.backpacks.clone())
            .with_frames(adapters.frames.clone(), agent);
        // An import that crashed leaves half a session. That it cannot be removed must not keep every command from
        // working.
        match executor.block_on(runtime.remove_unfinished_imports()) {
            Ok(sessions) => sessions.iter().for_each(|session| log.removed_half(*session)),
            Err(envelope) => log.failed(&envelope),
        }
        Ok(Self { executor, adapters, runtime: Arc::new(runtime), files, log })
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
        // Erased, because the executor would otherwise be compiled once more for each of some 200 commands and steps.
        let work: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(work);
        self.executor.block_on(work)
    }

    /// Runs a future in the background.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.executor.spawn(work);
    }

    /// Ends without waiting for threads that are blocked on a pipe with an idle other end.
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

    /// Returns the path of the data directory.
    pub(crate) fn root(&self) -> &Path {
        self.adapters.root()
    }

    /// Returns a server builder that logs each call of an agent.
    pub(crate) fn offer(&self, files: Option<Arc<FileWorld>>) -> ServerBuilder {
        let offer = ServerBuilder::from(&self.runtime).logged(Arc::new(self.log.clone()));
        match files {
            Some(files) => offer.with_workspaces(files),
            None => offer,
        }
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

    /// Returns the run that was named, or else the most recently active one, and says which one that is.
    pub(crate) fn run_or_latest(
        &self,
        run: Option<SessionReference>,
    ) -> Result<SessionReference, Failure> {
        if let Some(run) = run {
            return Ok(run);
        }
        let query = RunQuery { limit: Some(1), ..RunQuery::default() };
        let page = self.wait(self.runtime.run_page(&query))?;
        let Some(latest) = page.runs.into_iter().next() else {
            return Err(match page.unreadable {
                0 => Failure::refused("There are no runs yet.", START_A_RUN),
                _ => Failure::refused("No run can be read.", "See why: piton session list"),
            });
        };
        output::warn(format_args!("{} is the most recently active run.\n", latest.run.label));
        Ok(SessionReference(latest.run.run_id.to_string()))
    }

    /// Returns the node that was named, or else the current one of the most recently active run.
    pub(crate) fn node_or_latest(
        &self,
        node: Option<NodeReference>,
    ) -> Result<NodeReference, Failure> {
        match node {
            Some(node) => Ok(node),
            None => Ok(NodeReference { run: self.run_or_latest(None)?, node: None }),
        }
    }

    /// Returns the ids of the single run that a reference names.
    pub(crate) fn ids(&self, reference: &SessionReference) -> Result<(SessionId, RunId), Failure> {
        self.run(reference).map(|run| (run.summary.session_id, run.summary.run_id))
    }
}

/// Returns the data directory after checking that it is in a permitted location. One that is searched for workflows
/// is refused: files that Piton writes there would be read as files that people wrote.
pub(crate) fn checked_root(app: &App, configuration: &Configuration) -> Result<PathBuf, Failure> {
    let settings = configuration.settings();
    let root = app.data_dir(&settings)?;
    let project = app.project(&settings)?;
    let project = project.as_ref().map(ProjectDir::path);
    let sources = sources(&settings, configuration.user_dir(), project);
    match data_dir::searched_above(&sources, &root, &app.environment) {
        None => Ok(root),
        Some(source) => Err(Failure::refused(
            format!(
                "The data directory {} is inside {}, which is searched for workflows.",
                app.display_path(&root),
                app.display_path(&source.directory)
            ),
            CHOOSE_DATA_DIR,
        )),
    }
}

/// Turns reaching the file size limit of the process (`ulimit -f`) into an ordinary error. Without a handler, the
/// signal ends the process without a message.
fn survive_file_size_limit(executor: &Executor) {
    // Installing the handler is all: the write itself then fails with an error, so the stream of signals is dropped.
    const SIGXFSZ: i32 = 25;
    // A failure to install it is ignored: everything else still works.
    let _ = executor.block_on(async { signal(SignalKind::from_raw(SIGXFSZ)) });
}
