//! A group of measures, and how those of one are made.

use clap::ValueEnum;

use crate::{
    backpack, bench_dir::BenchDir, context, door, error::Result, flow, kernel, report::MeasureRow,
    workflow, workspaces,
};

/// Makes some rows.
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
}

impl BenchPart {
    /// Its name in a report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Workflow => "workflow",
            Self::Door => "door",
            Self::Backpack => "backpack",
            Self::Flow => "flow",
            Self::Context => "context",
            Self::Workspaces => "workspaces",
        }
    }

    /// Makes its measures, one after the other.
    pub(crate) fn measure(self, bench_dir: &BenchDir) -> Result<Vec<MeasureRow>> {
        let measures: &[(&str, Measure)] = match self {
            Self::Kernel => &kernel::MEASURES,
            Self::Workflow => &workflow::MEASURES,
            Self::Door => &door::MEASURES,
            Self::Backpack => &backpack::MEASURES,
            Self::Flow => &flow::MEASURES,
            Self::Context => &context::MEASURES,
            Self::Workspaces => &workspaces::MEASURES,
        };
        let mut rows = Vec::new();
        for (number, (what, measure)) in measures.iter().enumerate() {
            eprintln!("measuring {what} ({} of {})", number + 1, measures.len());
            bench_dir.sync()?;
            rows.extend(measure(bench_dir)?);
        }
        Ok(rows)
    }
}
