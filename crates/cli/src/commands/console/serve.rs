//! The console's server: its sandbox, its project and its port.
#![expect(
    clippy::disallowed_methods,
    reason = "identifies the program, creates a directory, and waits for the end of a pipe"
)]

use std::env;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::UNIX_EPOCH;

use piton_console::entrance::Person;
use piton_console::{Console, ConsolePorts, ConsoleProject, Listener};
use piton_core::{Digest, Envelope, FileBytes};
use piton_runtime::ChangedPart;
use piton_runtime::config::{Configuration, SettingKey, SettingSource, Settings};
use piton_runtime::library::{PROJECT_WORKFLOWS, sources};
use piton_runtime::project_env::{ProjectDir, project_dir};
use piton_runtime::workspaces::JoinedWorkspaces;
use serde::Serialize;
use tokio::sync::oneshot;

use super::command::ConsoleOptions;
use super::link::{CONSOLE, address, entrance};
use super::page::PageOpener;
use crate::adapters::{SystemClock, SystemEntropy, WatchedPlace};
use crate::app::{App, Outcome};
use crate::bounds::CONSOLE_PORTS_TRIED;
use crate::commands::backpack::backpacks;
use crate::commands::server_notice::{ServerNotice, ServerTurn};
use crate::commands::stop;
use crate::commands::workspace::{WorkspaceArguments, sandbox};
use crate::demo::LiveDemo;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::open::Open;
use crate::output;

/// Reply for a program: the console that this process starts, or the one that is already running. It has no key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleAnnouncement<'a> {
    #[serde(flatten)]
    console: &'a ServerNotice,
    data_dir: &'a Path,
    /// Set if another process serves this data directory.
    was_running: bool,
}

/// Serves the console until a signal, or the end of standard input, ends it.
pub(super) fn run(app: &App, options: &ConsoleOptions) -> Outcome {
    let configuration = app.configuration()?;
    let settings = configuration.settings_here().map_err(Failure::Configuration)?;
    let public = settings.console_public_url().map(str::parse).transpose()?;
    let projects = projects(app, &settings, options)?;
    let none = WorkspaceArguments::default();
    let declared = projects.iter().map(|project| none.declared_in(app, Some(project)));
    let declared = declared.collect::<Result<Vec<_>, _>>()?;
    let root = app.data_dir(&settings)?;
    // Before the sandbox, which keeps this process from starting any other.
    let opener = options.open.then(|| PageOpener::start(&root)).transpose()?;
    // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
    make_user_dir(&configuration);
    let mut writable = editable(&configuration, &settings, &projects);
    writable.extend(declared.iter().flat_map(below_overlays));
    sandbox::put_up_console(&root, &declared, writable)?;
    let open = app.open()?;
    let lease = match ServerTurn::take(&open, CONSOLE)? {
        ServerTurn::Free(lease) => lease,
        ServerTurn::Running(notice) => {
            announce(app, &open, options, &notice, true)?;
            let _shown = show(&open, opener, &notice.url)?;
            return Ok(CommandEnding::Done);
        }
    };
    let watched = watched(&configuration, &settings, &projects);
    let here = app.environment.working_dir.as_deref();
    let projects = projects.iter().zip(declared).map(|(project, declared)| ConsoleProject {
        directory: project.path().to_owned(),
        files: WorkspaceArguments::open(&open, declared).unwrap_or_else(|failure| {
            let (name, why) = (project.text(), failure.envelope().message);
            output::warn(format_args!("Note: the console shows no Workspaces of {name}. {why}"));
            None
        }),
        // A project without usable context is no error: everything else is shown.
        frames: open.runtime.frames(Some(project), here).ok(),
    });
    let projects = projects.collect();
    let console = Console::new(ConsolePorts {
        runtime: Arc::clone(&open.runtime),
        backpacks: backpacks(&open),
        projects,
        table: open.adapters.console_table()?,
        changes: open.adapters.changes(watched),
        demo: Some(Arc::new(LiveDemo::new(&open))),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        person: os_user(app),
        machine: app.machine_paths(open.root()),
        program: program_digest(),
    });
    // Only the holder of the lease binds a port, so two starts on one data directory do not race for it.
    let listener = open.wait(listen(&settings, options.port))?;
    let notice = ServerNotice { pid: process::id(), url: format!("http://{}", listener.address()) };
    let posted = notice.post(open.root(), CONSOLE)?;
    // Handlers are installed before the text that promises Ctrl-C is printed: a program that reads it may send a
    // signal.
    let signals = open.wait(async { stop::signals() })?;
    let ended = options.beside.then(input_ended);
    let stop = async move {
        match ended {
            Some(ended) => tokio::select! {
                () = signals => {}
                _ = ended => {}
            },
            None => signals.await,
        }
    };
    announce(app, &open, options, &notice, false)?;
    let shown = show(&open, opener, &notice.url)?;
    open.log.began();
    open.block_on(piton_console::serve(listener, console, public, stop));
    // The notice goes before the lease (a tuple drops in order): the next console's notice is never removed by this one.
    drop((shown, posted, lease));
    open.leave();
    Ok(CommandEnding::Done)
}

