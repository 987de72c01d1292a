//! `piton blame file`.

use clap::Args;
use piton_runtime::workspaces::RecordShown;

use super::chain::{self, Blamed};
use crate::{
    app::App,
    commands::workspace::{Chosen, say_history},
    exit::CommandEnding,
    failure::Failure,
};

#[derive(Args)]
pub(crate) struct BlameFile {
    /// A path as agents write it
    path: String,
    #[command(flatten)]
    chosen: Chosen,
}

impl BlameFile {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let (open, world) = self.chosen.world(app)?;
        let history = open.wait(world.history(&self.path))?;
        say_history(app, &history);
        // A copy or a move brings a file here but does not make its content, so such records are skipped.
        let is_brought = |record: &RecordShown| {
            record.from.is_some() || record.target.is_some() && record.path != history.path
        };
        let made = history.records.iter().rev().find(|record| !is_brought(record));
        // Older records name no node. There the step stands for the newest node that was at it.
        let place = made.and_then(|record| match record.authors.first() {
            // The one who applied an overlay was led through no workflow, but the one who wrote to it may have been.
            Some(author) => {
                author.run.as_deref().zip(author.node.as_deref().or(author.step.as_deref()))
            }
            None => record.run.as_deref().zip(record.node.as_deref().or(record.step.as_deref())),
        });
        let chain = chain::show(app, &open, place);
        app.output.reply("piton.blame.file/1", &Blamed { thing: &history, chain })?;
        Ok(CommandEnding::Done)
    }
}
