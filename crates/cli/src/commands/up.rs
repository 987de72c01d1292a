//! `piton up`: serves agents over HTTP.
//!
//! *Invariants*: at most one process serves a data directory. The console beside it has a process of its own, which is
//! started before the sandbox goes up, and ends with this one.

use std::net::SocketAddr;
use std::path::Path;
use std::process;

use piton_core::Envelope;
use piton_mcp::bounds::SHUTDOWN_WAIT;
use piton_mcp::http::PATH;
use piton_mcp::{Listener, Stopped, Token, serve_http};
use piton_runtime::config::{SettingKey, SettingSource, Settings};
use piton_runtime::reply::ListedWorkflows;
use piton_runtime::request::ListWorkflows;
use piton_runtime::workflow::SourceKind;
use serde::Serialize;

use super::console::ConsoleBeside;
use super::mcp::McpClient;
use super::server_notice::{ServerNotice, ServerTurn};
use super::stop;
use super::workspace::{WorkspaceArguments, sandbox};
use crate::app::{App, Outcome};
use crate::bounds::{PORTS_TRIED, TOKEN_FILE_BYTES_MAX};
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::files;
use crate::messages::CONNECT;
use crate::open::Open;

/// Reply for a program: the server that this process starts, or the one that is already running.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerAnnouncement<'a> {
    #[serde(flatten)]
    server: &'a ServerNotice,
    data_dir: &'a Path,
    /// Set if another process serves this data directory.
    was_running: bool,
}

/// Serves agents until a signal ends it.
pub(crate) fn run(app: &App, chosen: &WorkspaceArguments) -> Outcome {
    let declared = chosen.declared(app)?;
    let settings = app.configuration()?.settings_here().map_err(Failure::Configuration)?;
    // Asked before anything else: the sandbox, and opening the directory, create it.
    let is_new = !files::exists(&app.data_dir(&settings)?);
    // Before the sandbox, which keeps this process from starting any other.
    let console = ConsoleBeside::start(app);
    // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
    sandbox::put_up(app, &declared)?;
    // A bad token file ends the command before it takes the lease.
    let token = token(&settings)?;
    let open = app.open()?;
    let lease = match ServerTurn::take(&open, "up")? {
        ServerTurn::Free(lease) => lease,
        ServerTurn::Running(notice) => return report_running(app, &open, &notice),
    };
    let offer = open.offer(WorkspaceArguments::open(&open, declared)?);
    open.note_applied();
    // Only the holder of the lease binds a port, so two starts on one data directory do not race for it.
    let listener = open.wait(listen(&settings, token))?;
    let url = format!("http://{}{PATH}", listener.address());
    let notice = ServerNotice { pid: process::id(), url };
    // The notice follows the bind, since only then is the port known. Both guards live until the server has ended.
    let posted = notice.post(open.root(), "up")?;
    let listed = open.connect(app).list_workflows(&ListWorkflows::default())?;
    // Handlers are installed before the text that promises Ctrl-C is printed: a program that reads it may send a
    // signal.
    let stop = open.wait(async { stop::signals() })?;
    let console = console.address(app, &open);
    say_opening(
        app,
        open.root(),
        is_new,
        &console.text,
        &notice,
        settings.http_token_file(),
        &listed,
    );
    let server = ServerAnnouncement { server: &notice, data_dir: open.root(), was_running: false };
    app.output.reply("piton.up/1", &server)?;
    open.log.began();
    let stop = async {
        stop.await;
        let seconds = SHUTDOWN_WAIT.as_secs();
        writeln!(
            app.output,
            "Stopping. Calls in progress have {seconds} s to end; new ones are refused."
        );
    };
    // Returns once no call is left, or once those that were left had their time.
    let replies = open.adapters.replies();
    let stopped = open.block_on(serve_http(listener.keeping(replies), offer, stop));
    // The notice goes before the lease (a tuple drops in order): the next server's notice is never removed by this
    // one.
    drop((console, posted, lease));
    say_stopped(app, stopped);
    Ok(CommandEnding::Done)
}

