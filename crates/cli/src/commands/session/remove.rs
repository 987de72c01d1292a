//! `piton session delete`.

use clap::Args;

use crate::{app::App, arguments::Run, ask::confirm, exit::Ending, failure::Failure};

#[derive(Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    run: Run,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Delete {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let open = app.open()?;
        if !self.yes {
            let question = format!("Remove the session {} for good?", self.run.run.0);
            match confirm(&question) {
                Some(true) => {}
                Some(false) => {
                    app.output.say("Nothing was removed.");
                    return Ok(Ending::Wanting);
                }
                None => {
                    return Err(Failure::refused(
                        "Nobody is there to be asked, so nothing was removed.",
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
        app.output.say(format_args!("Removed {}.", deleted.session_id));
        app.output.advise("What only it referred to goes with the next `piton session gc`.");
        app.output.reply("piton.session.delete/1", &deleted)?;
        Ok(Ending::Done)
    }
}
