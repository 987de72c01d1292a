//! `piton flow run` and `piton flow resume`, and what every run of a flow needs: its options, Ctrl-C, and the report.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_core::{Envelope, refuse_lost_numbers, shell_word};
use piton_runtime::backpack::BackpackId;
use piton_runtime::flow::{
    Cancel, FlowNotice, FlowRan, Flows, Initial, ResumeFlow, RunFlow, RunOptions, RunStatus,
    STEPS_DEFAULT,
};
use serde_json::{Value, json};

use super::check::{FlowFile, read_flow};
use super::tool_sources::{ToolSources, flows};
use crate::app::{App, Outcome};
use crate::commands::backpack::{Backpack, backpacks};
use crate::commands::stop;
use crate::complete;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::messages::count;
use crate::open::Open;
use crate::output;

/// Options of every run.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// A file that says which models to use, with `providers` or `rehearsed`
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// The maximum number of nodes to visit
    #[arg(long, value_name = "COUNT", default_value_t = STEPS_DEFAULT)]
    pub(super) steps_max: u64,
    /// Print each event as a line of JSON as it happens, and nothing else
    #[arg(long, conflicts_with = "json")]
    pub(super) events: bool,
}

#[derive(Args)]
pub(crate) struct RunFlowCommand {
    #[command(flatten)]
    file: FlowFile,
    #[command(flatten)]
    args: RunArgs,
    #[command(flatten)]
    items: Items,
    /// The name of the backpack that keeps the run [default: a new id]
    #[arg(long, value_name = "NAME", add = complete::backpack_names())]
    backpack: Option<BackpackId>,
}

#[derive(Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    backpack: Backpack,
    /// The file of the flow, to check that it has not changed; the run keeps its own copy
    #[arg(long, value_name = "FILE")]
    flow: Option<PathBuf>,
    #[command(flatten)]
    tools: ToolSources,
    #[command(flatten)]
    args: RunArgs,
}

impl RunFlowCommand {
    pub(super) fn run(self, app: &App) -> Outcome {
        let text = read_flow(&self.file.file)?;
        let (open, flows) = self.args.prepare(app, &self.file.tools)?;
        let next = NextCommands::new(Some(&self.file.file)).started_with(&self.items);
        let cancel = Cancel::new();
        let request = RunFlow {
            text: &text,
            backpack: self.backpack,
            initial: self.items.initial(),
            options: self.args.options(&cancel),
        };
        let listener = self.args.listener();
        let run = flows.run(request, &listener);
        let ran = until_stopped((app, &open), cancel, &next, |ran| &mut ran.error, run)?;
        report(app, self.args.events, &ran)
    }
}

impl Resume {
    pub(super) fn run(self, app: &App) -> Outcome {
        let text = self.flow.as_deref().map(read_flow).transpose()?;
        let (open, flows) = self.args.prepare(app, &self.tools)?;
        let backpack = open.wait(backpacks(&open).meant(&self.backpack.run))?;
        let next = NextCommands::new(self.flow.as_deref());
        let cancel = Cancel::new();
        let request =
            ResumeFlow { text: text.as_deref(), backpack, options: self.args.options(&cancel) };
        let listener = self.args.listener();
        let run = flows.resume(request, &listener);
        let ran = until_stopped((app, &open), cancel, &next, |ran| &mut ran.error, run)?;
        report(app, self.args.events, &ran)
    }
}

impl RunArgs {
    pub(super) fn options(&self, cancel: &Cancel) -> RunOptions {
        let (steps_max, cancel) = (self.steps_max, cancel.clone());
        RunOptions { steps_max, cancel, ..RunOptions::default() }
    }

    /// Puts up the sandbox, opens the data directory, and connects everything that the flow reaches.
    pub(super) fn prepare(&self, app: &App, tools: &ToolSources) -> Result<(Open, Flows), Failure> {
        // The sandbox holds for threads that start later, so it goes up before the runtime starts any.
        tools.put_up_sandbox(app)?;
        let open = app.open()?;
        let flows = flows(app, &open, tools, self.models.as_deref())?;
        Ok((open, flows))
    }

    /// Returns a listener that prints each event, if events are requested.
    pub(super) fn listener(&self) -> impl Fn(FlowNotice<'_>) + Sync + use<> {
        let is_printing = self.events;
        move |notice| {
            if is_printing {
                let line = match notice {
                    FlowNotice::Event(event) => event.to_json_line(),
                    FlowNotice::Warning(problem) => {
                        json!({ "type": "warning", "message": problem.to_string() }).to_string()
                    }
                    FlowNotice::Missed(count) => {
                        json!({ "type": "missed", "count": count }).to_string()
                    }
                };
                // A reader that went away does not stop the run.
                let _ = output::bytes(format!("{line}\n").as_bytes());
            }
        }
    }
}

/// Waits for a run. Ctrl-C stops it at its next wait, with everything kept.
pub(super) fn until_stopped<T>(
    (app, open): (&App, &Open),
    cancel: Cancel,
    next: &NextCommands,
    error_in: fn(&mut T) -> &mut Option<Envelope>,
    run: impl Future<Output = Result<T, Envelope>>,
) -> Result<T, Failure> {
    // The signal only asks: the run ends at its next wait, and its result is reported as usual.
    stop::when_asked(open, move || cancel.cancel(), CommandEnding::Wanting)?;
    open.wait(async {
        let mut ran = run.await.map_err(|error| next.complete(error))?;
        let error = error_in(&mut ran);
        *error = error.take().map(|error| next.complete(error));
        app.output.complete_all(error);
        Ok::<_, Envelope>(ran)
    })
}

