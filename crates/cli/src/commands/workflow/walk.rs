//! `piton workflow run`: a person works through a workflow in the terminal.

use clap::Args;
use piton_core::error::sentence;
use piton_core::{LostNumber, refuse_lost_numbers};
use piton_runtime::Connection;
use piton_runtime::provenance::NodeReference;
use piton_runtime::reply::Reply;
use piton_runtime::request::{
    Continue, ResumeSession, SessionReference, StartWorkflow, SubmittedOutput,
};
use piton_runtime::workflow::{
    Blocker, BlockerCode, DECIDED, DecisionLine, ReplyBody, ReplyKind, RunLine,
};
use serde::Serialize;
use serde_json::Value;

use crate::app::{App, Outcome};
use crate::ask;
use crate::complete;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::markdown;
use crate::open::Open;
use crate::output;
use crate::style::{Tone, styled};

#[derive(Args)]
pub(crate) struct WalkWorkflow {
    /// The workflow, as `piton workflow list` shows it
    #[arg(value_name = "WORKFLOW", add = complete::workflows(), required_unless_present = "resume", conflicts_with = "resume")]
    workflow: Option<String>,
    /// The goal of the run, in one line
    #[arg(long, conflicts_with = "resume")]
    goal: Option<String>,
    /// Resume a run instead of starting one; after `@` an earlier node or the id of its step, to make a branch
    #[arg(long, value_name = "RUN[@NODE]", add = complete::runs())]
    resume: Option<NodeReference>,
}

/// Outcome of a walk.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Walked {
    run: RunLine,
    is_complete: bool,
    waits_for_person: bool,
    /// Decisions of persons along the way, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<DecisionLine>,
}

impl WalkWorkflow {
    pub(super) fn run(self, app: &App) -> Outcome {
        let open = app.open()?;
        let connection = open.connect(app);
        let mut answer = match self.resume {
            Some(reference) => resumed(&open, &connection, &reference)?,
            None => open.wait(connection.start_workflow(StartWorkflow {
                workflow_id: self.workflow.unwrap_or_default(),
                goal: self.goal,
                context: None,
                project_dir: None,
                start_key: None,
            }))?,
        };
        open.log.about(answer.body.run.session_id);
        loop {
            print(app, &answer);
            let body = &answer.body;
            // Without a token, or once the run is complete, there is nothing left to submit.
            let (Some(ack_token), false) = (body.ack_token.clone(), body.is_complete) else {
                break;
            };
            // Only a person can settle this, with `piton approve`, `answer` or `reject`.
            if waits(body) {
                break;
            }
            // An empty input is how a person stops. The run keeps its state.
            let Some(text) = ask::text(app)? else { break };
            let output = match output(text) {
                Ok(output) => output,
                Err(lost) => {
                    let problem = sentence(&lost.to_string());
                    output::warn(format_args!("{problem} Nothing was submitted."));
                    // The same step is printed again, with the same token, since nothing was submitted.
                    continue;
                }
            };
            let request = Continue {
                ack_token: Some(ack_token),
                output: Some(output),
                ..Continue::default()
            };
            answer = open.wait(connection.continue_workflow(request))?;
        }
        finish(app, &answer.body)
    }
}

/// Returns the answer at the node where an earlier run stands, or at the node that the reference names.
fn resumed(
    open: &Open,
    connection: &Connection,
    reference: &NodeReference,
) -> Result<Reply, Failure> {
    // A named node is entered by a fork, which writes nothing until an output is submitted.
    let state_token = match &reference.node {
        Some(_) => open.wait(open.runtime.fork_run(reference))?.next_call.params.state_token,
        None => current_token(open, connection, &reference.run)?,
    };
    let request = Continue { state_token, ..Continue::default() };
    open.wait(connection.continue_workflow(request))
}

/// Returns the token of the node where a run stands.
fn current_token(
    open: &Open,
    connection: &Connection,
    run: &SessionReference,
) -> Result<Option<String>, Failure> {
    let (session, run) = open.ids(run)?;
    let asked =
        ResumeSession { session_id: Some(session), run_id: Some(run), ..ResumeSession::default() };
    let found = open.wait(connection.resume_session(&asked))?;
    Ok(found.candidates.into_iter().next().map(|candidate| candidate.state_token))
}

