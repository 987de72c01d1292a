//! `piton blame frame`.

use clap::Args;
use piton_core::TimestampMs;
use piton_runtime::context::{CURRENT_TREE, FrameShown, GetContext};

use super::chain::{self, Blamed};
use crate::{
    app::App, commands::context::ProjectSession, exit::CommandEnding, failure::Failure,
    messages::short,
};

#[derive(Args)]
pub(crate) struct BlameFrame {
    /// The file or directory whose frames are meant
    #[arg(value_name = "PATH")]
    path: String,
}

impl BlameFrame {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let (desk, acting) = ProjectSession::of(app, None)?;
        let request =
            GetContext { node: self.path, past: true, ids_only: true, ..GetContext::default() };
        let node = desk.open.wait(acting.get_context(&request, &CURRENT_TREE))?;
        if node.frames.is_empty() {
            app.output.print(format_args!("There are no frames on {}.", node.path));
        }
        for frame in &node.frames {
            print(app, frame);
        }
        let newest = node.frames.iter().max_by_key(|frame| frame.sequence);
        let entry = |name: &str| newest?.metadata.get(name).map(String::as_str);
        // Older frames name no node. There the step stands for the newest node that was at it.
        let place = entry("node").or(entry("step"));
        let chain = chain::show(app, &desk.open, entry("run").zip(place));
        app.output.reply("piton.blame.frame/1", &Blamed { thing: &node, chain })?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, frame: &FrameShown) {
    let FrameShown { id, frame_type, agent, made, is_fresh, unchecked, .. } = frame;
    let step = frame.metadata.get("step").map(|step| format!(" at {step}")).unwrap_or_default();
    let time = TimestampMs(frame.created_at_ms).utc();
    let fresh = match (is_fresh, unchecked) {
        (true, _) => "fresh",
        (false, None) => "stale",
        (false, Some(_)) => "freshness not checked",
    };
    app.output.print(format_args!(
        "{time}  {agent}{step}  {frame_type}, {made}, {fresh}  [{}]",
        short(id)
    ));
}
