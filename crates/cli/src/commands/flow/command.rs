//! What `piton flow` can be asked.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use piton_backpack::BackpackId;
use piton_flow::bounds::{CONFIG_BYTES_MAX, STEPS_DEFAULT};
use piton_flow::{Cancel, RunStatus};
use piton_runtime::flows::{FlowPorts, FlowRan, Flows, Heard, ResumeFlow, RunFlow};
use piton_store::local::SystemTimer;
use serde_json::{Map, Value, json};

use super::outside;
use crate::{app::App, exit::Ending, failure::Failure, files, open::Open};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what is wrong with a flow, without running it
    #[command(after_help = "Example:\n  piton flow check research.json")]
    Check(File),
    /// Print a flow as a Mermaid flowchart
    #[command(after_help = "Example:\n  piton flow graph research.json")]
    Graph(File),
    /// Run a flow, kept in a backpack
    #[command(after_help = "Example:\n  piton flow run research.json --set query=\"prices 2026\"")]
    Run(Run),
    /// Go on with a run after the last node that finished
    #[command(after_help = "Example:\n  piton flow resume research.json --backpack pack_5d…")]
    Resume(Resume),
}

/// A flow in a file.
#[derive(Args)]
pub(crate) struct File {
    /// The flow as JSON; `-` for standard input
    file: PathBuf,
    /// The tools of these MCP servers: a file with `mcpServers`
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
}

/// What every run takes.
#[derive(Args)]
pub(crate) struct Going {
    #[command(flatten)]
    file: File,
    /// Which models may be asked: a file with `providers`
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// The most nodes that it visits
    #[arg(long, value_name = "COUNT", default_value_t = STEPS_DEFAULT)]
    steps_max: u64,
    /// Print each event as a line of JSON as it happens, and nothing else
    #[arg(long, conflicts_with = "json")]
    events: bool,
}

#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    going: Going,
    /// Pack this before it starts; the value is JSON, or else a text
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = item)]
    items: Vec<(String, Value)>,
    /// The backpack that keeps it; a new one if none is named
    #[arg(long, value_name = "ID")]
    backpack: Option<BackpackId>,
}

#[derive(Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    going: Going,
    /// The backpack that keeps the run
    #[arg(long, value_name = "ID")]
    backpack: BackpackId,
}

fn item(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    Ok((key.to_owned(), value))
}

impl Command {
    pub(crate) fn run(self, app: &App) -> Result<Ending, Failure> {
        match self {
            Self::Check(file) => file.check(app),
            Self::Graph(file) => file.graph(app),
            Self::Run(run) => run.run(app),
            Self::Resume(resume) => resume.run(app),
        }
    }
}

impl File {
    fn text(&self) -> Result<String, Failure> {
        files::read_text(&self.file, CONFIG_BYTES_MAX as u64)
    }

    fn flows(&self, open: &Open, models: Option<&PathBuf>) -> Result<Flows, Failure> {
        let tools = open.block_on(outside::tools(self.tools.as_deref()))?;
        let models = outside::models(models.map(PathBuf::as_path))?;
        let (journal, timer) = (open.backpacks(), Arc::new(SystemTimer));
        Ok(Flows::new(FlowPorts { journal, timer, models, tools }))
    }

    fn check(&self, app: &App) -> Result<Ending, Failure> {
        let text = self.text()?;
        let checked = self.flows(&app.open()?, None)?.check(&text);
        for problem in &checked.problems {
            app.output.say(format_args!("{}  {problem}", problem.severity));
        }
        let verdict = if checked.runs { "The flow runs." } else { "The flow does not run." };
        app.output.say(verdict);
        app.output.reply("piton.flow_check/1", &checked)?;
        Ok(if checked.runs { Ending::Done } else { Ending::Wanting })
    }

    fn graph(&self, app: &App) -> Result<Ending, Failure> {
        let text = self.text()?;
        let mermaid = self.flows(&app.open()?, None)?.graph(&text)?;
        app.output.say(mermaid.trim_end());
        app.output.reply("piton.flow_graph/1", &json!({ "mermaid": mermaid }))?;
        Ok(Ending::Done)
    }
}

impl Run {
    fn run(self, app: &App) -> Result<Ending, Failure> {
        let (text, open) = (self.going.file.text()?, app.open()?);
        let flows = self.going.file.flows(&open, self.going.models.as_ref())?;
        let items: Map<String, Value> = self.items.into_iter().collect();
        let cancel = Cancel::new();
        let request = RunFlow {
            text: &text,
            backpack: self.backpack,
            items,
            steps_max: self.going.steps_max,
            cancel: cancel.clone(),
        };
        let print = self.going.events;
        let listener = move |heard: Heard<'_>| tell(print, &heard);
        let ran = open.block_on(until_stopped(cancel, flows.run(request, &listener)))?;
        told(app, print, &ran)
    }
}

impl Resume {
    fn run(self, app: &App) -> Result<Ending, Failure> {
        let (text, open) = (self.going.file.text()?, app.open()?);
        let flows = self.going.file.flows(&open, self.going.models.as_ref())?;
        let cancel = Cancel::new();
        let request = ResumeFlow {
            text: &text,
            backpack: self.backpack,
            steps_max: self.going.steps_max,
            cancel: cancel.clone(),
        };
        let print = self.going.events;
        let listener = move |heard: Heard<'_>| tell(print, &heard);
        let ran = open.block_on(until_stopped(cancel, flows.resume(request, &listener)))?;
        told(app, print, &ran)
    }
}

/// Waits for a run; Ctrl-C stops it between two steps, with everything kept.
async fn until_stopped<T>(cancel: Cancel, run: impl Future<Output = T>) -> T {
    let mut run = std::pin::pin!(run);
    tokio::select! {
        outcome = &mut run => outcome,
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            run.await
        }
    }
}

fn tell(print: bool, heard: &Heard<'_>) {
    if print {
        let line = match heard {
            Heard::Event(event) => event.to_json_line(),
            Heard::Missed(count) => json!({ "type": "missed", "count": count }).to_string(),
        };
        // Nobody reads any more: the run goes on all the same.
        let _ = crate::output::bytes(format!("{line}\n").as_bytes());
    }
}

/// Tells a person or a program what became of a run.
fn told(app: &App, silent: bool, ran: &FlowRan) -> Result<Ending, Failure> {
    if !silent {
        let steps = if ran.steps == 1 { "node" } else { "nodes" };
        app.output.say(format_args!("{} after {} {steps} · {}", ran.status, ran.steps, ran.run_id));
        if let Some(error) = &ran.error {
            app.output.say(format_args!("{}\n{}", error.message, error.suggestion));
            let resume = format!("piton flow resume FILE --backpack {}", ran.backpack);
            app.output.say(format_args!("Go on: {resume}"));
        } else {
            app.output.say(format_args!("Kept in: {}", ran.backpack));
        }
        app.output.reply("piton.flow_run/1", ran)?;
    }
    Ok(if ran.status == RunStatus::Done { Ending::Done } else { Ending::Wanting })
}
