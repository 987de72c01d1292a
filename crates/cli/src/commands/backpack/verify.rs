//! `piton backpack verify` and `piton backpack repair`.

use clap::Args;
use piton_runtime::backpack::inspect::{BackpackReference, BackpackSoundness};
use serde::Serialize;

use super::command::{Backpack, backpacks, reference};
use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::count;
use crate::open::Open;
use crate::progress::Progress;

#[derive(Args)]
pub(crate) struct Verify {
    /// The backpack: its name, the start of its id, or the id of its run [default: all]
    #[arg(value_name = "RUN", value_parser = reference, add = complete::backpack_names())]
    run: Option<BackpackReference>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifiedBackpack<'a> {
    is_sound: bool,
    backpacks: &'a [BackpackSoundness],
}

impl Verify {
    pub(super) fn run(&self, app: &App, open: &Open) -> Outcome {
        let progress = Progress::begin(app, "Verifying backpacks");
        let mut verdicts = open.wait(backpacks(open).verify(self.run.as_ref()))?;
        drop(progress);
        for verdict in &mut verdicts {
            complete(app, verdict);
        }
        let damaged = verdicts.iter().filter(|verdict| !verdict.is_sound);
        let is_sound = damaged.clone().next().is_none();
        // Unfinished bytes at the end are no damage, but worth a line.
        let noteworthy = |one: &&BackpackSoundness| !one.is_sound || one.unfinished_bytes > 0;
        if self.run.is_none() && !verdicts.iter().any(|verdict| noteworthy(&verdict)) {
            let found = count(verdicts.len(), "backpack");
            writeln!(app.output, "{found}, every byte as it was written.");
        }
        for verdict in verdicts.iter().filter(|one| self.run.is_some() || noteworthy(one)) {
            print(app, verdict);
        }
        let verified = VerifiedBackpack { is_sound, backpacks: &verdicts };
        app.output.verdict("piton.backpack.verify/1", &verified, is_sound)
    }
}

pub(super) fn repair(app: &App, open: &Open, backpack: &Backpack) -> Outcome {
    let blobs = &*open.adapters.ports.blobs;
    let progress = Progress::begin(app, "Repairing the backpack");
    let mut verdict = open.wait(backpacks(open).repair(&backpack.run, blobs))?;
    drop(progress);
    complete(app, &mut verdict);
    print(app, &verdict);
    app.output.verdict("piton.backpack.repair/1", &verdict, verdict.is_sound)
}

fn complete(app: &App, verdict: &mut BackpackSoundness) {
    verdict.next = verdict.next.take().map(|next| app.output.complete(&next).into_owned());
}

fn print(app: &App, verdict: &BackpackSoundness) {
    app.output.print(&verdict.summary);
    if let Some(next) = &verdict.next {
        app.output.print(next);
    }
}
