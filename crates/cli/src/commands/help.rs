//! `piton help`: the help of a command, by its name.

use std::iter::once;

use clap::{Args, CommandFactory as _};

use crate::app::Outcome;
use crate::arguments::Arguments;
use crate::complete;
use crate::exit::CommandEnding;

#[derive(Args)]
pub(crate) struct Help {
    /// The command, such as `session show` [default: all commands]
    #[arg(value_name = "COMMAND", add = complete::commands())]
    words: Vec<String>,
}

impl Help {
    pub(crate) fn run(self) -> Outcome {
        let words = self.words.iter().map(String::as_str);
        let line = once("piton").chain(words).chain(once("--help"));
        match Arguments::command().try_get_matches_from(line) {
            // Help is shown as an error is, and so is a word that names no command.
            Err(shown) => shown.exit(),
            Ok(_) => Ok(CommandEnding::Done),
        }
    }
}
