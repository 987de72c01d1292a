//! The path from the command line to an exit code.

use std::{process::ExitCode, sync::OnceLock};

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::{
    app::App,
    arguments::Arguments,
    commands, environment,
    exit::{self, CommandEnding},
    failure::Failure,
    output::{self, Output},
};

/// Runs the program and returns its exit code.
pub(crate) fn run() -> ExitCode {
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
        environment: environment::of_this_process(),
        output: Output::new(arguments.options.json, matches),
        command,
        chosen_dir: arguments.options.data_dir,
        log: OnceLock::new(),
    };
    let outcome = arguments.command.map_or_else(help, |command| commands::run(command, &app));
    finish(&app, outcome)
}

fn finish(app: &App, outcome: Result<CommandEnding, Failure>) -> ExitCode {
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

fn help() -> Result<CommandEnding, Failure> {
    let help = Arguments::command().render_help().to_string();
    output::bytes(help.as_bytes())?;
    Ok(CommandEnding::Done)
}
