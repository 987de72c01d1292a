//! `piton session list`.

use std::collections::BTreeSet;

use clap::Args;
use piton_core::{RunId, TimestampMs, shorten};
use piton_runtime::reply::{RunPage, SessionList};
use piton_runtime::request::RunQuery;
use piton_runtime::run_query::QueryProblem;
use piton_runtime::workflow::{RunField, RunStatus, RunSummary};

use crate::app::{App, Outcome};
use crate::bounds::{NAME_BYTES_MAX, WAITING_CHECKED_MAX};
use crate::failure::Failure;
use crate::messages::{START_A_RUN, ago, cell, count};
use crate::open::Open;
use crate::style::Tone;
use crate::table::Cell;
use crate::tree::ending;

const HEADS: [&str; 6] = ["RUN", "WORKFLOW", "STEP", "STATUS", "GOAL", "LAST"];

#[derive(Args)]
pub(crate) struct ListSessions {
    /// Words, "phrases" and fields: status, workflow, branch, age, started, gaps, nodes, tips, label, step, session,
    /// run; `-` before one turns it around
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    query: Option<String>,
    /// Show at most this many runs, up to 200
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Sort by a field: active, started, status, workflow, branch, label, gaps, nodes, tips; `-` before it turns the
    /// order around
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    sort: Option<String>,
}

impl ListSessions {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        if self.query.is_none() && self.limit.is_none() && self.sort.is_none() {
            let mut list = open.wait(open.runtime.list_sessions())?;
            app.output.complete_all(list.troubled.iter_mut().map(|one| &mut one.trouble));
            let waiting = waiting(&open, list.runs.iter());
            print(app, &list, &waiting);
            return app.output.finish("piton.session.list/1", &list);
        }
        let line = self.query.unwrap_or_default();
        let (sort, is_reversed) = self.sort.as_deref().map_or(Ok((None, false)), sorted_by)?;
        let request = RunQuery {
            query: line.clone(),
            sort,
            is_reversed,
            limit: self.limit,
            ..RunQuery::default()
        };
        let page = open.wait(open.runtime.run_page(&request))?;
        if !page.problems.is_empty() {
            return Err(not_understood(&line, &page.problems));
        }
        let waiting = waiting(&open, page.runs.iter().map(|found| &found.run));
        print_page(app, &page, &waiting);
        app.output.finish("piton.session.page/1", &page)
    }
}

/// Reads the field of `--sort`, and whether its order is turned around.
fn sorted_by(text: &str) -> Result<(Option<RunField>, bool), Failure> {
    let (name, is_reversed) = match text.strip_prefix('-') {
        Some(name) => (name, true),
        None => (text, false),
    };
    match name.parse() {
        Ok(field) => Ok((Some(field), is_reversed)),
        Err(_) => Err(Failure::refused(
            format!("Runs cannot be sorted by `{}`.", shorten(name, NAME_BYTES_MAX)),
            "Sort by active, started, status, workflow, branch, label, gaps, nodes or tips.",
        )),
    }
}

/// Builds the error for a query line, which marks everything that was not understood.
fn not_understood(line: &str, problems: &[QueryProblem]) -> Failure {
    let marked = problems.iter().map(|QueryProblem { start, end, message, .. }| {
        let (before, marks) = (" ".repeat(*start), "^".repeat(end - start));
        format!("\n  {line}\n  {before}{marks}\n  {message}")
    });
    let text = format!("The query was not understood:{}", marked.collect::<String>());
    let valid: Vec<&str> =
        problems.iter().flat_map(|problem| problem.valid.iter().map(String::as_str)).collect();
    let advice = if valid.is_empty() {
        "See what a query can be: piton session list --help".to_owned()
    } else {
        format!("Did you mean: {}?", valid.join(", "))
    };
    Failure::refused(text, advice)
}

/// Returns the runs that wait for a person, among the newest.
fn waiting<'r>(open: &Open, runs: impl Iterator<Item = &'r RunSummary>) -> BTreeSet<RunId> {
    open.block_on(async {
        let mut waiting = BTreeSet::new();
        for run in runs.take(WAITING_CHECKED_MAX) {
            if open.runtime.waits_for_person(run).await {
                waiting.insert(run.run_id);
            }
        }
        waiting
    })
}

