//! Renders a reply as the text that an agent reads.
//!
//! The first line names the run and its position; the last one is the call to make next.

use std::fmt::{self, Write as _};

use serde_json::json;

use super::error::RunPlace;
use super::reply::{
    CheckpointBody, DecisionLine, LoopTurn, NextCall, NextParams, Reply, ReplyBody, ReplyKind,
    ReplyNotice, RunLine,
};
use crate::event::Blocker;
use crate::projection::{DecisionKind, PersonDecision};
use crate::run::NextIntent;

/// Label of the call that continues the run.
const NEXT: &str = "Next:";

/// Label of the same call while a person withholds their consent.
const HELD: &str = "Only after the person allows it:";

/// Heading above the decisions of persons.
pub const DECIDED: &str = "What a person decided, the newest last:";

/// Form of an output that consists of notes alone.
const OUTPUT_FORM: &str = r#""output": { "notesMarkdown": "…" }"#;

impl Reply {
    /// Returns the body as text. The text repeats byte for byte until a person settles the question in it; after a no,
    /// it withholds the next call.
    pub fn text(&self) -> String {
        self.is_agreed
            .map_or_else(|| self.body.text(), |is_agreed| self.body.text_settled(is_agreed))
    }
}

impl ReplyNotice {
    /// Returns the notices of a call as text; `None` if there are none.
    pub fn text_of(notices: &[Self]) -> Option<String> {
        let lines: Vec<String> = notices.iter().map(ToString::to_string).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl fmt::Display for ReplyNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutputNotRecorded { message, .. } => {
                write!(formatter, "OUTPUT_NOT_RECORDED: {message}")
            }
            Self::ProjectDir { path } => write!(formatter, "Project directory: {path}"),
            Self::NotesCut { message }
            | Self::BeyondRecommendation { message }
            | Self::OtherId { message }
            | Self::OtherRuns { message }
            | Self::PersonAsked { message } => formatter.write_str(message),
        }
    }
}

impl ReplyBody {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        let lead = if self.is_refused_here() { HELD } else { NEXT };
        self.text_with(lead, &self.person_line())
    }

    /// Returns the body as text for an agent after its person was asked. Without their consent, the agent must not
    /// make the next call.
    fn text_settled(&self, is_agreed: bool) -> String {
        self.text_with(if is_agreed { NEXT } else { HELD }, "")
    }

    fn text_with(&self, lead: &str, person: &str) -> String {
        match self.kind {
            ReplyKind::Blocked => self.blocked(lead),
            ReplyKind::Ok if self.is_complete => self.complete(),
            ReplyKind::Ok => self.pending(lead, person),
        }
    }

    fn output_form(&self) -> String {
        let kind = self.pending.as_ref().and_then(|pending| pending.artifact_kind.as_deref());
        output_form(kind)
    }

    fn next_line(&self, lead: &str) -> String {
        let call = self.next_call.as_ref().map(|call| call.text(&self.output_form()));
        let call = call.or_else(|| self.state_call.as_ref().map(|call| call.text("")));
        call.map_or_else(String::new, |call| format!("\n{lead} {call}"))
    }

    /// Returns the line that involves the person in the pending step, or an empty string if none is needed.
    fn person_line(&self) -> String {
        let line = if self.is_refused_here() {
            "The person refused this step, as it says above. Do not do it: ask them what to do instead."
        } else if self.next_intent != NextIntent::AwaitUserConfirmation {
            return String::new();
        } else if self.state_call.is_some() {
            "This step waits for the person, who has not settled it yet. Ask them before you submit it again."
        } else {
            "Ask the person before you do this step: it wants their confirmation."
        };
        format!("\n{line}\n")
    }

    fn pending(&self, lead: &str, person: &str) -> String {
        let mut text = head(&self.run);
        if let Some(pending) = &self.pending {
            write!(text, ": {}\n{}{}", pending.title, self.decided(), self.gaps())
                .expect("writing to a string does not fail");
            write!(text, "\n{}\n", pending.prompt.trim_end())
                .expect("writing to a string does not fail");
        }
        text.push_str(person);
        if let Some(call) = &self.checkpoint_call {
            write!(text, "\nBookmark: {}", call.text(""))
                .expect("writing to a string does not fail");
        }
        text.push_str(&self.next_line(lead));
        text
    }

    fn blocked(&self, lead: &str) -> String {
        let blockers = self.blockers.as_ref().map_or(&[][..], |report| report.blockers());
        let things = match blockers.len() {
            1 => "1 thing has".to_owned(),
            count => format!("{count} things have"),
        };
        let mut text = head(&self.run);
        if let Some(pending) = &self.pending {
            write!(text, " ({})", pending.title).expect("writing to a string does not fail");
        }
        writeln!(text, " is not finished: {things} to be fixed.\n{}", self.decided())
            .expect("writing to a string does not fail");
        for (basis, blocker) in blockers.iter().enumerate() {
            let blank = if basis == 0 { "" } else { "\n" };
            write!(text, "{blank}{}. {}", basis + 1, render_blocker(blocker))
                .expect("writing to a string does not fail");
        }
        text.push_str("\nNothing is lost, and the run waits at this step.");
        if let Some(call) = &self.state_call {
            write!(text, " To read what the person said:\nRead: {}\n", call.text(""))
                .expect("writing to a string does not fail");
        }
        if lead == NEXT {
            let when =
                if self.state_call.is_some() { "Once they settled it, send" } else { " Send" };
            write!(text, "{when} the whole output again, with this new token:")
                .expect("writing to a string does not fail");
        }
        text.push_str(&self.next_line(lead));
        text
    }

    fn complete(&self) -> String {
        let RunLine { label, workflow_id, .. } = &self.run;
        let mut text =
            format!("Run {label} · {workflow_id} · done.\n{}{}", self.decided(), self.gaps());
        text.push_str("\nThere is nothing more to call. Tell the person the result.");
        text
    }

    fn decided(&self) -> String {
        if self.decisions.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{DECIDED}\n");
        for decision in &self.decisions {
            writeln!(text, "- {decision}").expect("writing to a string does not fail");
        }
        if self.last_no().is_some() && !self.is_refused_here() {
            text.push_str(
                "The run continued from a step that the person refused. Tell them what was done there, and undo it if they \
                 want that.\n",
            );
        }
        text
    }

    /// Returns the latest decision of a person, if it was a refusal.
    fn last_no(&self) -> Option<&DecisionLine> {
        self.decisions.last().filter(|last| last.decision.decision == DecisionKind::Refused)
    }

    /// True if the person refused the pending step.
    pub fn is_refused_here(&self) -> bool {
        let pending = self.pending.as_ref();
        self.last_no().zip(pending).is_some_and(|(no, pending)| no.step == pending.title)
    }

    fn gaps(&self) -> String {
        if self.gaps_recorded.is_empty() {
            return String::new();
        }
        let mut text = "\nThe run continues; this is recorded as missing:\n".to_owned();
        for gap in &self.gaps_recorded {
            writeln!(text, "- {}", gap.summary.replace('\n', "\n  "))
                .expect("writing to a string does not fail");
        }
        text
    }
}

