//! Read commands: a node with its frames, lists of frames, and text for a prompt.

use clap::Args;
use piton_core::{shell_word, visible};
use piton_runtime::context;
use piton_runtime::context::{
    AgentContext, AgentId, ComposeContext, ComposePreview, ComposeSource, FrameType, GetContext,
    NodeContext, Order, PreviewedFrame, Right, RootRef,
};

use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::messages::{count, indented, short};
use crate::table::Cell;

/// Which frames are meant.
#[derive(Args)]
struct Which {
    /// Only frames of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<FrameType>,
    /// Only frames of this agent; may be given several times
    #[arg(long = "by", value_name = "AGENT")]
    by: Vec<AgentId>,
    /// The most frames
    #[arg(long, value_name = "COUNT")]
    max_frames: Option<usize>,
    /// In which order: recency, type, agent or relevance
    #[arg(long, value_name = "ORDER")]
    order: Option<Order>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people write or leave out")]
#[derive(Args)]
pub(crate) struct GetNode {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    #[command(flatten)]
    which: Which,
    /// Only fresh frames
    #[arg(long, conflicts_with = "stale")]
    fresh: bool,
    /// Only stale frames
    #[arg(long)]
    stale: bool,
    /// Frames that were replaced as well
    #[arg(long)]
    past: bool,
    /// Leave contents out
    #[arg(long)]
    ids: bool,
    /// The node as it was in this tree
    #[arg(long, value_name = "TREE")]
    at: Option<RootRef>,
}

impl GetNode {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let fresh = if self.fresh { Some(true) } else { self.stale.then_some(false) };
        let request = GetContext {
            node: self.node,
            types: self.which.types,
            agents: self.which.by,
            fresh,
            max_frames: self.which.max_frames,
            order: self.which.order,
            past: self.past,
            ids_only: self.ids,
        };
        show(app, agent, &request, &self.at.unwrap_or_default(), "piton.context.node/1")
    }
}

#[derive(Args)]
pub(crate) struct ListFrames {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    #[command(flatten)]
    which: Which,
}

impl ListFrames {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let request = GetContext {
            node: self.node,
            types: self.which.types,
            agents: self.which.by,
            // No limit by default: without contents, even a long list stays readable.
            max_frames: Some(self.which.max_frames.unwrap_or(usize::MAX)),
            order: self.which.order,
            past: true,
            ids_only: true,
            ..GetContext::default()
        };
        show(app, agent, &request, &RootRef::Current, "piton.context.frames/1")
    }
}

#[derive(Args)]
pub(crate) struct GetHead {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    /// Only the frame of this type; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<FrameType>,
}

impl GetHead {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let asked = self.types.first().cloned();
        let request = GetContext {
            node: self.node,
            types: self.types,
            order: Some(Order::Type),
            ids_only: true,
            ..GetContext::default()
        };
        let (session, acting) = ProjectSession::of(app, agent)?;
        let found = session.open.wait(acting.get_context(&request, &RootRef::Current))?;
        // A type that was asked for and is missing is a failure, so that a script can test for it.
        if let Some(frame_type) = asked.filter(|_| found.frames.is_empty()) {
            let what = format!("of type {frame_type} at {}", found.node.path);
            let missing = context::Error::FrameNotFound { asked: what, path: None };
            return Err(missing.envelope().with_name("PATH", shell_word(&request.node)).into());
        }
        print(app, &acting, &request.node, &found);
        app.output.finish("piton.context.heads/1", &found)
    }
}

fn show(
    app: &App,
    agent: Option<&AgentId>,
    request: &GetContext,
    tree: &RootRef,
    schema: &str,
) -> Outcome {
    let (session, acting) = ProjectSession::of(app, agent)?;
    let found = session.open.wait(acting.get_context(request, tree))?;
    print(app, &acting, &request.node, &found);
    app.output.finish(schema, &found)
}

/// Prints a node that the user named as `node`.
fn print(app: &App, acting: &AgentContext, node: &str, found: &NodeContext) {
    let gone = if found.is_current { "" } else { ", not in the current tree" };
    writeln!(
        app.output,
        "{}  {} {}, {} bytes{gone}",
        found.node.path,
        found.node.kind,
        short(&found.node.id.to_string()),
        found.node.size
    );
    for line in found.about_renames() {
        app.output.advise(line);
    }
    for frame in &found.frames {
        writeln!(app.output, "{}  {}", short(&frame.id.to_string()), frame.line());
        if frame.content.is_some() {
            writeln!(app.output, "{}\n", indented(&frame.text(), "    "));
        }
    }
    let all = found.frame_count;
    if all == 0 && acting.agent().check(Right::Append).is_err() {
        app.output.print("It has no frames.");
    } else if all == 0 {
        app.output.advise(format_args!(
            "It has no frames. Put one: piton context put-frame {} --type summary --text \"…\"",
            shell_word(node)
        ));
    } else {
        writeln!(app.output, "{} of {}.", found.frames.len(), count(all, "frame"));
    }
}

#[derive(Args)]
pub(crate) struct Compose {
    /// The file or directory: its path, or the beginning of its id
    node: String,
    #[command(flatten)]
    which: Which,
    /// Take frames from here: own, parent or siblings; may be given several times
    #[arg(long = "source", value_name = "SOURCE")]
    sources: Vec<ComposeSource>,
    /// Take frames from this path as well; may be given several times
    #[arg(long, value_name = "PATH")]
    related: Vec<String>,
    /// The most tokens, at four bytes each
    #[arg(long, value_name = "COUNT")]
    tokens: Option<usize>,
    /// Show which frames fit, and what each of the others needs, instead of the text
    #[arg(long)]
    preview: bool,
}

impl Compose {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let request = ComposeContext {
            node: self.node,
            sources: self.sources,
            related: self.related,
            types: self.which.types,
            agents: self.which.by,
            max_frames: self.which.max_frames,
            max_tokens: self.tokens,
            order: self.which.order,
        };
        let (session, acting) = ProjectSession::of(app, agent)?;
        if self.preview {
            let preview = session.open.wait(acting.preview_context(&request))?;
            say_preview(app, &preview);
            return app.output.finish("piton.context.preview/1", &preview);
        }
        let composed = session.open.wait(acting.compose_context(&request))?;
        app.output.print(composed.text().trim_end());
        app.output.finish("piton.context.composed/1", &composed)
    }
}

/// Prints the frames that a composition chooses from.
fn say_preview(app: &App, preview: &ComposePreview) {
    let row = |one: &PreviewedFrame| -> [Cell; 4] {
        let fits = match (one.is_included, one.fits_at) {
            (true, _) => "fits".to_owned(),
            (false, Some(tokens)) => format!("from {tokens} tokens on"),
            (false, None) => "beyond --max-frames".to_owned(),
        };
        let what = format!("{} by {}", one.frame.frame_type, one.frame.agent);
        let path = visible(&one.frame.path.to_string()).into_owned();
        [path.into(), what.into(), one.tokens.to_string().into(), fits.into()]
    };
    let rows: Vec<_> = preview.frames.iter().map(row).collect();
    if !rows.is_empty() {
        app.output.table(["PATH", "FRAME", "TOKENS", "FITS"], &rows);
    }
    writeln!(app.output, "{} of {} tokens are used.", preview.tokens, preview.max_tokens);
    if preview.left_out > 0 {
        writeln!(app.output, "{} more are not shown.", count(preview.left_out, "frame"));
    }
}
