//! The server, from its start to its end.

use std::process;

use clap::Args;
use piton_core::{Code, Envelope};
use piton_mcp::{http::PATH, serve_http};
use piton_runtime::{request::ListWorkflows, workspaces::JoinedWorkspaces};
use piton_store::{
    LeaseName,
    port::{Lease, Mode, Patience},
};
use serde::Serialize;

use super::{
    listen::{listen, token},
    notice::ServerNotice,
    words,
};
use crate::{
    app::App,
    commands::{
        stop,
        workspace::{Chosen, sandbox},
    },
    exit::CommandEnding,
    failure::Failure,
    files,
    open::Open,
};

/// Reply for a program: the server that this process starts, or the one that is already running.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerAnnouncement<'a> {
    #[serde(flatten)]
    server: &'a ServerNotice,
    data_dir: &'a std::path::Path,
    /// Set if another process serves this data directory.
    was_running: bool,
}

#[derive(Args)]
pub(crate) struct Up {
    #[command(flatten)]
    chosen: Chosen,
}

impl Up {
    /// Serves agents until a signal ends it.
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let declared = self.chosen.declared(app)?;
        // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
        sandbox::put_up(app, &declared)?;
        serve(app, declared)
    }
}

fn serve(app: &App, declared: JoinedWorkspaces) -> Result<CommandEnding, Failure> {
    let settings = app.configuration()?.settings_here().map_err(Failure::Configuration)?;
    // Asked before the directory is opened below, which creates it.
    let is_new = !files::exists(&app.data_dir(&settings)?);
    // A bad token file ends the command before it takes the lease.
    let token = token(&settings)?;
    let open = app.open()?;
    // The lease decides which process serves, not the notice: a crash drops a lease but leaves a notice behind.
    let Some(lease) = lease(&open)? else { return report_running(app, &open) };
    let offer = open.offer(Chosen::open(&open, declared)?);
    open.note_applied();
    // Only the holder of the lease binds a port, so two starts on one data directory do not race for it.
    let listener = open.wait(listen(&settings, token))?;
    let notice =
        ServerNotice { pid: process::id(), url: format!("http://{}{PATH}", listener.address()) };
    // The notice follows the bind, since only then is the port known. Both guards live until the server has ended.
    let posted = notice.post(open.root())?;
    let listed = open.connect(app).list_workflows(&ListWorkflows::default())?;
    // Handlers are installed before the text that promises Ctrl-C is printed: a program that reads it may send a
    // signal.
    let stop = open.wait(async { stop::signals() })?;
    let data = app.display_path(open.root());
    words::opening(app, &data, is_new, &notice, settings.http_token_file(), &listed);
    let told = ServerAnnouncement { server: &notice, data_dir: open.root(), was_running: false };
    app.output.reply("piton.up/1", &told)?;
    open.log.began();
    let stop = async {
        stop.await;
        words::stopping(app);
    };
    // Returns once no call is left, or once those that were left had their time.
    let stopped = open.block_on(serve_http(listener.keeping(open.replies()), offer, stop));
    // The notice goes before the lease (a tuple drops in order): the next server's notice is never removed by this one.
    drop((posted, lease));
    words::stopped(app, stopped);
    Ok(CommandEnding::Done)
}

/// Acquires the right to serve this data directory; `None` if another process holds it.
fn lease(open: &Open) -> Result<Option<Lease>, Failure> {
    let name: LeaseName = "up".parse().expect("it is a name");
    // No waiting: a holder keeps the lease for as long as it serves.
    let lease = open.block_on(open.leases.acquire(&name, Mode::Exclusive, Patience::FailFast));
    match lease {
        Ok(lease) => Ok(Some(lease)),
        Err(piton_store::Error::Busy { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reports the server that is already running.
fn report_running(app: &App, open: &Open) -> Result<CommandEnding, Failure> {
    // The notice appears after the lease is taken and goes before it is dropped, so without one the other server is
    // just starting or stopping.
    let Some(notice) = ServerNotice::read(open.root()) else {
        let message = "Another `piton up` is about to serve this data directory.";
        let advice = "Run the command again to see where.";
        return Err(Envelope::new(Code::StoreBusy, message).with_suggestion(advice).into());
    };
    app.output.print(format_args!(
        "Piton serves this data directory already, at {} (process {}).",
        notice.url, notice.pid
    ));
    app.output.advise(crate::messages::CONNECT);
    let told = ServerAnnouncement { server: &notice, data_dir: open.root(), was_running: true };
    app.output.reply("piton.up/1", &told)?;
    Ok(CommandEnding::Done)
}
