//! Read commands: a node with its frames, lists of frames, and text for a prompt.

use clap::Args;
use piton_core::shell_word;
use piton_runtime::context::{
    AgentContext, ComposeContext, GetContext, NodeShown, OrderName, Right, SourceName,
};
use piton_runtime::context::{
    history::RootRef,
    word::{AgentId, FrameType},
};

use super::project_session::ProjectSession;
use crate::{
    app::App,
    exit::CommandEnding,
    failure::Failure,
    messages::{count, short},
};

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
    order: Option<OrderName>,
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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
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
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
        let asked = self.types.first().cloned();
        let request = GetContext {
            node: self.node,
            types: self.types,
            order: Some(OrderName::Type),
            ids_only: true,
            ..GetContext::default()
        };
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let found = desk.open.wait(acting.get_context(&request, &RootRef::Current))?;
        // A type that was asked for and is missing is a failure, so that a script can test for it.
        if let Some(frame_type) = asked.filter(|_| found.frames.is_empty()) {
            let what = format!("of type {frame_type} at {}", found.path);
            let missing = piton_runtime::context::Error::FrameNotFound { asked: what, path: None };
            return Err(missing.envelope().with_name("PATH", shell_word(&request.node)).into());
        }
        print(app, &acting, &request.node, &found);
        app.output.reply("piton.context.heads/1", &found)?;
        Ok(CommandEnding::Done)
    }
}

fn show(
    app: &App,
    agent: Option<&AgentId>,
    request: &GetContext,
    tree: &RootRef,
    schema: &str,
) -> Result<CommandEnding, Failure> {
    let (desk, acting) = ProjectSession::of(app, agent)?;
    let found = desk.open.wait(acting.get_context(request, tree))?;
    print(app, &acting, &request.node, &found);
    app.output.reply(schema, &found)?;
    Ok(CommandEnding::Done)
}

/// Prints a node that the user named as `node`.
fn print(app: &App, acting: &AgentContext, node: &str, found: &NodeShown) {
    let gone = if found.is_current { "" } else { ", not in the current tree" };
    app.output.print(format_args!(
        "{}  {} {}, {} bytes{gone}",
        found.path,
        found.kind,
        short(&found.id),
        found.size
    ));
    for line in found.about_renames() {
        app.output.advise(line);
    }
    for frame in &found.frames {
        app.output.print(format_args!("{}  {}", short(&frame.id), frame.line()));
        if let Some(content) = &frame.content {
            app.output.print(format_args!("{}\n", crate::messages::indented(content, "    ")));
        }
    }
    let all = usize::try_from(found.frame_count).unwrap_or(usize::MAX);
    if all == 0 && acting.agent().check(Right::Append).is_err() {
        app.output.print("It has no frames.");
    } else if all == 0 {
        app.output.advise(format_args!(
            "It has no frames. Put one: piton context put-frame {} --type summary --text \"…\"",
            shell_word(node)
        ));
    } else {
        app.output.print(format_args!("{} of {}.", found.frames.len(), count(all, "frame")));
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
    sources: Vec<SourceName>,
    /// Take frames from this path as well; may be given several times
    #[arg(long, value_name = "PATH")]
    related: Vec<String>,
    /// The most tokens, at four bytes each
    #[arg(long, value_name = "COUNT")]
    tokens: Option<usize>,
}

impl Compose {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Result<CommandEnding, Failure> {
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
        let (desk, acting) = ProjectSession::of(app, agent)?;
        let composed = desk.open.wait(acting.compose_context(&request))?;
        app.output.print(composed.text().trim_end());
        app.output.reply("piton.context.composed/1", &composed)?;
        Ok(CommandEnding::Done)
    }
}
