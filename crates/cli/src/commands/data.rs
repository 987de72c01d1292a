//! `piton data`: the table file, and the remains that repairs keep.

use clap::Subcommand;
use piton_runtime::context::SetAside;
use piton_runtime::workspaces::kept_virtual;
use piton_store::Error;
use serde::Serialize;

use super::workspace::lost_files;
use crate::adapters::{DataDir, repair_table};
use crate::app::{App, Outcome};
use crate::failure::Failure;
use crate::messages::{count, listed};
use crate::progress::Progress;
use crate::table::Cell;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Verify the table file; nothing is changed
    #[command(after_help = "Example:\n  piton data verify")]
    Verify,
    /// Rebuild the table file from everything in it that can be read, and keep the damaged one
    #[command(
        after_help = "No other Piton may use the data directory during the repair: stop servers and agents first.\n\nExample:\n  piton data repair"
    )]
    Repair,
    /// List everything that repairs of any kind took out of use and kept
    #[command(after_help = "Example:\n  piton data repairs")]
    Repairs,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifiedData {
    is_sound: bool,
    problems: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RepairedData {
    /// Path of the damaged file, if it was damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
    entries: u64,
    gaps: u64,
    /// Number of entries that were changed after they were written, and were taken out of the table.
    damaged: u64,
    /// Set if the file is not the one from before, and is used from now on.
    is_accepted: bool,
    /// The first of the damaged entries.
    damaged_entries: Vec<String>,
    /// Files of the workspaces here that are lost with those entries, according to the records of file changes.
    lost_files: Vec<String>,
}

/// Everything that repairs keep.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Repairs {
    set_aside: Vec<KeptItem>,
    /// Files of Virtual Stores whose entries are kept in the table.
    virtual_files: Vec<String>,
    /// Rows that were taken out of the context of all projects; the table keeps them too.
    context: Vec<SetAside>,
}

/// An item that a repair keeps.
#[derive(Serialize)]
struct KeptItem {
    /// Path relative to the data directory.
    place: String,
    files: u64,
    bytes: u64,
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Outcome {
        match self {
            Self::Verify => verify(app),
            Self::Repair => repair(app),
            Self::Repairs => repairs(app),
        }
    }
}

fn verify(app: &App) -> Outcome {
    let open = app.open()?;
    let progress = Progress::begin(app, "Verifying the table file");
    let status = open.block_on(open.adapters.table_status());
    drop(progress);
    let (problems, is_replaced) = match status {
        Ok(status) => (status.problems, status.is_replaced),
        // A file too damaged to be opened is a finding of this check and not a failure of it.
        Err(Error::TableDamaged { .. }) => (vec!["the database is malformed".to_owned()], false),
        Err(error) => return Err(error.into()),
    };
    let is_sound = problems.is_empty();
    if is_sound {
        app.output.print("table.sqlite3 is sound.");
    } else {
        app.output.print(
            "table.sqlite3 is damaged or was replaced. Sessions and backpacks do not need it and still work.",
        );
        for problem in &problems {
            writeln!(app.output, "  {problem}");
        }
        app.output.advise(if is_replaced {
            Error::TableReplaced.envelope().suggestion
        } else {
            "Fix it: piton data repair".to_owned()
        });
    }
    app.output.verdict("piton.data.verify/1", &VerifiedData { is_sound, problems }, is_sound)
}

