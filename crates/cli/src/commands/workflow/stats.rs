//! `piton workflow stats`: the cost of a workflow's steps over its runs.

use clap::Args;
use piton_runtime::reply::{CountedRuns, StepStats};

use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::count;
use crate::style::Tone;
use crate::table::Cell;

#[derive(Args)]
pub(crate) struct Stats {
    /// The workflow, as `piton session list` names it
    #[arg(value_name = "ID", add = complete::workflows())]
    workflow: String,
}

impl Stats {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let counted = open.wait(open.runtime.workflow_stats(&self.workflow))?;
        print(app, &counted);
        app.output.finish("piton.workflow.stats/1", &counted)
    }
}

const HEADS: [&str; 8] =
    ["STEP", "VISITS", "ATTEMPTS", "REFUSED", "ASKED", "MEDIAN TIME", "GAPS", "FORKS"];

fn print(app: &App, counted: &CountedRuns) {
    let CountedRuns { stats, runs_left_out, unreadable } = counted;
    let output = &app.output;
    let versions = if stats.versions > 1 {
        format!(", pinned to {}", count(stats.versions, "version"))
    } else {
        String::new()
    };
    writeln!(
        output,
        "{}: {}, {} complete{versions}\n",
        stats.workflow_id,
        count(stats.runs, "run"),
        stats.completed
    );
    let rows: Vec<_> = stats.steps.iter().map(row).collect();
    output.table(HEADS, &rows);
    let refused = stats.steps.iter().filter(|step| !step.refusals.is_empty());
    for step in refused {
        writeln!(output, "\nWhy `{}` was refused:", step.step_id);
        for reason in &step.refusals {
            writeln!(output, "  {}× {}", reason.count, reason.reason.replace('\n', " "));
        }
        if step.refusals_left_out > 0 {
            writeln!(output, "  … and {} more", count(step.refusals_left_out, "reason"));
        }
    }
    if *runs_left_out > 0 {
        writeln!(output, "\n{} were not counted.", count(*runs_left_out, "older run"));
    }
    if *unreadable > 0 {
        writeln!(output, "\n{} cannot be read: piton doctor", count(*unreadable, "run"));
    }
    output.advise(format_args!("\nIts runs: piton session list workflow:{}", stats.workflow_id));
}

fn row(step: &StepStats) -> [Cell; 8] {
    const WHOLE: usize = 100; // tidy: number: percent
    let refused = match (step.refused * WHOLE).checked_div(step.attempts) {
        Some(percent) if step.refused > 0 => {
            Cell::of(Tone::Attention, format!("{} ({percent} %)", step.refused))
        }
        _ => "0".into(),
    };
    [
        step.step_id.clone().into(),
        step.visits.to_string().into(),
        step.attempts.to_string().into(),
        refused,
        step.asked.to_string().into(),
        duration(step.spent_median_ms).into(),
        step.gaps.to_string().into(),
        step.forks.to_string().into(),
    ]
}

/// Formats a time in its largest whole unit.
fn duration(ms: u64) -> String {
    let seconds = ms / 1000; // tidy: number: milliseconds of a second
    let minutes = seconds / 60;
    match (minutes / 60, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, _) => format!("{hours} h"),
    }
}
