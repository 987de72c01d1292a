//! `piton flow run`.

use clap::Args;
use piton_backpack::BackpackId;
use piton_backpack::flow::Cancel;
use piton_runtime::flow::{FlowNotice, RunFlow};

use super::check::FlowFile;
use super::run_args::{Items, NextCommands, RunArgs, print_event, report_run, until_stopped};
use super::tool_sources;
use crate::{app::App, exit::CommandEnding, failure::Failure};

#[derive(Args)]
pub(crate) struct RunFlowCommand {
    #[command(flatten)]
    file: FlowFile,
    #[command(flatten)]
    going: RunArgs,
    #[command(flatten)]
    items: Items,
    /// What to call the backpack that keeps it; it gets an id if it has no name
    #[arg(long, value_name = "NAME")]
    backpack: Option<BackpackId>,
}

impl RunFlowCommand {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        self.file.tools.put_up_wall(app)?;
        let (text, open) = (self.file.text()?, app.open()?);
        let flows =
            tool_sources::flows(app, &open, &self.file.tools, self.going.models.as_deref())?;
        let next = NextCommands::new(Some(&self.file.file)).started_with(&self.items);
        let cancel = Cancel::new();
        let request = RunFlow {
            text: &text,
            backpack: self.backpack,
            initial: self.items.initial(),
            steps_max: self.going.steps_max,
            cancel: cancel.clone(),
        };
        let print = self.going.events;
        let listener = move |heard: FlowNotice<'_>| print_event(print, &heard);
        let ran = until_stopped((app, &open), cancel, &next, flows.run(request, &listener))?;
        report_run(app, print, &ran)
    }
}
