//! The `piton` command: the composition root, and the only program that names adapters and exits.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the environment once, starts processes and copies files for the demo"
)]

mod data_dir;
mod demo;
mod exit;
mod failure;
mod output;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};
use piton_store::StreamId;

use crate::{data_dir::Environment, failure::Failure, output::Output};

/// One durable runtime for AI agents.
#[derive(Parser)]
#[command(version, after_help = exit::HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Play a durable session on the built-in storage: write, kill, reopen, repeat, damage.
    #[command(after_help = exit::HELP)]
    Demo {
        /// Where data is kept.
        #[arg(long, value_name = "DIRECTORY", help = data_dir::HELP)]
        data_dir: Option<PathBuf>,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// The process that the demo kills.
    #[command(name = "internal-write", hide = true)]
    DemoWriter {
        #[arg(long)]
        data_dir: PathBuf,
        #[arg(long)]
        session: StreamId,
        #[arg(long)]
        first_plan: u64,
    },
}

fn main() -> ExitCode {
    let (outcome, output) = match Arguments::parse().command {
        None => (help(), Output::text()),
        Some(Command::Demo { data_dir, json }) => {
            let output = if json { Output::json() } else { Output::text() };
            let environment = Environment::of_this_process();
            (demo::run(data_dir, &environment, &output), output)
        }
        Some(Command::DemoWriter { data_dir, session, first_plan }) => {
            (demo::write_until_killed(&data_dir, &session, first_plan), Output::text())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure.envelope());
            exit::code(&failure)
        }
    }
}

fn help() -> Result<(), Failure> {
    Arguments::command().print_help().map_err(Failure::io("print the help"))
}
