//! `piton blame state`.

use clap::Args;

use super::chain::{self, Blamed};
use crate::{
    app::App,
    commands::backpack::{Backpack, backpacks},
    exit::CommandEnding,
    failure::Failure,
};

#[derive(Args)]
pub(crate) struct BlameState {
    #[command(flatten)]
    backpack: Backpack,
    /// The key
    #[arg(value_name = "KEY")]
    key: String,
}

impl BlameState {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let blame = open.wait(backpacks(&open).blame(&self.backpack.run, Some(&self.key)))?;
        for line in &blame.lines {
            let step =
                line.provenance.as_ref().map(|provenance| format!(" at {}", provenance.step));
            app.output.print(format_args!(
                "{}  {}{}  version {}: {}",
                line.timestamp_ms.utc(),
                line.by.id,
                step.unwrap_or_default(),
                line.version,
                line.summary
            ));
        }
        // The newest version is the current value, so its steps are the ones to show.
        let newest = blame.lines.iter().max_by_key(|line| line.version);
        let place = newest.and_then(|line| line.provenance.as_ref());
        let place = place.map(|found| (found.run.to_string(), found.node.to_string()));
        let place = place.as_ref().map(|(run, node)| (run.as_str(), node.as_str()));
        let chain = chain::show(app, &open, place);
        app.output.reply("piton.blame.state/1", &Blamed { thing: &blame, chain })?;
        Ok(CommandEnding::Done)
    }
}
