//! From the start to the end of the server.

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

/// What a program is told: where the server listens, or the one that runs already.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerAnnouncement<'a> {
    #[serde(flatten)]
    server: &'a ServerNotice,
    data_dir: &'a std::path::Path,
    /// Whether another process serves this data directory.
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
        sandbox::put_up(app, &declared)?;
        serve(app, declared)
    }
}

fn serve(app: &App, declared: JoinedWorkspaces) -> Result<CommandEnding, Failure> {
    let settings = app.configuration()?.settings_here().map_err(Failure::Configuration)?;
    let is_new = !files::exists(&app.data_dir(&settings)?);
    let token = token(&settings)?;
    let open = app.open()?;
    let Some(lease) = lease(&open)? else { return report_running(app, &open) };
    let offer = open.offer(Chosen::open(&open, declared)?);
    open.note_applied();
    let listener = open.wait(listen(&settings, token))?;
    let notice =
        ServerNotice { pid: process::id(), url: format!("http://{}{PATH}", listener.address()) };
    let posted = notice.post(open.root())?;
    let listed = open.connect(app).list_workflows(&ListWorkflows::default())?;
    // Whoever reads that a signal stops it may send one.
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
    let stopped = open.block_on(serve_http(listener.keeping(open.replies()), offer, stop));
    drop((posted, lease));
    words::stopped(app, stopped);
    Ok(CommandEnding::Done)
}

/// The right to serve this data directory; nothing if somebody has it.
fn lease(open: &Open) -> Result<Option<Lease>, Failure> {
    let name: LeaseName = "up".parse().expect("it is a name");
    let lease = open.block_on(open.leases.acquire(&name, Mode::Exclusive, Patience::FailFast));
    match lease {
        Ok(lease) => Ok(Some(lease)),
        Err(piton_store::Error::Busy { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Says where the server is that runs already.
fn report_running(app: &App, open: &Open) -> Result<CommandEnding, Failure> {
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
