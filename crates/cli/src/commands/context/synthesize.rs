//! Frames from frames: synthesis and regeneration.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use piton_core::{Envelope, UnknownValue};
use piton_runtime::context::generate::Generator;
use piton_runtime::context::{
    AgentContext, AgentId, FrameType, Missing, PolicyName, ProjectContext, RegenerateFrames,
    RegenerateScope, Remedy, Right, SkippedFrame, SynthesizeFrames,
};
use serde_json::json;

use super::generate;
use super::inspect::fix;
use super::project_session::ProjectSession;
use crate::app::{App, Outcome};
use crate::exit::CommandEnding;
use crate::progress::Progress;

/// The way that frames become one: by a fixed rule, or by a model.
#[derive(Clone, Copy)]
enum How {
    Rule(PolicyName),
    Model,
}

impl FromStr for How {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "model" {
            return Ok(Self::Model);
        }
        text.parse().map(Self::Rule).map_err(|error: UnknownValue| format!("{error}, model"))
    }
}

#[derive(Args)]
pub(crate) struct Synthesize {
    /// The directory: its path, or the beginning of its id
    node: String,
    /// The type of the new frame
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: FrameType,
    /// The type of the frames that it is made from, `*` for all [default: that of the new frame]
    #[arg(long, value_name = "TYPE")]
    inputs: Option<String>,
    /// How: concatenation, summarization, filtering, or model, which asks one
    #[arg(long, value_name = "POLICY")]
    policy: Option<How>,
    /// With summarization: the most bytes
    #[arg(long, value_name = "COUNT")]
    max_bytes: Option<u64>,
    /// With filtering: only this type; may be given several times
    #[arg(long = "only-type", value_name = "TYPE")]
    types: Vec<FrameType>,
    /// With filtering: only this agent; may be given several times
    #[arg(long = "only-by", value_name = "AGENT")]
    agents: Vec<AgentId>,
    /// With filtering: the most frames
    #[arg(long, value_name = "COUNT")]
    max_frames: Option<u64>,
    /// Every directory below first
    #[arg(long)]
    recursive: bool,
    /// What to do about directories below that lack the frame: refuse, synthesize or skip
    #[arg(long, value_name = "WHAT")]
    missing: Option<Missing>,
    #[command(flatten)]
    asking: generate::ModelOptions,
}

impl Synthesize {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let policy = match self.policy {
            Some(How::Model) => return self.by_model(app, &session, &acting),
            Some(How::Rule(policy)) => Some(policy),
            None => None,
        };
        let request = SynthesizeFrames {
            node: self.node,
            frame_type: self.frame_type,
            inputs: self.inputs,
            policy,
            max_bytes: self.max_bytes,
            types: self.types,
            agents: self.agents,
            max_frames: self.max_frames,
            recursive: self.recursive,
            missing: self.missing,
        };
        let progress = Progress::begin(app, "Synthesising");
        let made = session.open.wait(acting.synthesize(&request))?;
        drop(progress);
        app.output.print(made.text());
        app.output.finish("piton.context.synthesize/1", &made)
    }

    /// Lets a model write the frame of the directory from those of its entries.
    fn by_model(&self, app: &App, session: &ProjectSession, acting: &AgentContext) -> Outcome {
        // Synthesis by a model needs the right to synthesize, which generating alone does not check.
        acting.agent().check(Right::Synthesize).map_err(Envelope::from)?;
        let Self { node, frame_type, recursive, .. } = self;
        let request = self.asking.request(node.clone(), frame_type.clone(), *recursive, false);
        let generator = Generator::new(&session.project.settings, acting, &request);
        let plan = session.open.wait(generator.plan())?;
        let done = self.asking.generate(app, session, generator, &plan)?;
        generate::print(app, &done);
        app.output.reply(
            "piton.context.generate/1",
            &json!({ "estimate": plan.estimate, "generated": done }),
        )?;
        Ok(if done.is_complete() { CommandEnding::Done } else { CommandEnding::Wanting })
    }
}

/// Suggests a remedy for frames that stay stale: first a text that a person or an agent writes, then one that a model
/// writes. If neither is the cause, the cause lies outside of the requested scope.
fn next_step(project: &ProjectContext, stale: &[SkippedFrame]) -> String {
    let order = [Remedy::Put, Remedy::Generate, Remedy::RegenerateEverything];
    let first = order.iter().find_map(|remedy| stale.iter().find(|one| one.remedy == *remedy));
    match first {
        Some(SkippedFrame { remedy, path, frame_type, agent, .. }) => {
            fix(project, *remedy, path, frame_type, agent)
        }
        None => "See what has to be fixed first: piton context status".to_owned(),
    }
}

#[derive(Args)]
pub(crate) struct Regenerate {
    /// Where: a path, or the beginning of an id; the whole project if it is left out
    node: Option<String>,
    /// How far: node, subtree or ancestors [default: subtree]
    #[arg(long, value_name = "SCOPE")]
    scope: Option<RegenerateScope>,
    /// With ancestors: how many directories above
    #[arg(long, value_name = "COUNT")]
    depth: Option<usize>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: Option<FrameType>,
    /// Only this frame, by its whole id
    #[arg(long, value_name = "ID")]
    frame: Option<String>,
    /// Check everything, also where nothing is noted as changed
    #[arg(long)]
    everything: bool,
    /// How long to wait for another process that regenerates; without it, the command fails at once
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

impl Regenerate {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let request = RegenerateFrames {
            node: self.node,
            scope: self.scope,
            depth: self.depth,
            frame_type: self.frame_type,
            frame: self.frame,
            everything: self.everything,
            wait: self.wait.map(Duration::from_secs),
            ..RegenerateFrames::default()
        };
        let progress = Progress::begin(app, "Regenerating what changed");
        let done = session.open.wait(acting.regenerate(&request))?;
        drop(progress);
        app.output.print(done.text());
        if !done.is_fresh() {
            app.output.advise(next_step(&session.project, &done.skipped));
        }
        app.output.reply("piton.context.regenerate/1", &done)?;
        Ok(if done.is_fresh() { CommandEnding::Done } else { CommandEnding::Wanting })
    }
}
