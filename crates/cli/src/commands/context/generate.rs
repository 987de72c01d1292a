//! `piton context generate`, and the models that it asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use piton_runtime::bounds::{GENERATE_ANSWER_TOKENS, GENERATE_AT_ONCE, GENERATE_AT_ONCE_MAX};
use piton_runtime::context::generate::{
    Estimate, Fate, GenerateFrames, GenerateProgress, GenerateSpec, Generated, Generator,
    OnFailure, Plan,
};
use piton_runtime::context::{AgentId, FrameType};
use piton_runtime::models::{ModelSettings, ProviderName, SystemSecrets, client};
use serde_json::json;

use super::project_session::ProjectSession;
use crate::adapters::{SystemClock, SystemTimer};
use crate::app::{App, Outcome};
use crate::bounds::SETTINGS_BYTES_MAX;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::count;
use crate::progress::Progress;
use crate::{ask, files};

#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people write or leave out")]
#[derive(Args)]
pub(crate) struct Generate {
    /// The file or directory: its path, or the beginning of its id
    #[arg(default_value = ".")]
    node: String,
    /// The type of the new frames
    #[arg(long = "type", value_name = "TYPE")]
    frame_type: FrameType,
    #[command(flatten)]
    asking: ModelOptions,
    /// Everything below first, from the bottom up
    #[arg(long)]
    recursive: bool,
    /// Ask again where the frame is there already
    #[arg(long)]
    force: bool,
    /// Only say what it would cost at most
    #[arg(long)]
    dry_run: bool,
    /// Do not ask before models are
    #[arg(long)]
    yes: bool,
}

/// Who is asked, and how.
#[derive(Args)]
pub(super) struct ModelOptions {
    /// What the model is asked for [default: the prompt of the agent]
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Give it the frames of this path as well; may be given several times
    #[arg(long, value_name = "PATH")]
    related: Vec<String>,
    /// Who is asked [default: the provider of the agent, else the default one]
    #[arg(long, value_name = "NAME")]
    provider: Option<ProviderName>,
    /// Which model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Which models may be asked: a file with `providers` [default: `[models]` of your configuration]
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// After a failure: stop, or continue with the others
    #[arg(long, value_name = "WHAT", default_value = "stop")]
    on_failure: OnFailure,
    /// The most tokens of one answer
    #[arg(long, value_name = "COUNT", default_value_t = GENERATE_ANSWER_TOKENS)]
    answer_tokens: u32,
    /// How many are asked at once
    #[arg(long, value_name = "COUNT", default_value_t = GENERATE_AT_ONCE)]
    at_once: usize,
    /// How many calls a minute the provider gets at most
    #[arg(long, value_name = "COUNT")]
    per_minute: Option<u32>,
    /// What a million tokens cost, sent and answered, to tell what it costs at most
    #[arg(long, value_name = "IN,OUT", value_parser = price)]
    price: Option<(f64, f64)>,
}

fn price(text: &str) -> Result<(f64, f64), String> {
    let parts = text.split_once(',').and_then(|(sent, answered)| {
        Some((sent.trim().parse::<f64>().ok()?, answered.trim().parse::<f64>().ok()?))
    });
    parts.ok_or_else(|| "write two numbers, as in 3,15".to_owned())
}

impl ModelOptions {
    pub(super) fn request(
        &self,
        node: String,
        frame_type: FrameType,
        recursive: bool,
        force: bool,
    ) -> GenerateFrames {
        GenerateFrames {
            node,
            frame_type,
            prompt: self.prompt.clone(),
            related: self.related.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            recursive,
            force,
            on_failure: self.on_failure,
            answer_tokens_max: self.answer_tokens,
            at_once: self.at_once.clamp(1, GENERATE_AT_ONCE_MAX),
            per_minute: self.per_minute,
        }
    }

    /// Carries out a plan, with a progress line.
    pub(super) fn generate(
        &self,
        app: &App,
        session: &ProjectSession,
        generator: Generator<'_>,
        plan: &Plan,
    ) -> Result<Generated, Failure> {
        let asking = asking(app, self.models.as_deref())?;
        let progress = Progress::begin(app, "Asking");
        let report = |now: GenerateProgress<'_>| {
            progress.count(now.done, now.all, &now.node.path.to_string());
        };
        Ok(session.open.block_on(generator.generate(plan, &asking, &report)))
    }
}