fn repair(app: &App) -> Outcome {
    let settings = app.configuration()?.settings();
    let root = app.data_dir(&settings)?;
    // Exclusive, since no other process may use the table while it is replaced.
    let dir = DataDir::open_alone(&root).map_err(|error| Failure::data_dir(&root, &error))?;
    let progress = Progress::begin(app, "Repairing the table file");
    let done = repair_table(&dir)?;
    drop(progress);
    if done.is_accepted {
        app.output.print(
            "table.sqlite3 is not the file from before, and is used from now on. What only the lost file held is gone.",
        );
    }
    match &done.aside {
        None if done.is_accepted => {}
        None => app.output.print("table.sqlite3 is sound. Nothing was changed."),
        Some(aside) => {
            let (kept, root) = (done.kept, app.display_path(&root));
            writeln!(app.output, "table.sqlite3 is rebuilt, with all {kept} intact entries.");
            if done.damaged > 0 {
                let damaged = count(done.damaged, "entry");
                writeln!(
                    app.output,
                    "Taken out because they changed after they were written: {damaged}."
                );
                for entry in &done.damaged_shown {
                    writeln!(app.output, "  {entry}");
                }
                writeln!(app.output, "They are kept: {root}/{aside}/entries.jsonl");
            }
            if done.gaps > 0 {
                writeln!(app.output, "Places where entries are lost: {}.", done.gaps);
            }
            writeln!(app.output, "The damaged file is kept: {root}/{aside}");
            app.output.advise("Check its contents: piton context validate, piton workspace verify");
        }
    }
    // Only a repair that lost entries can have lost files with them.
    let lost_files = if done.gaps + done.damaged > 0 {
        // Opening the directory again needs the exclusive lock released.
        drop(dir);
        app.open().map(|open| lost_files(app, &open)).unwrap_or_default()
    } else {
        Vec::new()
    };
    let reply = RepairedData {
        kept: done.aside,
        entries: done.kept,
        gaps: done.gaps,
        damaged: done.damaged,
        is_accepted: done.is_accepted,
        damaged_entries: done.damaged_shown,
        lost_files,
    };
    app.output.finish("piton.data.repair/1", &reply)
}

/// Lists everything that repairs of any kind keep.
fn repairs(app: &App) -> Outcome {
    let open = app.open()?;
    let root = open.root().to_path_buf();
    // Sessions and backpacks name absolute paths; the others are relative already.
    let relative = |place: String| {
        let path = std::path::Path::new(&place);
        path.strip_prefix(&root).map_or(place.clone(), |path| path.display().to_string())
    };
    let sessions = open.wait(open.runtime.set_aside())?.set_aside.into_iter();
    let sessions = sessions.map(|one| (relative(one.place), one.files, one.bytes));
    let backpacks = open.block_on(open.adapters.backpacks.journal.set_aside(None))?.into_iter();
    let backpacks = backpacks.map(|one| (relative(one.place), one.files, one.bytes));
    let damaged = open.adapters.damaged()?.into_iter().map(|one| (one.place, one.files, one.bytes));
    let mut set_aside: Vec<KeptItem> = sessions
        .chain(backpacks)
        .chain(damaged)
        .map(|(place, files, bytes)| KeptItem { place, files, bytes })
        .collect();
    set_aside.sort_unstable_by(|one, other| one.place.cmp(&other.place));
    let virtual_files = of_table(open.block_on(kept_virtual(&open.files.kept)))?;
    let context = of_table(open.block_on(open.runtime.set_aside_of_context()))?;
    if set_aside.is_empty() && virtual_files.is_empty() && context.is_empty() {
        app.output.print("Nothing was taken out of use.");
    } else {
        let root = app.display_path(&root);
        let rows: Vec<[Cell; 3]> = set_aside.iter().map(|kept| row(&root, kept)).collect();
        if !rows.is_empty() {
            app.output.table(["KEPT IN", "FILES", "BYTES"], &rows);
        }
        if !virtual_files.is_empty() {
            let names = listed(&virtual_files);
            writeln!(app.output, "In the table, from Virtual Stores: {names}");
        }
        if !context.is_empty() {
            let names: Vec<String> = context.iter().map(|row| row.what.clone()).collect();
            writeln!(app.output, "In the table, from context: {}", listed(&names));
        }
        app.output.advise(
            "\nWhat was taken out of a session stays until the session is removed: by `piton session delete RUN` or, after \
             its retention time, by `piton session gc`. Piton removes nothing else. Remove a file yourself once you no \
             longer need it.",
        );
    }
    app.output.finish("piton.data.repairs/1", &Repairs { set_aside, virtual_files, context })
}

/// Returns what the table keeps. A damaged table counts as empty: it is no reason to hide everything else.
fn of_table<T: Default>(kept: Result<T, Error>) -> Result<T, Error> {
    match kept {
        Err(Error::TableDamaged { .. } | Error::TableReplaced | Error::EntryDamaged { .. }) => {
            Ok(T::default())
        }
        kept => kept,
    }
}

fn row(root: &str, kept: &KeptItem) -> [Cell; 3] {
    [
        format!("{root}/{}", kept.place).into(),
        count(kept.files, "file").into(),
        kept.bytes.to_string().into(),
    ]
}
