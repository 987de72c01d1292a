//! `piton data`: the file that holds the tables.

use clap::Subcommand;
use piton_store::{
    Error,
    local::{DataDir, repair_table},
};
use serde::Serialize;

use crate::{app::App, exit::Ending, failure::Failure};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check the file of context, Virtual Stores and file records; nothing is changed
    #[command(after_help = "Example:\n  piton data verify")]
    Verify,
    /// Make that file anew from what can still be read of it, keeping the damaged one
    #[command(
        after_help = "No other Piton may use the data directory meanwhile: end servers and agents first.\n\nExample:\n  piton data repair"
    )]
    Repair,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Verified {
    is_sound: bool,
    problems: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Repaired {
    /// Where the damaged file is, if it was damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
    entries: u64,
    gaps: u64,
}

impl Command {
    pub(super) fn run(self, app: &App) -> Result<Ending, Failure> {
        match self {
            Self::Verify => verify(app),
            Self::Repair => repair(app),
        }
    }
}

fn verify(app: &App) -> Result<Ending, Failure> {
    let open = app.open()?;
    let problems = match open.table_status() {
        Ok(status) => status.problems,
        Err(Error::TableDamaged { .. }) => vec!["the database is malformed".to_owned()],
        Err(error) => return Err(error.into()),
    };
    let is_sound = problems.is_empty();
    if is_sound {
        app.output.say("table.sqlite3 is sound.");
    } else {
        app.output
            .say("table.sqlite3 is damaged. Sessions and backpacks do not need it, and work.");
        for problem in &problems {
            app.output.say(format_args!("  {problem}"));
        }
        app.output.say("Fix it: piton data repair");
    }
    app.output.reply("piton.data.verify/1", &Verified { is_sound, problems })?;
    Ok(if is_sound { Ending::Done } else { Ending::Damaged })
}

fn repair(app: &App) -> Result<Ending, Failure> {
    let settings = app.configuration()?.settings();
    let root = app.data_dir(&settings)?;
    let at_root = |source| Failure::DataDir { path: root.clone(), source };
    let dir = DataDir::open_alone(&root).map_err(at_root)?;
    let done = repair_table(&dir)?;
    match &done.aside {
        None => app.output.say("table.sqlite3 is sound. Nothing was changed."),
        Some(aside) => {
            let (kept, root) = (done.kept, app.shown(&root));
            app.output.say(format_args!(
                "table.sqlite3 is new, with all {kept} entries that could be read."
            ));
            if done.gaps > 0 {
                app.output.say(format_args!("Places at which entries are lost: {}.", done.gaps));
            }
            app.output.say(format_args!("The damaged file is kept: {root}/{aside}"));
            app.output.say("Check what is in it: piton context validate, piton workspace verify");
        }
    }
    let reply = Repaired { kept: done.aside, entries: done.kept, gaps: done.gaps };
    app.output.reply("piton.data.repair/1", &reply)?;
    Ok(Ending::Done)
}