impl Generate {
    pub(super) fn run(self, app: &App, agent: Option<&AgentId>) -> Outcome {
        let (session, acting) = ProjectSession::of(app, agent)?;
        let Self { node, frame_type, asking, recursive, force, .. } = &self;
        let request = asking.request(node.clone(), frame_type.clone(), *recursive, *force);
        // Planning asks no model, so the user sees the estimate before anything costs money.
        let generator = Generator::new(&session.project.settings, &acting, &request);
        let plan = session.open.wait(generator.plan())?;
        self.say_estimate(app, plan.estimate);
        if self.dry_run {
            app.output.reply("piton.context.estimate/1", &plan.estimate)?;
            return Ok(CommandEnding::Done);
        }
        // A single call is what the user just asked for; only several are worth a question. Without a terminal, no
        // answer means no.
        if plan.estimate.calls > 1 && !self.yes && ask::confirm("Ask?") != Some(true) {
            return Err(Failure::refused(
                format!("No model was asked: {} wait for your yes.", calls(plan.estimate)),
                "Add --yes to continue, or --dry-run to see what it costs.",
            ));
        }
        let done = self.asking.generate(app, &session, generator, &plan)?;
        print(app, &done);
        let told = json!({ "estimate": plan.estimate, "generated": done });
        app.output.reply("piton.context.generate/1", &told)?;
        Ok(if done.is_complete() { CommandEnding::Done } else { CommandEnding::Wanting })
    }

    fn say_estimate(&self, app: &App, estimate: Estimate) {
        let Estimate { input_tokens, output_tokens_max, existing, .. } = estimate;
        writeln!(
            app.output,
            "{}, about {input_tokens} tokens sent and at most {output_tokens_max} answered; \
             {existing} are there already.",
            calls(estimate)
        );
        if let Some((sent, answered)) = self.asking.price {
            writeln!(app.output, "It costs at most {:.4}.", cost(estimate, sent, answered));
        }
    }
}

/// Computes the cost of an estimate, at prices per million tokens.
#[expect(
    clippy::cast_precision_loss,
    reason = "a price is an estimate, and 2^53 tokens cost more than there is"
)]
fn cost(estimate: Estimate, sent: f64, answered: f64) -> f64 {
    const MILLION: f64 = 1_000_000.0;
    let Estimate { input_tokens, output_tokens_max, .. } = estimate;
    (input_tokens as f64 * sent + output_tokens_max as f64 * answered) / MILLION
}

fn calls(estimate: Estimate) -> String {
    count(estimate.calls, "call")
}

pub(super) fn print(app: &App, done: &Generated) {
    for node in &done.nodes {
        let by = match (&node.provider, &node.model) {
            (Some(provider), Some(model)) => format!(" by {provider} {model}"),
            _ => String::new(),
        };
        let why = node.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        writeln!(app.output, "{:<8} {}{by}{why}", node.fate, node.path);
    }
    writeln!(
        app.output,
        "{} made, {} there already, {} kept, {} skipped, {} failed, {} not started; {} tokens.",
        done.count(Fate::Made),
        done.count(Fate::Existing),
        done.count(Fate::Kept),
        done.count(Fate::Skipped),
        done.count(Fate::Failed),
        done.count(Fate::NotStarted),
        done.usage.total(),
    );
    app.output.advise(if !done.is_complete() {
        "Run the command again to continue; what is done stays."
    } else if done.count(Fate::Existing) > 0 && done.count(Fate::Made) == 0 {
        "Nothing was asked. Ask again with --force."
    } else {
        "Read it: piton context compose PATH"
    });
}

/// Returns the providers of a file, else those of `[models]` in the user's configuration, else the built-in ones.
fn asking(app: &App, file: Option<&Path>) -> Result<GenerateSpec, Failure> {
    let settings = match file {
        Some(path) => ModelSettings::parse(&files::read_text(path, SETTINGS_BYTES_MAX)?)?,
        None => ModelSettings::configured(&app.configuration()?)?,
    };
    let timer = Arc::new(SystemTimer);
    let models = client(settings, Arc::new(SystemSecrets), Arc::clone(&timer) as _)?;
    Ok(GenerateSpec { models, clock: Arc::new(SystemClock), timer })
}
