//! What every run takes, and how it is told.

use std::path::PathBuf;

use clap::Args;
use piton_core::Envelope;
use piton_flow::bounds::STEPS_DEFAULT;
use piton_flow::{Cancel, RunStatus};
use piton_runtime::flows::{FlowRan, FlowReplayed, Heard, Initial};
use serde_json::{Value, json};

use super::outside::Tools;
use crate::{app::App, commands::stop, exit::Ending, failure::Failure, open::Open};

/// What every run takes.
#[derive(Args)]
pub(crate) struct Going {
    /// Which models may be asked: a file with `providers` or `rehearsed`
    #[arg(long, value_name = "FILE")]
    pub(super) models: Option<PathBuf>,
    /// The most nodes that it visits
    #[arg(long, value_name = "COUNT", default_value_t = STEPS_DEFAULT)]
    pub(super) steps_max: u64,
    /// Print each event as a line of JSON as it happens, and nothing else
    #[arg(long, conflicts_with = "json")]
    pub(super) events: bool,
}

/// What is packed before a run starts.
#[derive(Args)]
pub(crate) struct Items {
    /// Pack this before it starts; the value is JSON, or else a text
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = item)]
    pub(super) items: Vec<(String, Value)>,
    /// The same, about a person: only nodes that are granted the key by name may read it
    #[arg(long, value_name = "KEY=VALUE", value_parser = item)]
    pub(super) pii: Vec<(String, Value)>,
}

impl Going {
    /// The flags of this run that a command which continues it needs as well.
    pub(super) fn flags(&self, tools: &Tools) -> String {
        let models = self.models.iter().map(|file| format!(" --models {}", file.display()));
        models.chain(tools.flags()).collect()
    }
}

/// The same failure with these flags in the commands that its advice names and that run the flow: they ask the same
/// models and tools.
fn with_flags(error: Envelope, flags: &str) -> Envelope {
    let parts = error.suggestion.split('`').enumerate().map(|(index, part)| {
        let is_run = ["run", "resume", "replay"]
            .iter()
            .any(|command| part.starts_with(&format!("piton flow {command} ")));
        if index % 2 == 1 && is_run { format!("{part}{flags}") } else { part.to_owned() }
    });
    let suggestion = parts.collect::<Vec<_>>().join("`");
    error.with_suggestion(suggestion)
}

impl Items {
    /// Everything that is packed before a run starts.
    pub(super) fn initial(self) -> Initial {
        let (items, pii) = (self.items.into_iter().collect(), self.pii.into_iter().collect());
        Initial { items, pii }
    }
}

fn item(text: &str) -> Result<(String, Value), String> {
    let (key, text) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value(text)))
}

/// A value that a person typed: JSON, or else a text.
pub(super) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// Waits for a run. Ctrl-C stops it at its next wait, with everything kept.
pub(super) fn until_stopped<T: HasError>(
    open: &Open,
    cancel: Cancel,
    flags: &str,
    run: impl Future<Output = Result<T, Envelope>>,
) -> Result<T, Failure> {
    stop::when_told(open, move || cancel.cancel(), Ending::Wanting)?;
    open.wait(async {
        let mut ran = run.await.map_err(|error| with_flags(error, flags))?;
        let error = ran.error();
        *error = error.take().map(|error| with_flags(error, flags));
        Ok(ran)
    })
}

/// What became of a run, which may have failed.
pub(super) trait HasError {
    fn error(&mut self) -> &mut Option<Envelope>;
}

impl HasError for FlowRan {
    fn error(&mut self) -> &mut Option<Envelope> {
        &mut self.error
    }
}

impl HasError for FlowReplayed {
    fn error(&mut self) -> &mut Option<Envelope> {
        &mut self.ran.error
    }
}

/// Prints an event, if events are wanted.
pub(super) fn tell(print: bool, heard: &Heard<'_>) {
    if print {
        let line = match heard {
            Heard::Event(event) => event.to_json_line(),
            Heard::Warning(problem) => {
                json!({ "type": "warning", "message": problem.to_string() }).to_string()
            }
            Heard::Missed(count) => json!({ "type": "missed", "count": count }).to_string(),
        };
        // Nobody reads any more: the run goes on all the same.
        let _ = crate::output::bytes(format!("{line}\n").as_bytes());
    }
}

/// What became of a run, in words.
pub(super) fn say(app: &App, ran: &FlowRan) {
    for warning in &ran.warnings {
        app.output.say(format_args!("warning: {warning}"));
    }
    let steps = if ran.steps == 1 { "node" } else { "nodes" };
    app.output.say(format_args!("{} after {} {steps} · {}", ran.status, ran.steps, ran.run_id));
    if let Some(error) = &ran.error {
        app.output.say(format_args!("{}\n{}", error.message, error.suggestion));
    }
}

/// Tells a person or a program what became of a run.
pub(super) fn told(app: &App, silent: bool, ran: &FlowRan) -> Result<Ending, Failure> {
    if !silent {
        say(app, ran);
        app.output.say(format_args!("Look inside: piton backpack log {}", ran.backpack));
        app.output.reply("piton.flow_run/1", ran)?;
    }
    Ok(ending(ran))
}

pub(super) fn ending(ran: &FlowRan) -> Ending {
    if ran.status == RunStatus::Done { Ending::Done } else { Ending::Wanting }
}
