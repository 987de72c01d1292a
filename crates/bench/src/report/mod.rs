//! The report of a run: a table for a person, a document for a program.

mod row;
mod table;

use std::{fmt, fs, thread};

use serde::Serialize;

pub(crate) use self::row::{Bar, MeasureRow, Unit};
use crate::bench_dir::BenchDir;
use crate::error::{Error, Result};
use crate::measure::Schedule;

/// Schema of the document; its number grows with every change.
const SCHEMA: &str = "piton.bench/3";

/// Everything that was measured.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BenchReport {
    schema: &'static str,
    machine: Machine,
    /// Set if the program was built without optimization, which makes every figure meaningless.
    debug_build: bool,
    /// Seed of the order within pairs.
    seed: u64,
    rows: Vec<ReportEntry>,
}

#[derive(Serialize)]
struct ReportEntry {
    part: &'static str,
    #[serde(flatten)]
    row: MeasureRow,
}

impl BenchReport {
    pub(crate) fn new(bench_dir: &BenchDir) -> Self {
        Self {
            schema: SCHEMA,
            machine: Machine::detect(bench_dir),
            debug_build: cfg!(debug_assertions),
            seed: Schedule::SEED,
            rows: Vec::new(),
        }
    }

    /// Adds the rows of a part.
    pub(crate) fn add(&mut self, part: &'static str, rows: Vec<MeasureRow>) {
        self.rows.extend(rows.into_iter().map(|row| ReportEntry { part, row }));
    }

    /// Returns the number of bars that were missed.
    pub(crate) fn misses(&self) -> usize {
        self.rows.iter().filter(|entry| entry.row.misses()).count()
    }

    /// Formats the whole report as one document.
    pub(crate) fn json(&self) -> Result<String> {
        let mut text =
            serde_json::to_string_pretty(self).map_err(Error::json("write the report"))?;
        text.push('\n');
        Ok(text)
    }

    /// Formats the report as a table.
    pub(crate) fn table(&self) -> String {
        let rows: Vec<(&str, &MeasureRow)> =
            self.rows.iter().map(|entry| (entry.part, &entry.row)).collect();
        let mut text = format!("{}\n\n{}\n", self.machine, table::render(&rows));
        if self.debug_build {
            text.push_str("This is a debug build: the figures mean nothing.\n");
        }
        text.push_str(&self.verdict());
        text
    }

    fn verdict(&self) -> String {
        let judged = self.rows.iter().filter(|entry| entry.row.is_judged()).count();
        let (held, open) = (judged - self.misses(), self.rows.len() - judged);
        let doubtful = self.rows.iter().filter(|entry| entry.row.is_doubtful()).count();
        format!(
            "{held} of {judged} bars hold, {doubtful} of them with an interval that reaches over the bar; {open} rows \
             have none. A ratio stands with its 95 % interval. A bar is judged by the median, and where a disk decides \
             by the low end of the interval; p99 is not judged.\n"
        )
    }
}

/// Properties that determine the figures, as far as a program can see them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Machine {
    cores: usize,
    processor: String,
    kernel: String,
    file_system: String,
}

impl Machine {
    fn detect(bench_dir: &BenchDir) -> Self {
        let unknown = || "unknown".to_owned();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease");
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cores: thread::available_parallelism().map_or(1, usize::from),
            processor: model(&processors).unwrap_or_else(unknown),
            kernel: kernel.map_or_else(|_| unknown(), |text| text.trim().to_owned()),
            file_system: bench_dir.file_system.clone(),
        }
    }
}

fn model(processors: &str) -> Option<String> {
    let line = processors.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cores, processor, kernel, file_system } = self;
        write!(f, "{cores} cores, {processor} · Linux {kernel} · {file_system}")
    }
}
