//! Write commands: frames on nodes, marks on frames, and files of such operations.

use std::path::PathBuf;

use clap::Args;
use piton_core::shell_word;
use piton_runtime::context;
use piton_runtime::context::{
    Adopted, AgentId, Appended, BasisKind, CONTENT_BYTES_MAX, FrameType, Remedy,
};
use serde_json::json;

use super::inspect::fix;
use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::bounds::BATCH_FILE_BYTES_MAX;
use crate::exit::CommandEnding;
use crate::files;
use crate::messages::count;
use crate::progress::Progress;

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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let content = match (self.text, self.file) {
            (Some(text), _) => text,
            (None, file) => {
                let file = file.expect("the one or the other is given");
                files::read_text(&file, CONTENT_BYTES_MAX as u64)?
            }
        };
        let (session, acting) = ProjectSession::of(app, agent)?;
        let request = context::PutFrame {
            allow_stale: self.allow_stale,
            metadata: self.meta.into_iter().collect(),
            ..context::PutFrame::new(self.node, self.frame_type, content)
        };
        let put = session.open.wait(acting.put_frame(&request))?;
        app.output.print(put.text());
        app.output.finish("piton.context.put/1", &put)
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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let adopted = session.open.wait(acting.adopt(&self.old, &self.new))?;
        for Adopted { path, frame_type, appended, .. } in &adopted {
            let Appended { frame, outcome } = appended;
            writeln!(app.output, "{path} {frame_type}: {frame} ({outcome})");
        }
        app.output
            .advise(format_args!("See them: piton context get-node {}", shell_word(&self.new)));
        app.output.finish("piton.context.adopt/1", &json!({ "frames": adopted }))
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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let marked =
            session.open.wait(acting.invalidate(&self.node, &self.frame_type, &self.because))?;
        let Self { node, frame_type, because } = self;
        writeln!(app.output, "The {frame_type} frame of {node} is to be made again.");
        let (path, head) = marked;
        let remedy = match head.kind {
            BasisKind::Written => Remedy::Put,
            BasisKind::Generated => Remedy::Generate,
            BasisKind::Synthesis => Remedy::Regenerate,
        };
        app.output.advise(fix(&session.project, remedy, &path, &frame_type, &head.agent_id));
        let told = json!({ "node": node, "frameType": frame_type, "reason": because });
        app.output.finish("piton.context.invalidate/1", &told)
    }
}

/// An example operation, shown when a line is not valid.
const EXAMPLE: &str =
    r#"{"op": "put", "node": "src/lib.rs", "frameType": "summary", "content": "…"}"#;

#[derive(Args)]
pub(crate) struct Batch {
    /// The file, one JSON object a line; `-` for standard input
    file: PathBuf,
}

impl Batch {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let text = files::read_text(&self.file, BATCH_FILE_BYTES_MAX)?;
        let (session, acting) = ProjectSession::of(app, agent)?;
        let progress = Progress::begin(app, "Carrying out the batch");
        let lines = session.open.wait(acting.batch(&text))?;
        drop(progress);
        let failed = lines.iter().filter(|line| line.error.is_some());
        for line in failed.clone() {
            if let Some(error) = &line.error {
                writeln!(app.output, "line {}: {}", line.line, error.message);
            }
        }
        let failed = failed.count();
        writeln!(app.output, "{}, {failed} failed.", count(lines.len(), "operation"));
        if failed > 0 {
            writeln!(app.output, "A line is, for example: {EXAMPLE}");
        }
        app.output.reply("piton.context.batch/1", &json!({ "lines": lines, "failed": failed }))?;
        Ok(if failed == 0 { CommandEnding::Done } else { CommandEnding::Wanting })
    }
}
