//! `piton backpack show` and `piton backpack quarantined`: commits with the values that they stored or set aside.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::backpack::inspect::{
    CommitLine, CommitShown, Hidden, QuarantineLine, QuarantineList, Reveal, ValueShown,
};
use piton_runtime::backpack::{Action, NodeIdentity};
use piton_runtime::page::Page;

use super::command::{Backpack, Revealing, backpacks};
use crate::app::{App, Outcome};
use crate::messages::{indented, size};
use crate::open::Open;
use crate::table::Cell;

const QUARANTINE_HEADS: [&str; 6] = ["COMMIT", "TIME (UTC)", "NODE", "KEY", "SIZE", "BECAUSE"];

#[derive(Args)]
pub(crate) struct ShowBackpack {
    #[command(flatten)]
    backpack: Backpack,
    /// The commit, as the log shows it
    #[arg(value_name = "COMMIT")]
    commit: String,
    #[command(flatten)]
    revealing: Revealing,
}

impl ShowBackpack {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, commit, revealing } = self;
        let shown = backpacks(open);
        let shown = open.wait(shown.show(&backpack.run, &commit, revealing.reveal()))?;
        print(app, &shown);
        app.output.advise(format_args!("\n{}", next_step(&shown, &backpack.run.0, &revealing)));
        app.output.finish("piton.backpack.show/1", &shown)
    }
}

fn print(app: &App, shown: &CommitShown) {
    let (output, line) = (&app.output, &shown.line);
    writeln!(output, "{} {} {}", line.short, line.action, line.key);
    writeln!(output, "  by       {}", author_text(&line.by));
    writeln!(output, "  time     {} UTC", line.timestamp_ms.utc());
    if let Some(version) = line.version {
        writeln!(output, "  version  {version}");
    }
    if let Some(bytes) = line.size {
        writeln!(output, "  size     {}", size(bytes));
    }
    if let Some(replaced) = &line.replaced {
        writeln!(output, "  over     what {replaced} packed");
    }
    if let Some(refused) = line.refused {
        writeln!(output, "  refused  {refused}");
    }
    if let Some(reason) = &line.reason {
        writeln!(output, "  because  {reason}");
    }
    if let Some(provenance) = &line.provenance {
        writeln!(output, "  for      step {} of {}", provenance.step, provenance.run);
    }
    if line.abandoned {
        output.print("  taken back later, because its node did not finish");
    }
    writeln!(output, "  id       {}", line.commit);
    if !shown.diff.is_empty() {
        output.print("");
        app.output.diff(&shown.diff, shown.left_out_lines, "  ");
    } else if let Some(value) = &shown.value {
        output.print("");
        say_value(app, value, "  ");
    }
}

/// Suggests the next command for a person who wants to see more.
fn next_step(shown: &CommitShown, name: &str, revealing: &Revealing) -> String {
    let CommitLine { short, key, action, .. } = &shown.line;
    let value = shown.value.as_ref();
    if value.and_then(|value| value.hidden).is_some_and(Hidden::can_be_revealed) {
        "Show its value: add --reveal".to_owned()
    } else if value.is_some_and(|value| value.left_out_bytes > 0) && *action == Action::Pack {
        let reveal = if revealing.reveal() == Reveal::Protected { " --reveal" } else { "" };
        let key = shell_word(key.as_str());
        format!("Show its whole value: piton backpack at {name} {short} --key {key}{reveal}")
    } else {
        format!("Show the state after it: piton backpack at {name} {short}")
    }
}

#[derive(Args)]
pub(crate) struct Quarantined {
    #[command(flatten)]
    backpack: Backpack,
    #[command(flatten)]
    revealing: Revealing,
}

impl Quarantined {
    pub(super) fn run(self, app: &App, open: &Open) -> Outcome {
        let Self { backpack, revealing } = self;
        let all = backpacks(open);
        let list =
            open.wait(all.quarantined(&backpack.run, revealing.reveal(), Page::default()))?;
        say_quarantined(app, &list, &backpack.run.0);
        app.output.finish("piton.backpack.quarantined/1", &list)
    }
}

fn say_quarantined(app: &App, list: &QuarantineList, name: &str) {
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
            writeln!(app.output, "{short}  {}  {key}: {reason}", by.id);
            if let Some(value) = &entry.value {
                say_value(app, value, "    ");
            }
        }
    } else {
        let rows: Vec<_> = list.entries.iter().map(quarantine_row).collect();
        app.output.table(QUARANTINE_HEADS, &rows);
    }
    app.output.left_out(list.left_out, "entries");
    let short = &newest.short;
    app.output.advise(format_args!("\nShow one: piton backpack show {name} {short} --reveal"));
}

fn quarantine_row(entry: &QuarantineLine) -> [Cell; 6] {
    [
        entry.short.clone().into(),
        entry.timestamp_ms.utc().into(),
        entry.by.id.to_string().into(),
        entry.key.to_string().into(),
        size(entry.size).into(),
        entry.reason.clone().into(),
    ]
}

/// Formats the author of a change, with its place in the flow.
pub(super) fn author_text(by: &NodeIdentity) -> String {
    match &by.namespace {
        Some(namespace) => format!("{} ({namespace})", by.id),
        None => by.id.to_string(),
    }
}

/// Prints a value, or the reason that it is not shown.
pub(super) fn say_value(app: &App, value: &ValueShown, margin: &str) {
    match (&value.text, value.hidden) {
        (Some(text), _) => app.output.print(indented(text, margin)),
        (None, why) => {
            let why = why.map_or("not kept", Hidden::as_str);
            writeln!(app.output, "{margin}[{why}, {}]", size(value.size));
        }
    }
    if value.left_out_bytes > 0 {
        writeln!(app.output, "{margin}… and {} more bytes", value.left_out_bytes);
    }
}
