//! `piton session keep`.

use clap::Args;

use crate::{app::App, arguments::RunArgument, exit::CommandEnding, failure::Failure};

#[derive(Args)]
pub(crate) struct Keep {
    #[command(flatten)]
    run: RunArgument,
    /// Let it go when its time is over, as any other
    #[arg(long)]
    no_longer: bool,
}

impl Keep {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let kept = open.wait(open.runtime.keep_session(&self.run.run, !self.no_longer))?;
        open.log.about(kept.session_id);
        let session = kept.session_id;
        if kept.kept {
            app.output.print(format_args!("{session} stays when its time is over."));
            app.output
                .advise(format_args!("Let it go again: piton session keep {session} --no-longer"));
        } else {
            app.output.print(format_args!("{session} goes when its time is over."));
            app.output.advise(format_args!("Keep it again: piton session keep {session}"));
        }
        app.output.reply("piton.session.keep/1", &kept)?;
        Ok(CommandEnding::Done)
    }
}
