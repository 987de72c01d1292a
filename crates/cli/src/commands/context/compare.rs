//! Comparison of trees, and reports on one.

use clap::Args;
use piton_runtime::context::{history::RootRef, tree::ChangeKind};
use serde_json::json;

use super::project_session::ProjectSession;
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    messages::{count, short},
};

piton_core::closed_set! {
    /// What makes a report fail.
    pub(crate) enum FailOn {
        /// A stale frame.
        Stale => "stale",
        /// A node without any frame.
        Missing => "missing",
    }
}

#[derive(Args)]
pub(crate) struct DiffContext {
    /// The older tree [default: the one before the newest]
    old: Option<RootRef>,
    /// The newer tree [default: the newest]
    new: Option<RootRef>,
}

impl DiffContext {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let desk = ProjectSession::new(app)?;
        let (old, new) = (self.old.unwrap_or(RootRef::Back(1)), self.new.unwrap_or_default());
        let found = desk.open.wait(desk.frames.diff(&old, &new))?;
        app.output.print(format_args!(
            "From tree {} {} to tree {} {}:",
            found.old.sequence,
            short(&found.old.root.to_string()),
            found.new.sequence,
            short(&found.new.root.to_string()),
        ));
        for change in &found.changes {
            match &change.renamed_from {
                Some(from) => app.output.print(format_args!("renamed  {from} -> {}", change.path)),
                None => app.output.print(format_args!("{:<8} {}", change.change, change.path)),
            }
        }
        for frame in &found.frames {
            let which = match frame.change {
                ChangeKind::Added => "for the newer",
                _ => "for the older",
            };
            app.output.print(format_args!(
                "frame    {} {} by {}, {which}",
                frame.path, frame.frame_type, frame.agent
            ));
        }
        app.output.print(format_args!(
            "{} and {} differ.",
            count(found.changes.len(), "path"),
            count(found.frames.len(), "frame")
        ));
        app.output.reply("piton.context.diff/1", &found)?;
        Ok(CommandEnding::Done)
    }
}

#[derive(Args)]
pub(crate) struct ReportContext {
    /// Judge against this tree [default: the newest]
    #[arg(long, value_name = "TREE")]
    at: Option<RootRef>,
    /// Print Markdown, as pull requests show it
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// End with code 1 if something is stale, or if a node has no frame: stale or missing
    #[arg(long, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
}

impl ReportContext {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let desk = ProjectSession::new(app)?;
        let report = desk.open.wait(desk.frames.report(&self.at.unwrap_or_default()))?;
        let text = if self.markdown { report.markdown() } else { report.text() };
        app.output.print(text.trim_end());
        let failed = self.fail_on.iter().any(|what| match what {
            // Frames that could not be checked may be stale, so the report does not pass.
            FailOn::Stale => !report.stale.is_empty() || report.unchecked.is_some(),
            FailOn::Missing => report.nodes_with_frames < report.nodes,
        });
        app.output
            .reply("piton.context.report/1", &json!({ "report": report, "failed": failed }))?;
        Ok(if failed { CommandEnding::Wanting } else { CommandEnding::Done })
    }
}
