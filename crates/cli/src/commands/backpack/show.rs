//! `piton backpack show`.

use clap::Args;
use piton_runtime::state::look::CommitShown;

use super::command::{Backpack, Revealing, backpacks};
use super::lines::{is_hidden, say_value, size, who};
use crate::text_diff::say_diff;
use crate::{app::App, exit::Ending, failure::Failure, open::Open, time::utc};

#[derive(Args)]
pub(crate) struct Show {
    #[command(flatten)]
    backpack: Backpack,
    /// The commit, as the log shows it
    #[arg(value_name = "COMMIT")]
    commit: String,
    #[command(flatten)]
    revealing: Revealing,
}

impl Show {
    pub(super) fn run(self, app: &App, open: &Open) -> Result<Ending, Failure> {
        let Self { backpack, commit, revealing } = self;
        let shown = backpacks(open);
        let shown = open.wait(shown.show(&backpack.run, &commit, revealing.reveal()))?;
        say(app, &shown, &backpack.run.0);
        app.output.reply("piton.backpack.show/1", &shown)?;
        Ok(Ending::Done)
    }
}

fn say(app: &App, shown: &CommitShown, name: &str) {
    let (output, line) = (&app.output, &shown.line);
    output.say(format_args!("{} {} {}", line.short, line.action, line.key));
    output.say(format_args!("  by       {}", who(&line.by)));
    output.say(format_args!("  time     {} UTC", utc(line.timestamp_ms)));
    if let Some(version) = line.version {
        output.say(format_args!("  version  {version}"));
    }
    if let Some(bytes) = line.size {
        output.say(format_args!("  size     {}", size(bytes)));
    }
    if let Some(replaced) = &line.replaced {
        output.say(format_args!("  over     what {replaced} packed"));
    }
    if let Some(refused) = line.refused {
        output.say(format_args!("  refused  {refused}"));
    }
    if let Some(reason) = &line.reason {
        output.say(format_args!("  because  {reason}"));
    }
    if let Some(provenance) = &line.provenance {
        output.say(format_args!("  for      step {} of {}", provenance.step, provenance.run));
    }
    if line.abandoned {
        output.say("  taken back later, because its node did not finish");
    }
    output.say(format_args!("  id       {}", line.commit));
    if !shown.diff.is_empty() {
        output.say("");
        say_diff(app, &shown.diff, shown.left_out_lines, "  ");
    } else if let Some(value) = &shown.value {
        output.say("");
        say_value(app, value, "  ");
    }
    if shown.value.as_ref().is_some_and(is_hidden) {
        output.say("\nShow its value: add --reveal");
    } else {
        let short = &line.short;
        output.say(format_args!("\nThe state after it: piton backpack at {name} {short}"));
    }
}
