//! `piton session list`.

use std::collections::BTreeSet;

use piton_core::{TimestampMs, shorten};
use piton_runtime::reply::SessionList;
use piton_runtime::workflow::{RunStatus, RunSummary};

use crate::app::{App, Outcome};
use crate::bounds::CELL_BYTES_MAX;
use crate::messages::{ago, count};
use crate::style::Tone;
use crate::table::Cell;
use crate::tree::ending;

const HEADS: [&str; 6] = ["RUN", "WORKFLOW", "STEP", "STATUS", "GOAL", "LAST"];

pub(super) fn run(app: &App) -> Outcome {
    let open = app.open()?;
    let mut list = open.wait(open.runtime.list_sessions())?;
    app.output.complete_all(list.troubled.iter_mut().map(|one| &mut one.trouble));
    print(app, &list);
    app.output.finish("piton.session.list/1", &list)
}

fn print(app: &App, list: &SessionList) {
    let now = App::now();
    if list.runs.is_empty() {
        app.output.print(if list.troubled.is_empty() {
            "There are no runs yet."
        } else {
            "No run can be read."
        });
    } else {
        let shared = shared_labels(list);
        let rows: Vec<_> = list.runs.iter().map(|run| row(run, &shared, now)).collect();
        app.output.table(HEADS, &rows);
        if !shared.is_empty() {
            app.output.print(
                "\nRuns with the same name show the end of their session's id in brackets. Every command accepts it in \
                 place of the name.",
            );
        }
    }
    for one in &list.troubled {
        let labels: Vec<String> = one.labels.iter().map(ToString::to_string).collect();
        let name = if labels.is_empty() {
            one.session_id.clone()
        } else {
            format!("{} ({})", labels.join(", "), one.session_id)
        };
        writeln!(
            app.output,
            "\n{name} cannot be read: {}\n{}",
            one.trouble.message, one.trouble.suggestion
        );
    }
    match list.runs.first() {
        Some(run) => {
            // The suggested command has to name one run, so a shared name is replaced by the id.
            let is_shared = shared_labels(list).contains(&run.label.to_string());
            let name = if is_shared { run.session_id.to_string() } else { run.label.to_string() };
            app.output.advise(format_args!("\nShow one: piton session show {name}"));
        }
        None => {
            app.output.advise("Agents start runs. Try one yourself: piton workflow run wr.tour");
        }
    }
}

/// Returns the names that several runs share: a session that was imported beside its original has the same two words.
fn shared_labels(list: &SessionList) -> BTreeSet<String> {
    let (mut met, mut shared) = (BTreeSet::new(), BTreeSet::new());
    let troubled = list.troubled.iter().flat_map(|one| &one.labels);
    for label in list.runs.iter().map(|run| &run.label).chain(troubled) {
        if !met.insert(label.to_string()) {
            shared.insert(label.to_string());
        }
    }
    shared
}

fn row(run: &RunSummary, shared: &BTreeSet<String>, now: TimestampMs) -> [Cell; 6] {
    let mut name = run.label.to_string();
    if shared.contains(&name) {
        name = format!("{name} [{}]", ending(&run.session_id.to_string()));
    }
    [
        name.into(),
        run.workflow.id.to_string().into(),
        step(run).into(),
        status(run),
        shorten(run.title.as_str(), CELL_BYTES_MAX).into_owned().into(),
        ago(now, run.active_at).into(),
    ]
}

/// Formats the position of a run among its steps.
fn step(run: &RunSummary) -> String {
    run.step.as_ref().map_or_else(
        || "done".to_owned(),
        |step| {
            format!("{}/{} {}", step.number, step.of, shorten(step.title.as_str(), CELL_BYTES_MAX))
        },
    )
}

/// Formats the status of a run in a word or two.
fn status(run: &RunSummary) -> Cell {
    match run.status {
        RunStatus::InProgress => "in progress".into(),
        RunStatus::Blocked => Cell::of(Tone::Attention, "blocked"),
        RunStatus::Complete => Cell::of(Tone::Good, "complete"),
        RunStatus::CompleteWithGaps => Cell::of(Tone::Attention, count(run.open_gaps, "gap")),
    }
}
