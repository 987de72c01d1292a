//! `piton session tree`.

use clap::Args;

use crate::{app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure, tree};

#[derive(Args)]
pub(crate) struct Tree {
    #[command(flatten)]
    run: RunArgument,
    /// Show the end of each node's id, which names it to `fork`, `diff` and `blame`
    #[arg(long)]
    ids: bool,
}

impl Tree {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let drawn = open.wait(open.runtime.run_tree(&self.run.run))?;
        open.log.about(drawn.summary.session_id);
        for line in tree::lines(&drawn.nodes, self.ids) {
            app.output.print(line);
        }
        app.output.reply("piton.session.tree/1", &drawn)?;
        Ok(CommandEnding::Done)
    }
}
