//! `piton keys`.

use clap::Subcommand;
use serde::Serialize;

use crate::{app::App, exit::Ending, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Sign new tokens with a new key
    #[command(after_help = "Example:\n  piton keys rotate")]
    Rotate,
}

#[derive(Serialize)]
struct Rotated {
    rotated: bool,
}

impl Command {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        let Self::Rotate = self;
        let open = app.open()?;
        open.wait(open.runtime.rotate_keys())?;
        app.output.say("New tokens are signed with a new key.");
        app.output.say("Tokens of the last key still work; older ones do not. An agent gets new ones with resume_session.");
        app.output.reply("piton.keys.rotate/1", &Rotated { rotated: true })?;
        Ok(Ending::Done)
    }
}
