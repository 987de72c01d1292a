//! The arguments of every run, and the report on it.

use std::path::{Path, PathBuf};

use clap::Args;
use piton_backpack::flow::bounds::STEPS_DEFAULT;
use piton_backpack::flow::{Cancel, RunStatus};
use piton_core::{Envelope, refuse_lost_numbers, shell_word};
use piton_runtime::flow::{FlowNotice, FlowRan, FlowReplayed, Initial};
use serde_json::{Value, json};

use crate::{app::App, commands::stop, exit::CommandEnding, failure::Failure, open::Open};

/// What every run takes.
#[derive(Args)]
pub(crate) struct RunArgs {
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

impl Items {
    /// Returns the options that pack the same items again. Personal data is never repeated: only its key is.
    fn options(&self) -> impl Iterator<Item = String> {
        let set = self.items.iter().map(|(key, value)| {
            let text = value.as_str();
            // A text such as `5` or `true` would parse as JSON, so it keeps its JSON quotes; any other text is shown
            // bare.
            let text = text.filter(|text| super::run_args::value(text).as_ref() == Ok(value));
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
    Ok((key.to_owned(), value(text)?))
}

/// Parses a value that a person typed: JSON, or else a text.
pub(super) fn value(text: &str) -> Result<Value, String> {
    // The shell strips the outer quotes of the suggested form.
    refuse_lost_numbers(text).map_err(|lost| format!("{lost}, as in 'KEY=\"123\"'"))?;
    Ok(serde_json::from_str(text).unwrap_or_else(|_| json!(text)))
}

/// Waits for a run. Ctrl-C stops it at its next wait, with everything kept.
pub(super) fn until_stopped<T: HasError>(
    (app, open): (&App, &Open),
    cancel: Cancel,
    next: &NextCommands,
    run: impl Future<Output = Result<T, Envelope>>,
) -> Result<T, Failure> {
    // The signal only asks: the run ends at its next wait, and its result is reported as usual.
    stop::when_told(open, move || cancel.cancel(), CommandEnding::Wanting)?;
    open.wait(async {
        let mut ran = run.await.map_err(|error| next.complete(error))?;
        let error = ran.error();
        *error = error.take().map(|error| next.complete(error));
        app.output.complete_all(error);
        Ok::<_, Envelope>(ran)
    })
}

/// The result of a run, which may hold an error.
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

/// Prints an event, if events are requested.
pub(super) fn print_event(print: bool, heard: &FlowNotice<'_>) {
    if print {
        let line = match heard {
            FlowNotice::Event(event) => event.to_json_line(),
            FlowNotice::Warning(problem) => {
                json!({ "type": "warning", "message": problem.to_string() }).to_string()
            }
            FlowNotice::Missed(count) => json!({ "type": "missed", "count": count }).to_string(),
        };
        // A reader that went away does not stop the run.
        let _ = crate::output::bytes(format!("{line}\n").as_bytes());
    }
}

/// Prints the result of a run in words.
pub(super) fn print(app: &App, ran: &FlowRan) {
    for warning in &ran.warnings {
        app.output.print(format_args!("warning: {warning}"));
    }
    let steps = if ran.steps == 1 { "node" } else { "nodes" };
    app.output.print(format_args!("{} after {} {steps} · {}", ran.status, ran.steps, ran.run_id));
    if let Some(error) = &ran.error {
        app.output.print(format_args!("{}\n{}", error.message, error.suggestion));
    }
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
    pub(super) fn started_with(mut self, items: &Items) -> Self {
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

/// Reports the result of a run to a person or a program.
pub(super) fn report_run(app: &App, silent: bool, ran: &FlowRan) -> Result<CommandEnding, Failure> {
    if !silent {
        print(app, ran);
        app.output.advise(format_args!("Look inside: piton backpack log {}", ran.backpack));
        app.output.reply("piton.flow_run/1", ran)?;
    }
    Ok(ending(ran))
}

pub(super) fn ending(ran: &FlowRan) -> CommandEnding {
    if ran.status == RunStatus::Done { CommandEnding::Done } else { CommandEnding::Wanting }
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
