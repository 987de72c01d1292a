//! `piton backpack quarantined`.

use clap::Args;
use piton_runtime::backpack::inspect::{QuarantineLine, QuarantineList};

use super::command::{Backpack, Revealing, backpacks};
use super::lines::{say_left_out, say_value, size};
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    open::Open,
    table::{self, Cell},
};

const HEADS: [&str; 6] = ["COMMIT", "TIME (UTC)", "NODE", "KEY", "SIZE", "BECAUSE"];

#[derive(Args)]
pub(crate) struct Quarantined {
    #[command(flatten)]
    backpack: Backpack,
    #[command(flatten)]
    revealing: Revealing,
}

impl Quarantined {
    pub(super) fn run(self, app: &App, open: &Open) -> Result<CommandEnding, Failure> {
        let Self { backpack, revealing } = self;
        let all = backpacks(open);
        let list = open.wait(all.quarantined(&backpack.run, revealing.reveal()))?;
        print(app, &list, &backpack.run.0);
        app.output.reply("piton.backpack.quarantined/1", &list)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, list: &QuarantineList, name: &str) {
    let Some(newest) = list.entries.first() else {
        app.output.print("Nothing is quarantined.");
        return;
    };
    let is_revealed =
        |entry: &QuarantineLine| entry.value.as_ref().is_some_and(|value| value.text.is_some());
    // Revealed values may have many lines, for which a table has no room.
    if list.entries.iter().any(is_revealed) {
        for entry in &list.entries {
            let QuarantineLine { short, by, key, reason, .. } = entry;
            app.output.print(format_args!("{short}  {}  {key}: {reason}", by.id));
            if let Some(value) = &entry.value {
                say_value(app, value, "    ");
            }
        }
    } else {
        let rows: Vec<_> = list.entries.iter().map(row).collect();
        for line in table::lines(HEADS, &rows) {
            app.output.print(line);
        }
    }
    say_left_out(app, list.left_out, "entries");
    let short = &newest.short;
    app.output.advise(format_args!("\nOne of them: piton backpack show {name} {short} --reveal"));
}

fn row(entry: &QuarantineLine) -> [Cell; 6] {
    [
        entry.short.clone().into(),
        entry.timestamp_ms.utc().into(),
        entry.by.id.to_string().into(),
        entry.key.to_string().into(),
        size(entry.size).into(),
        entry.reason.clone().into(),
    ]
}
