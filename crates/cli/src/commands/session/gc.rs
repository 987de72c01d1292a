//! `piton session gc`.

use clap::Args;
use piton_runtime::reply::CleanedUp;
use piton_store::collect::CollectMode;

use crate::{
    app::App,
    exit::{CommandEnding, is_damage},
    failure::Failure,
    messages::count,
};

#[derive(Args)]
pub(crate) struct Gc {
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
}

impl Gc {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let open = app.open()?;
        let intent = if self.dry_run { CollectMode::Rehearse } else { CollectMode::Remove };
        let mut cleaned = open.wait(open.runtime.clean(intent))?;
        app.output.complete_all(&mut cleaned.warnings);
        print(app, &cleaned);
        app.output.reply("piton.session.gc/1", &cleaned)?;
        // Whatever could not be read is kept, with everything that it may refer to, so the work is not complete.
        let is_held_up = cleaned.warnings.iter().any(|warning| is_damage(warning.code));
        Ok(if is_held_up { CommandEnding::Damaged } else { CommandEnding::Done })
    }
}

fn print(app: &App, cleaned: &CleanedUp) {
    let would = if cleaned.is_rehearsal { "Would remove" } else { "Removed" };
    let CleanedUp { young, kept, spared, .. } = cleaned;
    app.output.print(format_args!(
        "{would} {} past their time.",
        count(cleaned.removed.len(), "session")
    ));
    for session in &cleaned.removed {
        app.output.print(format_args!("  {session}"));
    }
    app.output.print(format_args!(
        "Left: {} not old enough, {kept} kept on purpose, {spared} that could not be removed.",
        count(*young, "session")
    ));
    let blobs: u64 = cleaned.blobs.iter().map(|swept| swept.removed).sum();
    let bytes: u64 = cleaned.blobs.iter().map(|swept| swept.removed_bytes).sum();
    app.output.print(format_args!("{would} {blobs} blobs that nothing refers to ({bytes} bytes)."));
    for warning in &cleaned.warnings {
        app.output.print(format_args!("\n{}\n{}", warning.message, warning.suggestion));
    }
    if cleaned.safe_mode {
        app.output.print("Because of this, nothing was removed that might still be needed.");
    } else if cleaned.is_rehearsal {
        app.output.advise("Do it: piton session gc");
    } else {
        app.output.advise("Keep a session for good: piton session keep RUN");
    }
}
