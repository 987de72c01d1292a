//! `piton diff`: the differences between two runs, backpacks, overlays or recorded trees.

use clap::Args;
use piton_core::Digest;
use piton_runtime::provenance::{
    Became, BranchSide, ChangedKey, ChangedOutput, CommitTaken, FileWritten, FrameWritten,
    KeyWritten, ThingComparison, ThingKind, ThingReference, WrittenKind, WrittenThings,
};

use super::blame::say_link;
use super::workspace::WorkspaceArguments;
use super::worlds::OpenWorlds;
use crate::app::{App, Outcome};
use crate::complete;
use crate::messages::{ago, short};
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct DiffThings {
    /// The first: a run (RUN@NODE), a backpack or flow run (NAME@COMMIT), the path of an overlay, or a recorded tree (@,
    /// @-1)
    #[arg(value_name = "A", add = complete::things())]
    left: ThingReference,
    /// The second, of the same kind
    #[arg(value_name = "B", add = complete::things())]
    right: ThingReference,
    #[command(flatten)]
    chosen: WorkspaceArguments,
}

impl DiffThings {
    pub(crate) fn run(self, app: &App) -> Outcome {
        let here = OpenWorlds::new(app, self.chosen.declared(app)?)?;
        let worlds = here.worlds();
        let compared = here.open.runtime.compare(&self.left, &self.right, &worlds);
        let compared = here.open.wait(compared)?;
        print(app, &compared);
        app.output.finish("piton.diff/1", &compared)
    }
}

fn print(app: &App, compared: &ThingComparison) {
    match &compared.ancestor {
        Some(ancestor) => {
            writeln!(app.output, "Both come from {}.", ancestor.name);
            if let Some(step) = &ancestor.step {
                say_link(app, step);
            }
            if !ancestor.written.is_empty() {
                app.output.print("Written at that step, by either side:");
                say_written(app, &ancestor.written);
            }
        }
        None if compared.kind == ThingKind::Run => {
            app.output.print("The two have no step in common.");
        }
        None => app.output.print("The two have nothing in common."),
    }
    say_side(app, "-", &compared.left);
    say_side(app, "+", &compared.right);
    say_changes(app, compared);
    for note in &compared.notes {
        writeln!(app.output, "\n{note}");
    }
}

fn say_side(app: &App, mark: &str, side: &BranchSide) {
    writeln!(app.output, "\n{mark} {}", side.name);
    for link in &side.steps {
        say_link(app, link);
    }
    for CommitTaken { commit, at, by, action, key, summary } in &side.commits {
        let (commit, age) = (styled(Tone::Faint, commit), ago(App::now(), *at));
        writeln!(app.output, "  {commit}  {by} {action} {key}  {summary}  {age}");
    }
    say_more(app, side.commits_left_out, "commits");
    say_written(app, &side.written);
    if side.steps.is_empty() && side.commits.is_empty() && side.written.is_empty() {
        app.output.print("  nothing since");
    }
}

fn say_written(app: &App, written: &WrittenThings) {
    for KeyWritten { backpack, key, became } in &written.keys {
        say_what(app, &format!("{key} in {backpack}"), became, Clone::clone);
    }
    say_more(app, written.keys_left_out, "keys");
    for FileWritten { path, became } in &written.files {
        say_what(app, path, became, digits);
    }
    say_more(app, written.files_left_out, "files");
    for FrameWritten { path, frame_type, became } in &written.frames {
        say_what(app, &format!("frame {frame_type} on {path}"), became, digits);
    }
    say_more(app, written.frames_left_out, "frames");
}

/// Prints a change: line by line if there is a diff, else the values before and after, formatted by `held`.
fn say_what<Held>(app: &App, what: &str, became: &Became<Held>, held: impl Fn(&Held) -> String) {
    let Became { kind, by, before, after, diff, left_out } = became;
    let (mark, state) = match kind {
        WrittenKind::Added => ("+", Tone::Good),
        WrittenKind::Modified => ("~", Tone::Attention),
        WrittenKind::Deleted => ("-", Tone::Bad),
    };
    let by = by.as_ref().map(|by| format!("  by {by}")).unwrap_or_default();
    writeln!(app.output, "  {} {what}{by}", styled(state, mark));
    if diff.is_empty() {
        let words = |side: &Option<Held>| side.as_ref().map_or_else(|| "nothing".to_owned(), &held);
        writeln!(app.output, "      {} → {}", words(before), words(after));
    } else {
        app.output.diff(diff, *left_out, "      ");
    }
}

/// Shortens a digest.
fn digits(digest: &Digest) -> String {
    short(&digest.to_string()).to_owned()
}

fn say_more(app: &App, count: usize, what: &str) {
    if count > 0 {
        writeln!(app.output, "  and {count} more {what}");
    }
}

fn say_changes(app: &App, compared: &ThingComparison) {
    for ChangedOutput { step, artifact, diff, left_out, .. } in &compared.outputs {
        let what = artifact.as_deref().unwrap_or("notes");
        writeln!(app.output, "\n{what} of {step}");
        app.output.diff(diff, *left_out, "");
    }
    if !compared.context.is_empty() {
        app.output.print("\ncontext");
    }
    for ChangedKey { key, left, right } in &compared.context {
        for (mark, state, value) in [("-", Tone::Bad, left), ("+", Tone::Good, right)] {
            if let Some(value) = value {
                let line = format!("{mark} {key}: {value}");
                app.output.print(styled(state, line));
            }
        }
    }
    let is_run = compared.kind == ThingKind::Run;
    if is_run && compared.outputs.is_empty() && compared.context.is_empty() {
        app.output.print("\nNothing that was submitted differs.");
    }
}
