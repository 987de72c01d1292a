//! Chores of the project, one command each: `cargo xtask <command>`.
//!
//! Everything that decides is a pure function over text that was read before; the commands read,
//! decide and print. Nothing here needs the network but the installation of missing tools.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the commands talk to a person at a terminal"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "chores read the tree, start cargo and measure time"
)]

mod bench;
mod commit;
mod console;
mod coverage;
mod dist;
mod fuzz;
mod generate;
mod problem;
mod process;
mod project;
mod requirements;
mod source;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the Piton repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check everything, as `.ci/run` does; the same as `test`.
    Ci(test::Options),
    /// Install what the tests need, then check formatting, lints, tidiness, generated files and tests.
    Test(test::Options),
    /// Install what the tests need, and nothing else.
    Tools,
    /// Check what the compiler cannot: crate edges, words, links, forgotten files.
    Tidy,
    /// Write the files under `docs/generated`.
    Generate(generate::Options),
    /// Count the requirement rows that a test shows.
    Requirements(requirements::Options),
    /// Run the benchmarks.
    Bench(bench::Options),
    /// Measure which lines of each part its tests run; fails below 80 %.
    Coverage(coverage::Options),
    /// Fuzz everything that others send or that lies on a disk.
    Fuzz(fuzz::Options),
    /// Build the program and pack it for every way to install it; publishes nothing.
    Dist(dist::Options),
    /// Check the page of the console: its types, its build, and the program in a browser.
    Console,
    /// Take screenshots of every page of the console.
    Screenshots,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Ci(options) | Command::Test(options) => test::run(&options),
        Command::Tools => test::install(),
        Command::Tidy => tidy::run(),
        Command::Generate(options) => generate::run(&options),
        Command::Requirements(options) => requirements::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Coverage(options) => coverage::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Dist(options) => dist::run(&options),
        Command::Console => console::run(),
        Command::Screenshots => console::take_screenshots(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::FAILURE
    })
}
