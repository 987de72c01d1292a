//! The groups of measures.

use clap::ValueEnum;

use crate::bench_dir::BenchDir;
use crate::error::Result;
use crate::report::MeasureRow;
use crate::{backpack, console, context, door, flow, kernel, workflow, workspaces};

/// A function that measures some rows.
pub(crate) type Measure = fn(&BenchDir) -> Result<Vec<MeasureRow>>;

/// A group of measures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPart {
    /// Canonical JSON and the store.
    Kernel,
    /// Workflows.
    Workflow,
    /// The agent's door, with a real client.
    Door,
    /// Backpacks.
    Backpack,
    /// Flows.
    Flow,
    /// Trees and frames.
    Context,
    /// Workspaces.
    Workspaces,
    /// The console, with a real browser.
    Console,
}

impl BenchPart {
    /// Returns the name in a report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Workflow => "workflow",
            Self::Door => "door",
            Self::Backpack => "backpack",
            Self::Flow => "flow",
            Self::Context => "context",
            Self::Workspaces => "workspaces",
            Self::Console => "console",
        }
    }

    /// Runs the measures of this group, one after the other.
    pub(crate) fn measure(self, bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
        let measures: &[(&str, Measure)] = match self {
            Self::Kernel => &kernel::MEASURES,
            Self::Workflow => &workflow::MEASURES,
            Self::Door => &door::MEASURES,
            Self::Backpack => &backpack::MEASURES,
            Self::Flow => &flow::MEASURES,
            Self::Context => &context::MEASURES,
            Self::Workspaces => &workspaces::MEASURES,
            Self::Console => &console::MEASURES,
        };
        let mut rows = Vec::new();
        for (number, (what, measure)) in measures.iter().enumerate() {
            // Progress goes to standard error, since standard output belongs to the report.
            eprintln!("measuring {what} ({} of {})", number + 1, measures.len());
            // Files that the last measure left in the page cache would be written back during the next one.
            bench_dir.sync()?;
            rows.extend(measure(bench_dir)?);
        }
        Ok(rows)
    }
}
