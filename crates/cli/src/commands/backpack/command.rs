//! The subcommands of `piton backpack`.

use clap::{Args, Subcommand};
use piton_runtime::backpack::inspect::{BackpackReference, Backpacks, Reveal};

use super::{diff, items, list, log, show, verify};
use crate::app::{App, Outcome};
use crate::complete;
use crate::open::Open;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List every backpack, the last one written to first
    #[command(after_help = "Example:\n  piton backpack list")]
    List,
    /// List the commits of a backpack, the newest first: who did what to which key
    #[command(after_help = "Example:\n  piton backpack log research --node chat")]
    Log(log::LogBackpack),
    /// Show a commit: what it stored, and how that differs from before
    #[command(after_help = "Example:\n  piton backpack show research c1f")]
    Show(show::ShowBackpack),
    /// Show everything that happened to a key, the newest first
    #[command(after_help = "Example:\n  piton backpack history research context")]
    History(log::History),
    /// Show who wrote the current values, or each version of one key
    #[command(after_help = "Example:\n  piton backpack blame research context")]
    Blame(items::BlameBackpack),
    /// Show the values after a commit, or the value of one key
    #[command(after_help = "Example:\n  piton backpack at research c1f --key context")]
    At(items::At),
    /// Compare a backpack at two commits, or two backpacks
    #[command(
        after_help = "Examples:\n  piton backpack diff research c1f c2a\n  piton backpack diff research --before chat\n  piton backpack diff research --with research-2"
    )]
    Diff(diff::DiffBackpack),
    /// Show quarantined values: failed attempts, prompts
    #[command(after_help = "Example:\n  piton backpack quarantined research --reveal")]
    Quarantined(show::Quarantined),
    /// Verify every byte of a backpack, or of all of them; nothing is changed
    #[command(after_help = "Example:\n  piton backpack verify research")]
    Verify(verify::Verify),
    /// Make a damaged backpack usable again, and keep what is removed
    #[command(after_help = "Example:\n  piton backpack repair research")]
    Repair(Backpack),
}

/// Names a backpack.
#[derive(Args)]
pub(crate) struct Backpack {
    /// The backpack: its name, the start of its id, or the id of its run
    #[arg(value_name = "RUN", value_parser = reference, add = complete::backpack_names())]
    pub(crate) run: BackpackReference,
}

/// Whether protected values are shown.
#[derive(Args)]
pub(crate) struct Revealing {
    /// Show protected and quarantined values too
    #[arg(long)]
    reveal: bool,
}

impl Revealing {
    pub(super) fn reveal(&self) -> Reveal {
        if self.reveal { Reveal::Protected } else { Reveal::Nothing }
    }
}

pub(crate) fn reference(text: &str) -> Result<BackpackReference, String> {
    if text.trim().is_empty() {
        return Err("it is empty; `piton backpack list` lists the backpacks".to_owned());
    }
    Ok(BackpackReference(text.to_owned()))
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        match self {
            Self::List => list::run(app, &open),
            Self::Log(command) => command.run(app, &open),
            Self::Show(command) => command.run(app, &open),
            Self::History(command) => command.run(app, &open),
            Self::Blame(command) => command.run(app, &open),
            Self::At(command) => command.run(app, &open),
            Self::Diff(command) => command.run(app, &open),
            Self::Quarantined(command) => command.run(app, &open),
            Self::Verify(command) => command.run(app, &open),
            Self::Repair(backpack) => verify::repair(app, &open, &backpack),
        }
    }
}

/// Returns the backpacks of a data directory.
pub(crate) fn backpacks(open: &Open) -> Backpacks {
    Backpacks::new(open.adapters.backpacks.clone())
}