/// Classifies the input: JSON is the artifact that a step asked for, anything else is notes.
fn output(text: String) -> Result<SubmittedOutput, LostNumber> {
    // Only objects and arrays count: notes such as `42` or `true` are valid JSON as well.
    let is_json = text.trim_start().starts_with(['{', '[']);
    if is_json {
        refuse_lost_numbers(&text)?;
    }
    Ok(match serde_json::from_str(&text).ok().filter(|_| is_json) {
        Some(Value::Array(artifacts)) => SubmittedOutput { notes_markdown: None, artifacts },
        Some(artifact) => SubmittedOutput { notes_markdown: None, artifacts: vec![artifact] },
        None => SubmittedOutput { notes_markdown: Some(text), artifacts: Vec::new() },
    })
}

/// True if the run waits for something that only a person can decide.
fn waits(body: &ReplyBody) -> bool {
    blockers(body).iter().any(|blocker| blocker.code == BlockerCode::UserOnlyDependency)
}

fn blockers(body: &ReplyBody) -> &[Blocker] {
    body.blockers.as_ref().map_or(&[][..], |report| report.blockers())
}

fn print(app: &App, answer: &Reply) {
    let output = &app.output;
    let body = &answer.body;
    let RunLine { label, workflow_id, step, of, .. } = &body.run;
    let place = step.map_or_else(|| "done".to_owned(), |step| format!("step {step} of {of}"));
    if body.kind == ReplyKind::Blocked {
        writeln!(output, "\n{label} · {place} is {}:", styled(Tone::Attention, "not finished"));
        say_decisions(app, body);
        for blocker in blockers(body) {
            let message = for_person(blocker.message.as_str());
            writeln!(output, "  ✗ {}", message.replace('\n', "\n    "));
            if let Some(fix) = &blocker.suggested_fix {
                writeln!(output, "    {}", for_person(fix.as_str()).replace('\n', "\n    "));
            }
        }
        output.print("\nYour input is kept. Send all of it again, with the corrections:");
        return;
    }
    let title = body.pending.as_ref().map_or_else(String::new, |step| format!(": {}", step.title));
    writeln!(output, "\n{label} · {workflow_id} · {place}{title}");
    say_decisions(app, body);
    for gap in &body.gaps_recorded {
        writeln!(output, "  {} {}", styled(Tone::Attention, "recorded as missing:"), gap.summary);
    }
    if let Some(pending) = &body.pending {
        let prompt = for_person(pending.prompt.trim_end());
        writeln!(output, "\n{}\n", markdown::shown(&prompt));
        let form = match &pending.artifact_kind {
            Some(kind) => format!("A JSON object of the kind {kind}"),
            None => "Your notes".to_owned(),
        };
        writeln!(
            output,
            "{form}, ended by a line that holds only a dot. To stop here, enter nothing."
        );
    }
}

/// Puts a text for agents in the words of a person, who writes notes and fills in no field.
fn for_person(text: &str) -> String {
    text.replace("`notesMarkdown`", "your notes").replace("notesMarkdown", "your notes")
}

/// Prints the decisions of persons, in the words that an agent reads.
fn say_decisions(app: &App, body: &ReplyBody) {
    if body.decisions.is_empty() {
        return;
    }
    writeln!(app.output, "  {DECIDED}");
    for decision in &body.decisions {
        writeln!(app.output, "  - {}", decision.to_string().replace('\n', "\n  "));
    }
    if body.is_refused_here() {
        writeln!(app.output, "  {}", styled(Tone::Bad, "A person refused this step."));
    }
}

fn finish(app: &App, body: &ReplyBody) -> Outcome {
    let label = body.run.label;
    let walked = Walked {
        run: body.run.clone(),
        is_complete: body.is_complete,
        waits_for_person: waits(body),
        decisions: body.decisions.clone(),
    };
    if walked.is_complete {
        app.output.advise(format_args!("See the result: piton session show {label}"));
    } else if walked.waits_for_person {
        app.output.advise(format_args!("The run is waiting for a person: piton approve {label}, piton answer {label} \"…\" or piton reject {label} \"…\"."));
    } else {
        app.output.advise(format_args!(
            "Stopped; nothing is lost. Resume: piton workflow run --resume {label}"
        ));
    }
    app.output.reply("piton.workflow.run/1", &walked)?;
    Ok(if walked.waits_for_person { CommandEnding::Waits } else { CommandEnding::Done })
}
