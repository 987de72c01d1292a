//! `piton session verify`, `piton session repair` and `piton session repairs`.

use piton_runtime::reply::{SetAsideShown, Soundness};

use crate::app::{App, Outcome};
use crate::arguments::{LatestRun, RunArgument};
use crate::messages::count;
use crate::open::Open;
use crate::progress::Progress;
use crate::table::Cell;

pub(super) fn verify(app: &App, run: LatestRun) -> Outcome {
    let open = app.open()?;
    let run = open.run_or_latest(run.run)?;
    let progress = Progress::begin(app, "Verifying the session");
    let verdict = open.wait(open.runtime.verify_session(&run))?;
    drop(progress);
    let verdict = summarized(app, &open, verdict);
    app.output.verdict("piton.session.verify/1", &verdict, verdict.is_sound)
}

pub(super) fn repair(app: &App, run: &RunArgument) -> Outcome {
    let open = app.open()?;
    let progress = Progress::begin(app, "Repairing the session");
    let verdict = open.wait(open.runtime.repair_session(&run.run))?;
    drop(progress);
    let verdict = summarized(app, &open, verdict);
    if verdict.is_sound {
        app.output.advise(format_args!(
            "It can be continued. Look at it: piton session show {}",
            verdict.session_id
        ));
    }
    app.output.verdict("piton.session.repair/1", &verdict, verdict.is_sound)
}

/// Lists what was taken out of sessions.
pub(super) fn repairs(app: &App) -> Outcome {
    let open = app.open()?;
    let list = open.wait(open.runtime.set_aside())?;
    if list.set_aside.is_empty() {
        app.output.print("Nothing was taken out of any session.");
    } else {
        let rows: Vec<_> = list.set_aside.iter().map(row).collect();
        app.output.table(["KEPT IN", "FILES", "BYTES", "SESSION"], &rows);
        app.output.advise(
            "\nThey stay until their session is deleted: by `piton session delete RUN` or, after its retention time, by \
             `piton session gc`. Remove a directory yourself once you no longer need it.",
        );
    }
    app.output.finish("piton.session.repairs/1", &list)
}

fn row(kept: &SetAsideShown) -> [Cell; 4] {
    [
        kept.place.clone().into(),
        count(kept.files, "file").into(),
        kept.bytes.to_string().into(),
        kept.session_id.clone().into(),
    ]
}

/// Completes the summary, and prints it.
fn summarized(app: &App, open: &Open, mut verdict: Soundness) -> Soundness {
    open.log.about(verdict.session_id);
    verdict.summary = app.output.complete(&verdict.summary).into_owned();
    app.output.print(&verdict.summary);
    verdict
}
