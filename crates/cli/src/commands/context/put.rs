//! Write commands: frames on nodes, and marks on frames.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;
use piton_core::shell_word;
use piton_runtime::context;
use piton_runtime::context::{
    bounds::CONTENT_BYTES_MAX,
    frame::BasisKind,
    report::Remedy,
    word::{AgentId, FrameType},
};
use serde_json::json;

use super::{inspect::fix, project_session::ProjectSession};
use crate::{app::App, exit::CommandEnding, failure::Failure, files};

#[derive(Args)]
pub(crate) struct PutFrame {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    /// What the frame says about it, for example summary
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: FrameType,
    /// What it says
    #[arg(long, conflicts_with = "file", required_unless_present = "file")]
    text: Option<String>,
    /// The file that holds what it says; `-` for standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Something else about it; may be given several times
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = pair)]
    meta: Vec<(String, String)>,
    /// Take an id that is not current any more
    #[arg(long)]
    allow_stale: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl PutFrame {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let content = match (self.text, self.file) {
            (Some(text), _) => text,
            (None, file) => {
                let file = file.expect("the one or the other is given");
                files::read_text(&file, CONTENT_BYTES_MAX as u64)?
            }
        };
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let request = context::PutFrame {
            node: self.node,
            frame_type: self.frame_type,
            content,
            allow_stale: self.allow_stale,
        };
        let meta: BTreeMap<String, String> = self.meta.into_iter().collect();
        let put = desk.open.wait(acting.put_frame(request, meta))?;
        app.output.print(put.text());
        app.output.reply("piton.context.put/1", &put)?;
        Ok(CommandEnding::Done)
    }
}

#[derive(Args)]
pub(crate) struct Adopt {
    /// The path that has the frames; it may be gone
    old: String,
    /// The file or directory that gets them
    new: String,
}

impl Adopt {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let adopted = desk.open.wait(acting.adopt(&self.old, &self.new))?;
        app.output.print(adopted.text());
        app.output
            .advise(format_args!("See them: piton context get-node {}", shell_word(&self.new)));
        app.output.reply("piton.context.adopt/1", &adopted)?;
        Ok(CommandEnding::Done)
    }
}

#[derive(Args)]
pub(crate) struct Invalidate {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    /// The type of the frame
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: FrameType,
    /// Why
    #[arg(long, value_name = "REASON")]
    because: String,
}

impl Invalidate {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let marked =
            desk.open.wait(acting.invalidate(&self.node, &self.frame_type, &self.because))?;
        let Self { node, frame_type, because } = self;
        app.output.print(format_args!("The {frame_type} frame of {node} is to be made anew."));
        let (path, head) = marked;
        let remedy = match head.kind {
            BasisKind::Written => Remedy::Put,
            BasisKind::Generated => Remedy::Generate,
            BasisKind::Synthesis => Remedy::Regenerate,
        };
        app.output.advise(fix(&desk.frames, remedy, &path, &frame_type, &head.agent_id));
        let told = json!({ "node": node, "frameType": frame_type, "reason": because });
        app.output.reply("piton.context.invalidate/1", &told)?;
        Ok(CommandEnding::Done)
    }
}
