//! The `piton` command: the composition root, and the only program that names adapters and exits.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | the commands, arguments and options |
//! | `commands` | the implementation of each command |
//! | `app`, `open` | the context of a command: the environment, an open data directory |
//! | `adapters`, `data_dir` | the data directory: its location, and the adapters over it |
//! | `next_command` | the commands that a text suggests next |
//! | `output`, `style`, `table`, `tree`, `messages`, `ask` | the output for people and programs |
//! | `failure`, `exit` | the presentation of failures |
//! | `files` | files that the user names |
//! | `complete` | completion in a shell |
//! | `markdown` | pages in Markdown on a terminal |
//! | `progress` | a line that moves during long work |
//! | `log` | the log of the processes of a data directory |
//! | `demo` | `piton demo` |

mod adapters;
mod app;
mod arguments;
mod ask;
mod bounds;
mod commands;
mod complete;
mod data_dir;
mod demo;
mod exit;
mod failure;
mod files;
mod log;
mod markdown;
mod messages;
mod next_command;
mod open;
mod output;
mod progress;
mod style;
mod table;
mod tree;

use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::app::{App, Outcome};
use crate::arguments::Arguments;
use crate::exit::CommandEnding;
use crate::output::Output;

fn main() -> ExitCode {
    if complete::answer() {
        return ExitCode::SUCCESS;
    }
    let matches = Arguments::command().get_matches();
    // Only the names of the subcommands: the logs name the command, never its arguments.
    let mut words = Vec::new();
    let mut inner = &matches;
    while let Some((name, next)) = inner.subcommand() {
        words.push(name);
        inner = next;
    }
    let command = words.join(" ");
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let app = App {
        environment: app::process_environment(),
        output: Output::new(arguments.options.json, matches),
        command,
        chosen_dir: arguments.options.data_dir,
        log: OnceLock::new(),
    };
    let outcome = arguments.command.map_or_else(help, |command| command.run(&app));
    finish(&app, outcome)
}

fn finish(app: &App, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(ending) => {
            if let Some(log) = app.log.get() {
                log.ended();
            }
            ending.into()
        }
        Err(failure) => {
            let envelope = failure.envelope();
            if let Some(log) = app.log.get() {
                log.ended_with(&envelope);
            }
            app.output.failure(envelope);
            exit::code(&failure)
        }
    }
}

fn help() -> Outcome {
    let help = Arguments::command().render_help().to_string();
    output::bytes(help.as_bytes())?;
    Ok(CommandEnding::Done)
}
