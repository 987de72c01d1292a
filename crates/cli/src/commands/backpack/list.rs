//! `piton backpack list`.

use piton_runtime::backpack::inspect::{BackpackLine, BackpackList};
use piton_runtime::flow::RunStatus;
use piton_runtime::page::Page;

use super::command::backpacks;
use crate::app::{App, Outcome};
use crate::messages::ago;
use crate::open::Open;
use crate::style::Tone;
use crate::table::Cell;

const HEADS: [&str; 6] = ["BACKPACK", "FLOW", "STATUS", "NODES", "KEYS", "LAST"];

pub(super) fn run(app: &App, open: &Open) -> Outcome {
    let mut list = open.wait(backpacks(open).list(Page::default()))?;
    app.output.complete_all(list.troubled.iter_mut().map(|one| &mut one.trouble));
    print(app, &list);
    app.output.finish("piton.backpack.list/1", &list)
}

fn print(app: &App, list: &BackpackList) {
    let rows: Vec<_> = list.backpacks.iter().map(row).collect();
    if rows.is_empty() && list.troubled.is_empty() {
        app.output.print("There are no backpacks yet.");
    } else if !rows.is_empty() {
        app.output.table(HEADS, &rows);
    }
    for one in &list.troubled {
        let (id, trouble) = (&one.id, &one.trouble);
        writeln!(app.output, "\n{id} is damaged. {}\n{}", trouble.message, trouble.suggestion);
    }
    app.output.left_out(list.left_out, "older backpacks");
    match list.backpacks.first() {
        Some(line) => {
            app.output.advise(format_args!("\nShow one: piton backpack log {}", line.short));
        }
        None if !list.troubled.is_empty() => {}
        None => app.output.advise("Running a flow creates one: piton flow run FILE"),
    }
}

fn row(line: &BackpackLine) -> [Cell; 6] {
    let run = line.run.as_ref();
    let mut flow = run.and_then(|run| run.flow.clone()).unwrap_or_else(|| "–".to_owned());
    if let Some(origin) = &line.origin {
        flow = format!("{flow}, forked from {}", origin.backpack);
    }
    let status = run.map_or_else(|| "–".into(), |run| status(run.status));
    let steps = run.map_or_else(|| "–".to_owned(), |run| run.steps.to_string());
    let last = line.last_ms.map_or_else(|| "never".to_owned(), |last| ago(App::now(), last));
    [
        line.short.clone().into(),
        flow.into(),
        status,
        steps.into(),
        line.keys.to_string().into(),
        last.into(),
    ]
}

/// Formats the status of a run as a word in a colour.
fn status(status: RunStatus) -> Cell {
    let state = match status {
        RunStatus::Done => Tone::Good,
        RunStatus::Failed => Tone::Bad,
        RunStatus::Running | RunStatus::Cancelled => Tone::Attention,
    };
    Cell::of(state, status.as_str())
}
