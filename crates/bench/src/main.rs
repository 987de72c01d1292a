//! `piton-bench`: measures Piton beside its baselines, in one run, on this machine.
//!
//! Absolute times do not travel between machines. So each measure is paired with a baseline: the same bytes through
//! bare system calls, or the same value through another encoder. The two take turns in random order, and the ratio
//! within each pair is judged.
//!
//! *Limitations*: Linux only, because memory and CPU time are read from its interfaces.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the table is for a person at a terminal"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark measures time, starts itself again and writes the files it compares with"
)]

mod backpack;
mod bench_dir;
mod console;
mod context;
mod door;
mod error;
mod flow;
mod kernel;
mod local_ports;
mod mcp_server;
mod measure;
mod part;
mod process;
mod quiet_disk;
mod report;
mod workflow;
mod workspaces;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use piton_store::StreamId;

use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::part::BenchPart;
use crate::report::BenchReport;

/// Text at the end of `--help`.
const HELP: &str = "\
Files are written below PITON_BENCH_DIR if it is set, else below ./target or the system's temporary
directory, and removed at the end.

Exit codes:
  0  measured
  1  a bar was missed (with --check)
  2  wrong arguments
  3  could not measure";

/// Measures Piton beside its baselines.
#[derive(Parser)]
#[command(version, after_help = HELP, args_conflicts_with_subcommands = true)]
struct BenchArguments {
    /// Only this part.
    part: Option<BenchPart>,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
    /// Fail when a measure misses its bar.
    #[arg(long)]
    check: bool,
    #[command(subcommand)]
    inner: Option<InnerCommand>,
}

/// What the program starts itself for.
#[derive(Subcommand)]
enum InnerCommand {
    /// Loads a session in a process that has loaded nothing before.
    #[command(hide = true)]
    ColdLoad {
        /// The data directory.
        root: PathBuf,
        /// The session.
        stream: StreamId,
    },
    /// Packs in a process that has done nothing before.
    #[command(hide = true)]
    BackpackMemory {
        /// How many packs.
        packs: u32,
    },
    /// Scans a project directory, or looks up a path of it, in a process that has done nothing before.
    #[command(hide = true)]
    ContextHere {
        /// The project directory.
        project: PathBuf,
        /// The data directory.
        data: PathBuf,
        /// The path to look up; without one the directory is scanned.
        path: Option<String>,
    },
}

fn main() -> ExitCode {
    let arguments = BenchArguments::parse();
    // The hidden commands take one sample in this process, for a parent that needs a fresh one.
    let outcome = match &arguments.inner {
        Some(InnerCommand::ColdLoad { root, stream }) => kernel::cold_load_here(root, stream),
        Some(InnerCommand::BackpackMemory { packs }) => backpack::memory_here(*packs),
        Some(InnerCommand::ContextHere { project, data, path }) => {
            context::here(project, data, path.as_deref())
        }
        None => run(&arguments),
    };
    outcome.unwrap_or_else(|problem| {
        eprintln!("piton-bench could not measure: {problem}");
        ExitCode::from(3)
    })
}

fn run(arguments: &BenchArguments) -> Result<ExitCode> {
    let place = BenchDir::choose()?;
    let mut report = BenchReport::new(&place);
    for part in BenchPart::value_variants()
        .iter()
        .filter(|part| arguments.part.is_none_or(|only| only == **part))
    {
        report.add(part.name(), part.measure(&place)?);
    }
    let text = if arguments.json { report.json()? } else { report.table() };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // The reader, such as `head`, has seen enough.
        Err(problem) if problem.kind() == io::ErrorKind::BrokenPipe => {}
        outcome => outcome.map_err(error::Error::io("print the table"))?,
    }
    Ok(if arguments.check && report.misses() > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