/// Reports the server that is already running.
fn report_running(app: &App, open: &Open, notice: &ServerNotice) -> Outcome {
    writeln!(
        app.output,
        "Piton already serves this data directory, at {} (process {}).",
        notice.url, notice.pid
    );
    app.output.advise(CONNECT);
    let server = ServerAnnouncement { server: notice, data_dir: open.root(), was_running: true };
    app.output.finish("piton.up/1", &server)
}

/// Listens on the address and port of the settings. If another process has the default port, the next free one after
/// it is used.
async fn listen(settings: &Settings, token: Option<Token>) -> Result<Listener, Envelope> {
    let (address, port) = settings.http();
    // A port that the user chose is never replaced by another: clients are configured with it.
    let is_chosen =
        settings.get(SettingKey::HttpPort).is_some_and(|held| held.place != SettingSource::Default);
    let last = if is_chosen { port } else { port.saturating_add(PORTS_TRIED) };
    // The first problem is about the port that was meant, so it is the one to report.
    let mut first_problem = None;
    for port in port..=last {
        match Listener::bind(SocketAddr::new(address, port), token.clone()).await {
            Ok(listener) => return Ok(listener),
            Err(problem) => first_problem.get_or_insert(problem),
        };
    }
    Err(first_problem.expect("at least one port was tried"))
}

/// Reads the token that callers must send, if a token file is configured.
fn token(settings: &Settings) -> Result<Option<Token>, Failure> {
    let Some(file) = settings.http_token_file() else { return Ok(None) };
    let text = files::read_text(file, TOKEN_FILE_BYTES_MAX)?;
    Ok(Some(Token::parse(&text)?))
}

/// Prints the opening text. `token` is the file with the token that callers have to send.
fn say_opening(
    app: &App,
    root: &Path,
    is_new: bool,
    console: &str,
    notice: &ServerNotice,
    token: Option<&Path>,
    listed: &ListedWorkflows,
) {
    let output = &app.output;
    let (data, new) = (app.display_path(root), if is_new { " (new)" } else { "" });
    let bundled =
        listed.workflows.iter().filter(|entry| entry.source_kind == SourceKind::Bundled).count();
    let own = listed.workflows.len() - bundled;
    writeln!(output, "Piton {} · data in {data}{new}\n", env!("CARGO_PKG_VERSION"));
    output.advise(format_args!("  Console    {console}"));
    writeln!(output, "  MCP        {}", notice.url);
    if let Some(file) = token {
        let file = app.display_path(file);
        writeln!(output, "  Token      required: the one in {file}, as `Authorization: Bearer …`");
    } else {
        output.print(
            "  Token      none: every user of this machine can call it. Set http.token_file to require one.",
        );
    }
    writeln!(output, "  Workflows  {bundled} bundled · {own} of yours\n");
    output.print(
        "An agent that speaks HTTP connects to that address. These clients start Piton themselves, on the same data:",
    );
    for client in McpClient::ALL {
        output.advise(format_args!(
            "  {:<12} piton mcp install --client {}",
            client.name(),
            client.word()
        ));
    }
    output.print("Then ask the agent: \"Use piton to investigate why the login test is flaky.\"\n");
    output.advise(
        "No agent at hand? The console plays a demo run, and `piton workflow run wr.tour` walks you through one.   Ctrl-C stops.",
    );
}

fn say_stopped(app: &App, stopped: Stopped) {
    match stopped.calls_cut {
        0 => app.output.advise("Stopped. Nothing is lost; `piton up` continues."),
        1 => app.output.advise(
            "Stopped. 1 call did not end in time. What it had written is kept; repeat it after `piton up` to see the result.",
        ),
        count => app.output.advise(format_args!(
            "Stopped. {count} calls did not end in time. What they had written is kept; repeat them after `piton up` to see the results."
        )),
    }
}
