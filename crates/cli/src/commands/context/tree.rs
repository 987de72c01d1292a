//! `piton context tree`: one directory at a time, with the state of the frames at and below each entry.

use clap::Args;
use piton_core::visible;
use piton_runtime::context::{AgentId, FrameCounts, FrameType, LevelEntry, LevelQuery};

use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::table::Cell;

#[derive(Args)]
pub(crate) struct Tree {
    /// The directory: its path, or the beginning of its id [default: the project]
    node: Option<String>,
    /// Only frames of this type count
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: Option<FrameType>,
    /// Leave out this many entries at the beginning
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    from: usize,
}

impl Tree {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let Self { node, frame_type, from } = self;
        let query = LevelQuery { node, frame_type, from, limit: None };
        let (session, acting) = ProjectSession::of(app, agent)?;
        let level = session.open.wait(acting.level(&query))?;
        let rows: Vec<[Cell; 4]> = level.entries.iter().map(row).collect();
        if rows.is_empty() {
            writeln!(app.output, "There is nothing in {}.", visible(&level.path.to_string()));
        } else {
            app.output.table(["ENTRY", "FRESH", "STALE", "MISSING"], &rows);
        }
        let shown = level.from + level.entries.len();
        if shown < level.total {
            let more = level.total - shown;
            app.output.advise(format_args!("and {more} more; see them with --from {shown}"));
        }
        if let Some(reason) = &level.unchecked {
            writeln!(
                app.output,
                "Nothing counts as fresh, because the files could not be checked: {reason}."
            );
        }
        app.output.finish("piton.context.tree/1", &level)
    }
}

fn row(entry: &LevelEntry) -> [Cell; 4] {
    let number = |of: fn(&FrameCounts) -> u64| {
        entry.counts.as_ref().map_or_else(|| "?".to_owned(), |counts| of(counts).to_string())
    };
    [
        visible(&entry.name).into_owned().into(),
        number(|counts| counts.fresh).into(),
        number(|counts| counts.stale).into(),
        number(|counts| counts.missing).into(),
    ]
}
