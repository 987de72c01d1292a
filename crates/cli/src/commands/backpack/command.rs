//! The subcommands of `piton backpack`.

use clap::{Args, Subcommand};
use piton_runtime::backpack::inspect::{BackpackReference, Backpacks, Reveal};

use super::{at, blame, diff, list, log, quarantined, show, verify};
use crate::{app::App, exit::CommandEnding, failure::Failure, open::Open};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every backpack, the one that was written to last in front
    #[command(after_help = "Example:\n  piton backpack list")]
    List,
    /// Its commits, the newest first: who did what to which key
    #[command(after_help = "Example:\n  piton backpack log research --node chat")]
    Log(log::LogBackpack),
    /// One commit: what it stored, and how that differs from before
    #[command(after_help = "Example:\n  piton backpack show research c1f")]
    Show(show::ShowBackpack),
    /// Everything that happened to one key, the newest first
    #[command(after_help = "Example:\n  piton backpack history research context")]
    History(log::History),
    /// Who wrote what is in use, or each version of one key
    #[command(after_help = "Example:\n  piton backpack blame research context")]
    Blame(blame::BlameBackpack),
    /// What was in use after a commit, or what one key held
    #[command(after_help = "Example:\n  piton backpack at research c1f --key context")]
    At(at::At),
    /// What differs between two moments, or between two backpacks
    #[command(
        after_help = "Examples:\n  piton backpack diff research c1f c2a\n  piton backpack diff research --before chat\n  piton backpack diff research --with research-2"
    )]
    Diff(diff::DiffBackpack),
    /// What was taken out of use or never got there: failed attempts, prompts
    #[command(after_help = "Example:\n  piton backpack quarantined research --reveal")]
    Quarantined(quarantined::Quarantined),
    /// Check every byte of a backpack, or of all; nothing is changed
    #[command(after_help = "Example:\n  piton backpack verify research")]
    Verify(verify::Verify),
    /// Make a damaged backpack usable again, keeping what is taken away
    #[command(after_help = "Example:\n  piton backpack repair research")]
    Repair(Backpack),
}

/// Names a backpack.
#[derive(Args)]
pub(crate) struct Backpack {
    /// The backpack: its name, the start of its id, or the id of the run on it
    #[arg(value_name = "RUN", value_parser = reference)]
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
        return Err("it is empty; `piton backpack list` shows which there are".to_owned());
    }
    Ok(BackpackReference(text.to_owned()))
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
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
    Backpacks::new(open.backpacks())
}
