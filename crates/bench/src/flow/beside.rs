//! Flows beside other flow libraries: a loop of one node, and a loop that keeps each step on disk.
//!
//! Nothing is judged here, since the others do less at a step (`PocketFlow` keeps no history) or something else.

use std::cell::RefCell;
use std::time::Duration;

use super::durable::Durable;
use super::peer::Peer;
use super::visits;
use crate::bench_dir::BenchDir;
use crate::error::Result;
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
