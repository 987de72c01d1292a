//! `piton completions`.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use crate::{app::App, arguments::Arguments, exit::CommandEnding, failure::Failure, output};

#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, _: &App) -> Result<CommandEnding, Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "piton", &mut script);
        output::bytes(&script)?;
        Ok(CommandEnding::Done)
    }
}