/// Says where the console is.
fn announce(
    app: &App,
    open: &Open,
    options: &ConsoleOptions,
    notice: &ServerNotice,
    was_running: bool,
) -> Result<(), Failure> {
    let announcement = ConsoleAnnouncement { console: notice, data_dir: open.root(), was_running };
    if options.beside {
        return output::line(&announcement);
    }
    let address = address(app, open, &notice.url)?;
    if was_running {
        let pid = notice.pid;
        writeln!(app.output, "The console of this data directory already runs (process {pid}):\n");
    }
    app.output.advise(format_args!("  Console    {address}"));
    if address.contains("/#") {
        app.output.print("\nThe link lets one browser in, once, within ten minutes.");
    }
    if !was_running {
        app.output.print("Ctrl-C stops.");
    }
    app.output.reply("piton.console/1", &announcement)
}

fn show(
    open: &Open,
    opener: Option<PageOpener>,
    url: &str,
) -> Result<Option<super::page::ShownPage>, Failure> {
    let Some(opener) = opener else { return Ok(None) };
    let key = open.wait(entrance(open)?.issue_key())?;
    opener.show(&format!("{url}/#{}", key.reveal())).map(Some)
}

/// Returns the named projects, or the one here.
fn projects(
    app: &App,
    settings: &Settings,
    options: &ConsoleOptions,
) -> Result<Vec<ProjectDir>, Failure> {
    if options.projects.is_empty() {
        return Ok(app.project(settings)?.into_iter().collect());
    }
    let named = options.projects.iter().map(|named| {
        let base = app.environment.working_dir.as_deref().unwrap_or(Path::new("/"));
        let directory = base.join(named);
        project_dir(None, [directory.as_path()])?.ok_or_else(|| {
            let what = format!("The project {} is not a directory.", named.display());
            Failure::refused(what, "Check the path after --project.")
        })
    });
    named.collect()
}

/// Returns the directories that a person may edit in the console: of workflows, and of the configuration.
fn editable(
    configuration: &Configuration,
    settings: &Settings,
    projects: &[ProjectDir],
) -> Vec<PathBuf> {
    let user_dir = configuration.user_dir();
    let mut directories: Vec<PathBuf> = user_dir.map(Path::to_owned).into_iter().collect();
    directories.extend(sources(settings, user_dir, None).into_iter().map(|one| one.directory));
    for project in projects {
        // The directory above, so that the first workflow of a project can be saved.
        let workflows = project.path().join(PROJECT_WORKFLOWS);
        directories.extend(workflows.parent().map(Path::to_owned));
        directories.push(workflows);
    }
    directories
}