/// Reports the result of a run to a person or a program.
fn report(app: &App, is_silent: bool, ran: &FlowRan) -> Outcome {
    if !is_silent {
        print(app, ran);
        app.output.advise(format_args!("Look inside: piton backpack log {}", ran.backpack));
        app.output.reply("piton.flow_run/1", ran)?;
    }
    Ok(ending(ran))
}

pub(super) fn ending(ran: &FlowRan) -> CommandEnding {
    if ran.status == RunStatus::Done { CommandEnding::Done } else { CommandEnding::Wanting }
}

/// Prints the result of a run in words.
pub(super) fn print(app: &App, ran: &FlowRan) {
    for warning in &ran.warnings {
        writeln!(app.output, "warning: {warning}");
    }
    let nodes = count(ran.steps, "node");
    writeln!(app.output, "{} after {nodes} · {}", ran.status, ran.run_id);
    if let Some(error) = &ran.error {
        writeln!(app.output, "{}\n{}", error.message, error.suggestion);
    }
}

/// Items that are packed before a run starts.
#[derive(Args)]
pub(crate) struct Items {
    /// Pack this item before the run starts; the value is JSON, or else text
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = item)]
    items: Vec<(String, Value)>,
    /// Pack an item with personal data: only nodes that are granted the key by name may read it
    #[arg(long, value_name = "KEY=VALUE", value_parser = item)]
    pii: Vec<(String, Value)>,
}

impl Items {
    /// Returns the options that pack the same items again. Personal data is never repeated: only its key is.
    fn options(&self) -> impl Iterator<Item = String> {
        let set = self.items.iter().map(|(key, value)| {
            let text = value.as_str();
            // A text such as `5` or `true` would parse as JSON, so it keeps its JSON quotes; any other text is shown
            // bare.
            let text = text.filter(|text| typed_value(text).as_ref() == Ok(value));
            let text = text.map_or_else(|| value.to_string(), ToOwned::to_owned);
            format!(" --set {}", shell_word(&format!("{key}={text}")))
        });
        let pii = self.pii.iter();
        set.chain(pii.map(|(key, _)| format!(" --pii {}", shell_word(&format!("{key}=VALUE")))))
    }

    /// Returns everything that is packed before a run starts.
    pub(super) fn initial(self) -> Initial {
        let (items, pii) = (self.items.into_iter().collect(), self.pii.into_iter().collect());
        Initial { items, pii }
    }
}

fn item(text: &str) -> Result<(String, Value), String> {
    let (key, text) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), typed_value(text)?))
}

/// Parses a value that a person typed: JSON, or else a text.
pub(super) fn typed_value(text: &str) -> Result<Value, String> {
    // The shell strips the outer quotes of the suggested form.
    refuse_lost_numbers(text).map_err(|lost| format!("{lost}, as in 'KEY=\"123\"'"))?;
    Ok(serde_json::from_str(text).unwrap_or_else(|_| json!(text)))
}

/// The arguments of this run, for the commands that the suggestion of a failure names. The options that say what a
/// command works with are added to every printed command anyway.
pub(super) struct NextCommands {
    flow: String,
    /// Options that pack the same items again.
    items: String,
}

impl NextCommands {
    pub(super) fn new(flow: Option<&Path>) -> Self {
        let flow = flow.map_or("FILE".into(), |flow| shell_word(&flow.display().to_string()));
        Self { flow, items: String::new() }
    }

    /// Adds the items that the run was started with.
    fn started_with(mut self, items: &Items) -> Self {
        self.items = items.options().collect();
        self
    }

    /// Completes the suggestion of a failure with commands that run or check the same flow.
    pub(super) fn complete(&self, error: Envelope) -> Envelope {
        // In two halves, so that the test that checks quoted commands does not take this for one.
        const COMMAND: &str = concat!("`", "piton flow ");
        let Self { flow, items } = self;
        let (run, check) = (format!("{COMMAND}run "), format!("{COMMAND}check "));
        let suggestion = error
            .suggestion
            .replace(&format!("{run}FILE"), &format!("{run}{flow}{items}"))
            .replace(&format!("{check}FILE"), &format!("{check}{flow}"));
        error.with_suggestion(suggestion)
    }
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::*;

    #[test]
    fn commands_are_completed_whatever_stands_around_them() {
        let next = NextCommands { flow: "a.json".to_owned(), items: " --set a=1".to_owned() };
        let check = |advice: &str, expected: &str| {
            let error = Envelope::new(Code::FlowNodeFailed, "no").with_suggestion(advice);
            assert_eq!(next.complete(error).suggestion, expected);
        };
        check(
            "`piton flow run FILE --set b=VALUE`. Or `piton flow resume x`.",
            "`piton flow run a.json --set a=1 --set b=VALUE`. Or `piton flow resume x`.",
        );
        check(
            "See `a`b`, then `piton flow replay x --flow FILE`; `piton flow check FILE`.",
            "See `a`b`, then `piton flow replay x --flow FILE`; `piton flow check a.json`.",
        );
    }
}
