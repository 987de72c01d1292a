//! `piton flow resume`.

use std::path::PathBuf;

use clap::Args;
use piton_backpack::flow::Cancel;
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::flow::{FlowNotice, ResumeFlow};

use super::check;
use super::run_args::{NextCommands, RunArgs, print_event, report_run, until_stopped};
use super::tool_sources::{self, ToolSources};
use crate::{app::App, commands::backpack::Backpack, exit::CommandEnding, failure::Failure};

#[derive(Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    backpack: Backpack,
    /// The flow that it was started with; it kept that itself, so this only checks that a file still says the same
    #[arg(long, value_name = "FILE")]
    flow: Option<PathBuf>,
    #[command(flatten)]
    tools: ToolSources,
    #[command(flatten)]
    going: RunArgs,
}

impl Resume {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let text = self.flow.as_deref().map(check::text).transpose()?;
        self.tools.put_up_wall(app)?;
        let open = app.open()?;
        let flows = tool_sources::flows(app, &open, &self.tools, self.going.models.as_deref())?;
        let backpack = open.wait(Backpacks::new(open.backpacks()).meant(&self.backpack.run))?;
        let next = NextCommands::new(self.flow.as_deref());
        let cancel = Cancel::new();
        let request = ResumeFlow {
            text: text.as_deref(),
            backpack,
            steps_max: self.going.steps_max,
            cancel: cancel.clone(),
        };
        let print = self.going.events;
        let listener = move |heard: FlowNotice<'_>| print_event(print, &heard);
        let ran = until_stopped((app, &open), cancel, &next, flows.resume(request, &listener))?;
        report_run(app, print, &ran)
    }
}
