//! A reply as an agent reads it.
//!
//! The first line says which run and where it stands; the last says what to call next.

use std::fmt::Write as _;

use serde_json::json;

use super::error::RunPlace;
use super::reply::{
    Body, CheckpointBody, DecisionLine, NextCall, Notice, Reply, ReplyKind, RunLine,
};
use crate::event::Blocker;
use crate::projection::PersonDecision;
use crate::run::NextIntent;

impl Reply {
    /// The reply as text, notices included.
    pub fn text(&self) -> String {
        let mut text = self.body.text();
        for notice in &self.notices {
            text.push_str("\n\n");
            text.push_str(&notice.text());
        }
        text
    }
}

impl Notice {
    /// The notice as text.
    pub fn text(&self) -> String {
        match self {
            Self::OutputNotRecorded { message, ack_token } => {
                format!("OUTPUT_NOT_RECORDED: {message}\nThat ackToken: {ack_token}")
            }
            Self::NotesCut { message } | Self::BeyondRecommendation { message } => message.clone(),
        }
    }
}

impl Body {
    /// The body as text.
    pub fn text(&self) -> String {
        match self.kind {
            ReplyKind::Blocked => self.blocked(),
            ReplyKind::Ok if self.is_complete => self.complete(),
            ReplyKind::Ok => self.pending(),
        }
    }

    /// The output that a next call is to bring, as it is written.
    fn output_form(&self) -> String {
        let kind = self.pending.as_ref().and_then(|pending| pending.artifact_kind.as_ref());
        kind.map_or_else(
            || r#""output": { "notesMarkdown": "…" }"#.to_owned(),
            |kind| {
                format!(
                    r#""output": {{ "artifacts": [ {{ "kind": {}, … }} ], "notesMarkdown": "…" }}"#,
                    json!(kind)
                )
            },
        )
    }

    fn next_line(&self) -> String {
        let call = self.next_call.as_ref();
        call.map_or_else(String::new, |call| {
            format!("\nNext: {}", call_text(call, &self.output_form()))
        })
    }

    fn pending(&self) -> String {
        let mut text = head(&self.run);
        if let Some(pending) = &self.pending {
            write!(text, ": {}\n{}{}", pending.title, self.decided(), self.gaps())
                .expect("writing to a string does not fail");
            write!(text, "\n{}\n", pending.prompt.trim_end())
                .expect("writing to a string does not fail");
        }
        if self.next_intent == NextIntent::AwaitUserConfirmation {
            text.push_str(
                "\nAsk the person before you do this step: it wants their confirmation.\n",
            );
        }
        if let Some(call) = &self.checkpoint_call {
            write!(text, "\nBookmark: {}", call_text(call, ""))
                .expect("writing to a string does not fail");
        }
        text.push_str(&self.next_line());
        text
    }

    fn blocked(&self) -> String {
        let blockers = self.blockers.as_ref().map_or(&[][..], |report| report.blockers());
        let things = match blockers.len() {
            1 => "1 thing has".to_owned(),
            count => format!("{count} things have"),
        };
        let mut text = head(&self.run);
        if let Some(pending) = &self.pending {
            write!(text, " ({})", pending.title).expect("writing to a string does not fail");
        }
        writeln!(text, " is not finished: {things} to be mended.\n{}", self.decided())
            .expect("writing to a string does not fail");
        for (place, blocker) in blockers.iter().enumerate() {
            let blank = if place == 0 { "" } else { "\n" };
            write!(text, "{blank}{}. {}", place + 1, shown(blocker))
                .expect("writing to a string does not fail");
        }
        text.push_str(
            "\nNothing is lost, and the run waits at this step. Send the whole output again, with this new token:",
        );
        text.push_str(&self.next_line());
        text
    }

    fn complete(&self) -> String {
        let RunLine { label, workflow_id, .. } = &self.run;
        let mut text =
            format!("Run {label} · {workflow_id} · done.\n{}{}", self.decided(), self.gaps());
        text.push_str("\nThere is nothing more to call. Tell the person what came of it.");
        text
    }

    fn decided(&self) -> String {
        if self.decisions.is_empty() {
            return String::new();
        }
        let mut text = "\nWhat a person decided, the newest last:\n".to_owned();
        for DecisionLine { step, decision: PersonDecision { decision, text: words } } in
            &self.decisions
        {
            let words = words.as_ref().map(|words| format!(": {}", words.replace('\n', "\n  ")));
            writeln!(text, "- {step}: {decision}{}", words.unwrap_or_default())
                .expect("writing to a string does not fail");
        }
        text
    }

    fn gaps(&self) -> String {
        if self.gaps_recorded.is_empty() {
            return String::new();
        }
        let mut text = "\nThe run goes on; this is recorded as missing:\n".to_owned();
        for gap in &self.gaps_recorded {
            writeln!(text, "- {}", gap.summary.replace('\n', "\n  "))
                .expect("writing to a string does not fail");
        }
        text
    }
}

impl CheckpointBody {
    /// The body as text.
    pub fn text(&self) -> String {
        let mut text = format!("{}: bookmark made.\n\nTo come back here:", head(&self.run));
        write!(text, "\nNext: {}", call_text(&self.next_call, ""))
            .expect("writing to a string does not fail");
        text
    }
}

/// Which run, and where it stands.
fn head(run: &RunLine) -> String {
    let RunLine { label, workflow_id, step, of, turn, turns_max, .. } = run;
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
    text
}

fn shown(blocker: &Blocker) -> String {
    let indented = |text: &str| text.replace('\n', "\n   ");
    let mut text = format!("{}: {}\n", blocker.code, indented(blocker.message.as_str()));
    if let Some(fix) = &blocker.suggested_fix {
        writeln!(text, "   {}", indented(fix.as_str())).expect("writing to a string does not fail");
    }
    text
}

/// A call as it is written.
fn call_text(call: &NextCall, output: &str) -> String {
    let NextCall { tool, params } = call;
    if let Some(token) = &params.ack_token {
        return format!("{tool} {{ \"ackToken\": {}, {output} }}", json!(token));
    }
    let tokens =
        [("stateToken", &params.state_token), ("checkpointToken", &params.checkpoint_token)];
    let mut given = tokens.into_iter().filter_map(|(name, token)| Some((name, token.as_ref()?)));
    given.next().map_or_else(
        || tool.clone(),
        |(name, token)| format!("{tool} {{ \"{name}\": {} }}", json!(token)),
    )
}

/// Where a run stands, for somebody who mixed up two of them.
pub(super) fn run_place(body: &Body) -> RunPlace {
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
        next_call: body.next_call.as_ref().map_or_else(
            || "nothing more to call".to_owned(),
            |call| call_text(call, &body.output_form()),
        ),
    }
}
