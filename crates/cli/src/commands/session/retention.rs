//! `piton session gc`, `piton session delete` and `piton session keep`: which sessions stay, and for how long.

use clap::Args;
use piton_runtime::reply::{CleanedUp, SetAsideShown};
use piton_store::collect::CollectMode;

use crate::app::{App, Outcome};
use crate::arguments::RunArgument;
use crate::ask::{can_ask, confirm};
use crate::exit::{CommandEnding, is_damage};
use crate::failure::Failure;
use crate::messages::count;
use crate::progress::Progress;

#[derive(Args)]
pub(crate) struct Gc {
    /// Only show what would be deleted
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    run: RunArgument,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

#[derive(Args)]
pub(crate) struct Keep {
    #[command(flatten)]
    run: RunArgument,
    /// Delete it after its retention time again, like any other
    #[arg(long)]
    no_longer: bool,
}

impl Gc {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let mode = if self.dry_run { CollectMode::Rehearse } else { CollectMode::Remove };
        let progress = Progress::begin(app, "Looking for what nothing refers to");
        let mut cleaned = open.wait(open.runtime.clean(mode))?;
        drop(progress);
        app.output.complete_all(&mut cleaned.warnings);
        say_cleaned(app, &cleaned);
        app.output.reply("piton.session.gc/1", &cleaned)?;
        // Whatever could not be read is kept, with everything that it may refer to, so the work is not complete.
        let is_held_up = cleaned.warnings.iter().any(|warning| is_damage(warning.code));
        Ok(if is_held_up { CommandEnding::Damaged } else { CommandEnding::Done })
    }
}

fn say_cleaned(app: &App, cleaned: &CleanedUp) {
    let removed = if cleaned.is_rehearsal { "Would delete" } else { "Deleted" };
    let CleanedUp { young, kept, spared, .. } = cleaned;
    writeln!(
        app.output,
        "{removed} {} past their retention time.",
        count(cleaned.removed.len(), "session")
    );
    for session in &cleaned.removed {
        writeln!(app.output, "  {session}");
    }
    writeln!(
        app.output,
        "Left: {} not old enough, {kept} kept on purpose, {spared} that could not be deleted.",
        count(*young, "session")
    );
    let blobs: u64 = cleaned.blobs.iter().map(|swept| swept.removed).sum();
    let bytes: u64 = cleaned.blobs.iter().map(|swept| swept.removed_bytes).sum();
    writeln!(app.output, "{removed} {blobs} blobs that nothing refers to ({bytes} bytes).");
    for warning in &cleaned.warnings {
        writeln!(app.output, "\n{}\n{}", warning.message, warning.suggestion);
    }
    if cleaned.safe_mode {
        app.output.print("Because of this, nothing was deleted that might still be needed.");
    } else if cleaned.is_rehearsal {
        app.output.advise("Do it: piton session gc");
    } else {
        app.output.advise("Keep a session for good: piton session keep RUN");
    }
}

impl Delete {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let along = open.wait(open.runtime.deleted_along(&self.run.run))?;
        let along: Vec<String> = along.iter().map(along_line).collect();
        // Shown before the question, so that the answer covers it. Without a terminal, the refusal below carries it.
        if self.yes || can_ask() {
            for line in &along {
                app.output.print(line);
            }
        }
        if !self.yes {
            match confirm(&format!("Delete the session {} for good?", self.run.run.0)) {
                Some(true) => {}
                Some(false) => {
                    app.output.print("Nothing was deleted.");
                    return Ok(CommandEnding::Wanting);
                }
                None => {
                    let refused =
                        "There is no terminal to ask for confirmation, so nothing was deleted."
                            .to_owned();
                    return Err(Failure::refused(
                        [vec![refused], along].concat().join("\n"),
                        format!(
                            "Add --yes if you are sure; `piton session export {} FILE` keeps a copy.",
                            self.run.run.0
                        ),
                    ));
                }
            }
        }
        let deleted = open.wait(open.runtime.delete_session(&self.run.run))?;
        open.log.about(deleted.session_id);
        writeln!(app.output, "Deleted {}.", deleted.session_id);
        app.output.advise("The next `piton session gc` deletes what nothing else refers to.");
        app.output.finish("piton.session.delete/1", &deleted)
    }
}

/// Describes the remains of a repair that are deleted along with the session.
fn along_line(kept: &SetAsideShown) -> String {
    let files = count(kept.files, "file");
    format!(
        "What a repair took out of it is deleted too: {files}, {} bytes in {}",
        kept.bytes, kept.place
    )
}

impl Keep {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let kept = open.wait(open.runtime.keep_session(&self.run.run, !self.no_longer))?;
        open.log.about(kept.session_id);
        let session = kept.session_id;
        if kept.kept {
            writeln!(app.output, "{session} is kept past its retention time.");
            app.output.advise(format_args!("Undo it: piton session keep {session} --no-longer"));
        } else {
            writeln!(app.output, "{session} is deleted after its retention time.");
            app.output.advise(format_args!("Keep it again: piton session keep {session}"));
        }
        app.output.finish("piton.session.keep/1", &kept)
    }
}
