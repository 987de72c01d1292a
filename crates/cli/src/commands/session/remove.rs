//! `piton session delete`.

use clap::Args;
use piton_runtime::reply::SetAsideShown;

use crate::{
    app::App,
    arguments::RunArgument,
    ask::{can_ask, confirm},
    exit::CommandEnding,
    failure::Failure,
    messages::count,
};

#[derive(Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    run: RunArgument,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Describes the remains of a repair that are deleted along with the session.
fn along_line(kept: &SetAsideShown) -> String {
    let files = count(usize::try_from(kept.files).unwrap_or(usize::MAX), "file");
    format!(
        "What a repair took out of it goes along: {files}, {} bytes in {}",
        kept.bytes, kept.place
    )
}

impl Delete {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let along = open.wait(open.runtime.deleted_along(&self.run.run))?;
        let along: Vec<String> = along.iter().map(along_line).collect();
        // Shown before the question, so that the answer covers it. Without a terminal, the refusal below carries it.
        if self.yes || can_ask() {
            for line in &along {
                app.output.print(line);
            }
        }
        if !self.yes {
            let question = format!("Remove the session {} for good?", self.run.run.0);
            match confirm(&question) {
                Some(true) => {}
                Some(false) => {
                    app.output.print("Nothing was removed.");
                    return Ok(CommandEnding::Wanting);
                }
                None => {
                    let refused = "Nobody is there to be asked, so nothing was removed.".to_owned();
                    return Err(Failure::refused(
                        [vec![refused], along].concat().join("\n"),
                        format!(
                            "Add --yes if you are sure; `piton session export {} FILE` keeps a copy.",
                            self.run.run.0
                        ),
                    ));
                }
            }
        }
        let deleted = open.wait(open.runtime.delete_session(&self.run.run))?;
        open.log.about(deleted.session_id);
        app.output.print(format_args!("Removed {}.", deleted.session_id));
        app.output.advise("What only it referred to goes with the next `piton session gc`.");
        app.output.reply("piton.session.delete/1", &deleted)?;
        Ok(CommandEnding::Done)
    }
}