/// Creates the user's configuration directory, because the sandbox admits only what exists: without it, the first setting
/// or workflow of a user could not be saved. Where it cannot be created, saving says why.
fn make_user_dir(configuration: &Configuration) {
    if let Some(directory) = configuration.user_dir() {
        let _ = fs::create_dir_all(directory);
    }
}

/// Returns the directories that lie below overlays: a person applies changes to them, whatever scope agents have there.
fn below_overlays(declared: &JoinedWorkspaces) -> Vec<PathBuf> {
    let all = || declared.workspaces.iter().map(|(config, _)| config);
    let lower = all().filter_map(|config| config.over.as_ref());
    let lower = lower.filter_map(|over| all().find(|config| config.prefix == *over));
    lower.filter_map(|config| config.directory.clone()).collect()
}

/// Returns the places around the data directory whose changes a page hears of.
fn watched(
    configuration: &Configuration,
    settings: &Settings,
    projects: &[ProjectDir],
) -> Vec<WatchedPlace> {
    let user_dir = configuration.user_dir();
    let place = |part, directory, file: Option<&str>| WatchedPlace {
        part,
        directory,
        file: file.map(str::to_owned),
    };
    let mut places: Vec<WatchedPlace> = Vec::new();
    let user =
        user_dir.map(|dir| place(ChangedPart::Settings, dir.to_owned(), Some("config.toml")));
    places.extend(user);
    for project in projects.iter().map(ProjectDir::path) {
        places.push(place(ChangedPart::Settings, project.to_owned(), Some("piton.toml")));
        let own = project.join(PROJECT_WORKFLOWS);
        places.push(place(ChangedPart::Workflows, own, None));
    }
    let shared = sources(settings, user_dir, None).into_iter();
    places.extend(shared.map(|one| place(ChangedPart::Workflows, one.directory, None)));
    places
}

/// Listens on the chosen port. If another process has the default one, the next free one is used.
async fn listen(settings: &Settings, chosen: Option<u16>) -> Result<Listener, Envelope> {
    let port = chosen.unwrap_or(settings.console_port());
    let held = settings.get(SettingKey::ConsolePort);
    let is_chosen =
        chosen.is_some() || held.is_some_and(|held| held.place != SettingSource::Default);
    // A port that the user chose is never replaced by another.
    let last = if is_chosen { port } else { port.saturating_add(CONSOLE_PORTS_TRIED) };
    for port in port..=last {
        if let Some(listener) = Listener::bind(port).await? {
            return Ok(listener);
        }
    }
    let any = if is_chosen { None } else { Listener::bind(0).await? };
    any.ok_or_else(|| {
        let message = format!("Another program listens on port {port} of this machine.");
        Envelope::new(piton_core::Code::ValidationError, message)
            .with_suggestion("Choose a port that is free with --port; 0 takes any.")
    })
}

/// Returns a future that is ready when standard input ends: when the process at its other end is gone.
fn input_ended() -> oneshot::Receiver<()> {
    let (ended, receiver) = oneshot::channel();
    // A thread of its own: reading a pipe blocks, and nothing else ends the read.
    thread::spawn(move || {
        let mut bytes = [0; 64];
        while io::stdin().lock().read(&mut bytes).is_ok_and(|count| count > 0) {}
        let _ = ended.send(());
    });
    receiver
}

/// Returns the name of the user of the machine, for decisions of people who give none.
fn os_user(app: &App) -> Person {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| app.environment.variable(name));
    let person = named.and_then(Person::new).or_else(|| Person::new("a person at the console"));
    person.expect("five words are a name")
}

/// Returns the identity of this program: its version, and the size and time of its file.
fn program_digest() -> Digest {
    let file = env::current_exe().and_then(|path| path.metadata());
    let stamp = file.and_then(|file| {
        let since = file.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok((file.len(), since.as_nanos()))
    });
    let text = format!("{} {:?}", env!("CARGO_PKG_VERSION"), stamp.ok());
    Digest::of(&FileBytes(text.as_bytes()))
}
