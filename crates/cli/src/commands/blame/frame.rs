//! `piton blame frame`.

use clap::Args;
use piton_runtime::context::{GetContext, RootRef, ViewedFrame};

use super::chain;
use super::chain::Blamed;
use crate::app::App;
use crate::commands::context::ProjectSession;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::short;

#[derive(Args)]
pub(crate) struct BlameFrame {
    /// The file or directory whose frames are meant
    #[arg(value_name = "PATH")]
    path: String,
}

impl BlameFrame {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let (session, acting) = ProjectSession::of(app, None)?;
        let request =
            GetContext { node: self.path, past: true, ids_only: true, ..GetContext::default() };
        let node = session.open.wait(acting.get_context(&request, &RootRef::Current))?;
        if node.frames.is_empty() {
            app.output.print(format_args!("There are no frames on {}.", node.node.path));
        }
        for frame in &node.frames {
            print(app, frame);
        }
        let newest = node.frames.iter().max_by_key(|frame| frame.sequence);
        let entry = |name: &str| newest?.metadata.get(name);
        // Older frames name no node. There the step stands for the newest node that was at it.
        let place = entry("node").or(entry("step"));
        let chain = chain::show(app, &session.open, entry("run").zip(place));
        app.output.reply("piton.blame.frame/1", &Blamed { thing: &node, chain })?;
        Ok(CommandEnding::Done)
    }
}

fn print(app: &App, frame: &ViewedFrame) {
    let ViewedFrame { id, frame_type, agent, basis, freshness, .. } = frame;
    let step = frame.metadata.get("step").map(|step| format!(" at {step}")).unwrap_or_default();
    let time = frame.created_at_ms.utc();
    let fresh = match (freshness.is_fresh(), freshness.unchecked()) {
        (true, _) => "fresh",
        (false, None) => "stale",
        (false, Some(_)) => "freshness not checked",
    };
    app.output.print(format_args!(
        "{time}  {agent}{step}  {frame_type}, {}, {fresh}  [{}]",
        basis.kind(),
        short(&id.to_string())
    ));
}
