//! The report of a run: a table for a person, a document for a program.

mod machine;
mod row;
mod table;

use serde::Serialize;

use self::machine::Machine;
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
