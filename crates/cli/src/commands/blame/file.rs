//! `piton blame file`.

use clap::Args;
use piton_runtime::workspaces::{Actor, AuditRecord};

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
        let is_brought = |AuditRecord { intent, .. }: &AuditRecord| {
            intent.origin.is_some() || intent.target.is_some() && intent.path != history.path
        };
        let made = history.blame.records.iter().rev().find(|record| !is_brought(record));
        // Older records name no node. There the step stands for the newest node that was at it.
        let place = made.and_then(|AuditRecord { intent, .. }| {
            // The one who applied an overlay was led through no workflow, but the one who wrote to it may have been.
            let author = intent.source.as_ref().and_then(|source| source.authors.first());
            let Actor { run, node, step, .. } = author.unwrap_or(&intent.actor);
            run.as_deref().zip(node.as_deref().or(step.as_deref()))
        });
        let chain = chain::show(app, &open, place);
        app.output.reply("piton.blame.file/1", &Blamed { thing: &history, chain })?;
        Ok(CommandEnding::Done)
    }
}
