//! `piton backpack show`.

use clap::Args;
use piton_backpack::Action;
use piton_core::shell_word;
use piton_runtime::backpack::inspect::{CommitLine, CommitShown, Hidden, Reveal};

use super::command::{Backpack, Revealing, backpacks};
use super::lines::{author_text, say_value, size};
use crate::text_diff::say_diff;
use crate::{app::App, exit::CommandEnding, failure::Failure, open::Open};

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
    pub(super) fn run(self, app: &App, open: &Open) -> Result<CommandEnding, Failure> {
        let Self { backpack, commit, revealing } = self;
        let shown = backpacks(open);
        let shown = open.wait(shown.show(&backpack.run, &commit, revealing.reveal()))?;
        print(app, &shown);
        app.output.advise(format_args!("\n{}", next_step(&shown, &backpack.run.0, &revealing)));
        app.output.reply("piton.backpack.show/1", &shown)?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, shown: &CommitShown) {
    let (output, line) = (&app.output, &shown.line);
    output.print(format_args!("{} {} {}", line.short, line.action, line.key));
    output.print(format_args!("  by       {}", author_text(&line.by)));
    output.print(format_args!("  time     {} UTC", line.timestamp_ms.utc()));
    if let Some(version) = line.version {
        output.print(format_args!("  version  {version}"));
    }
    if let Some(bytes) = line.size {
        output.print(format_args!("  size     {}", size(bytes)));
    }
    if let Some(replaced) = &line.replaced {
        output.print(format_args!("  over     what {replaced} packed"));
    }
    if let Some(refused) = line.refused {
        output.print(format_args!("  refused  {refused}"));
    }
    if let Some(reason) = &line.reason {
        output.print(format_args!("  because  {reason}"));
    }
    if let Some(provenance) = &line.provenance {
        output.print(format_args!("  for      step {} of {}", provenance.step, provenance.run));
    }
    if line.abandoned {
        output.print("  taken back later, because its node did not finish");
    }
    output.print(format_args!("  id       {}", line.commit));
    if !shown.diff.is_empty() {
        output.print("");
        say_diff(app, &shown.diff, shown.left_out_lines, "  ");
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
        format!("Its whole value: piton backpack at {name} {short} --key {key}{reveal}")
    } else {
        format!("The state after it: piton backpack at {name} {short}")
    }
}