impl fmt::Display for DecisionLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, decision: PersonDecision { decision, text } } = self;
        write!(formatter, "{step}: {decision}")?;
        match text {
            Some(words) => write!(formatter, ": {}", words.replace('\n', "\n  ")),
            None => Ok(()),
        }
    }
}

impl CheckpointBody {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        let mut text = format!("{}: bookmark made.\n\nTo come back here:", head(&self.run));
        write!(text, "\nNext: {}", self.next_call.text(""))
            .expect("writing to a string does not fail");
        text
    }
}

/// Returns the form of the output that a call is to submit, for a step with a contract that asks for an artifact of
/// `kind`.
pub(super) fn output_form(kind: Option<&str>) -> String {
    let Some(kind) = kind else { return OUTPUT_FORM.to_owned() };
    let kind = json!(kind);
    format!(r#""output": {{ "artifacts": [ {{ "kind": {kind}, … }} ], "notesMarkdown": "…" }}"#)
}

/// Returns the line that names the run and its position.
fn head(run: &RunLine) -> String {
    let RunLine { label, workflow_id, step, of, turn, turns_max, around, .. } = run;
    let mut text = format!("Run {label} · {workflow_id}");
    if let Some(step) = step {
        write!(text, " · step {step} of {of}").expect("writing to a string does not fail");
    }
    if let Some(turn) = turn {
        write!(text, ", turn {turn}").expect("writing to a string does not fail");
    }
    if let Some(turns_max) = turns_max {
        write!(text, " of at most {turns_max}").expect("writing to a string does not fail");
    }
    for LoopTurn { loop_id, turn, turns_max } in around {
        write!(text, ", in turn {turn} of at most {turns_max} of `{loop_id}`")
            .expect("writing to a string does not fail");
    }
    text
}

fn render_blocker(blocker: &Blocker) -> String {
    let indented = |text: &str| text.replace('\n', "\n   ");
    let mut text = format!("{}: {}\n", blocker.code, indented(blocker.message.as_str()));
    if let Some(fix) = &blocker.suggested_fix {
        writeln!(text, "   {}", indented(fix.as_str())).expect("writing to a string does not fail");
    }
    text
}

impl NextCall {
    /// Returns the call as it is written, with `output` if it submits one.
    pub fn text(&self, output: &str) -> String {
        let NextParams { ack_token, state_token, checkpoint_token, label } = &self.params;
        let label = label.map(|label| label.to_string());
        let texts = [
            ("ackToken", ack_token),
            ("stateToken", state_token),
            ("checkpointToken", checkpoint_token),
            ("label", &label),
        ];
        let written = |(name, text): (&str, &Option<String>)| {
            text.as_ref().map(|text| format!("\"{name}\": {}", json!(text)))
        };
        let mut parts: Vec<String> = texts.into_iter().filter_map(written).collect();
        if ack_token.is_some() {
            parts.push(output.to_owned());
        }
        format!("{} {{ {} }}", self.tool, parts.join(", "))
    }
}

/// Describes the position of a run, for an agent that mixed up two of them.
pub(super) fn run_place(body: &ReplyBody) -> RunPlace {
    let waiting_at = match (&body.run.step, &body.pending) {
        (Some(step), Some(pending)) => {
            format!("waiting at step {step} \"{}\"", pending.title)
        }
        _ => "done".to_owned(),
    };
    RunPlace {
        label: body.run.label.to_string(),
        workflow: body.run.workflow_id.to_string(),
        waiting_at,
        is_complete: body.is_complete,
        next_call: body.next_call.as_ref().map_or_else(
            || "nothing more to call".to_owned(),
            |call| call.text(&body.output_form()),
        ),
        checkpoint_call: body
            .checkpoint_call
            .as_ref()
            .map_or_else(|| "nothing to bookmark".to_owned(), |call| call.text("")),
    }
}