fn print_page(app: &App, page: &RunPage, waiting: &BTreeSet<RunId>) {
    let now = App::now();
    if page.runs.is_empty() {
        app.output.print("No run matches.");
    } else {
        let shared = shared_labels(page.runs.iter().map(|found| found.run.label));
        let rows: Vec<_> =
            page.runs.iter().map(|found| row(&found.run, &shared, waiting, now)).collect();
        app.output.table(HEADS, &rows);
    }
    let left = page.total.saturating_sub(page.runs.len() as u64);
    if left > 0 {
        writeln!(app.output, "\nNot shown: {}. Show more with --limit.", count(left, "run"));
    }
    if page.unreadable > 0 {
        writeln!(
            app.output,
            "\n{} cannot be read. See which: piton session list",
            count(page.unreadable, "session")
        );
    }
    if page.unindexed > 0 {
        writeln!(
            app.output,
            "\nThe newest state of {} is missing here, because it could not be indexed. See everything: piton \
             session list",
            count(page.unindexed, "session")
        );
    }
}

fn print(app: &App, list: &SessionList, waiting: &BTreeSet<RunId>) {
    let now = App::now();
    if list.runs.is_empty() {
        app.output.print(if list.troubled.is_empty() {
            "There are no runs yet."
        } else {
            "No run can be read."
        });
    } else {
        let shared = shared_labels(labels(list));
        let rows: Vec<_> = list.runs.iter().map(|run| row(run, &shared, waiting, now)).collect();
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
            let is_shared = shared_labels(labels(list)).contains(&run.label.to_string());
            let name = if is_shared { run.session_id.to_string() } else { run.label.to_string() };
            app.output.advise(format_args!("\nShow one: piton session show {name}"));
            if !waiting.is_empty() {
                app.output.advise("See what waits for you: piton inbox");
            }
        }
        None => {
            app.output.advise(START_A_RUN);
        }
    }
}

/// Iterates over the names of all runs, also of those that cannot be read.
fn labels(list: &SessionList) -> impl Iterator<Item = impl ToString> {
    let troubled = list.troubled.iter().flat_map(|one| &one.labels);
    list.runs.iter().map(|run| &run.label).chain(troubled)
}

/// Returns the names that several runs share: a session that was imported beside its original has the same two words.
fn shared_labels(labels: impl Iterator<Item = impl ToString>) -> BTreeSet<String> {
    let (mut met, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for label in labels {
        if !met.insert(label.to_string()) {
            shared.insert(label.to_string());
        }
    }
    shared
}

fn row(
    run: &RunSummary,
    shared: &BTreeSet<String>,
    waiting: &BTreeSet<RunId>,
    now: TimestampMs,
) -> [Cell; 6] {
    let mut name = run.label.to_string();
    if shared.contains(&name) {
        name = format!("{name} [{}]", ending(&run.session_id.to_string()));
    }
    [
        name.into(),
        run.workflow.id.to_string().into(),
        step(run).into(),
        status(run, waiting),
        cell(run.title.as_str()).into(),
        ago(now, run.active_at).into(),
    ]
}

/// Formats the position of a run among its steps.
fn step(run: &RunSummary) -> String {
    run.step.as_ref().map_or_else(
        || "done".to_owned(),
        |step| format!("{}/{} {}", step.number, step.of, cell(step.title.as_str())),
    )
}

/// Formats the status of a run in a word or two.
fn status(run: &RunSummary, waiting: &BTreeSet<RunId>) -> Cell {
    if waiting.contains(&run.run_id) {
        return Cell::of(Tone::Attention, "waits for you");
    }
    match run.status {
        RunStatus::InProgress => "in progress".into(),
        RunStatus::Blocked => Cell::of(Tone::Attention, "blocked"),
        RunStatus::Complete => Cell::of(Tone::Good, "complete"),
        RunStatus::CompleteWithGaps => Cell::of(Tone::Attention, count(run.open_gaps, "gap")),
    }
}
