//! Checks that a call means the run that its token belongs to.
//!
//! An agent that works on several runs may submit the output of one with the token of another. What it knows a run by is
//! its label, two words that every reply begins with: a label that is sent must fit the token, and where a connection
//! has more than one open run it must be sent.
//!
//! *Invariants*: a label decides which calls are refused, and never which run is meant: that says the token alone. What
//! writes nothing (a stateToken, an attempt on record) needs no label, and neither does an ackToken beside a stateToken,
//! which must be of the same run anyway. A refusal writes nothing.
//!
//! *Limitations*: labels are not unique. Two runs with the same one, out of 65,536, are not told apart.

use piton_core::error::Details;
use piton_core::{Code, Envelope, RunId, SessionId, shorten};
use piton_workflow::label::Label;
use piton_workflow::session::{RunPlace, TokenRun};
use piton_workflow::token::TokenKind;
use serde_json::json;

use crate::bounds::{OPEN_RUNS_SHOWN_MAX, SEARCHED_BYTES_MAX};
use crate::workflow::Runtime;

/// A call that writes to a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LabelledCall {
    /// It submits an output.
    Output,
    /// It makes a bookmark.
    Bookmark,
}

impl LabelledCall {
    /// The token that it takes.
    const fn kind(self) -> TokenKind {
        match self {
            Self::Output => TokenKind::Ack,
            Self::Bookmark => TokenKind::Checkpoint,
        }
    }

    fn call(self, place: &RunPlace) -> &str {
        match self {
            Self::Output => &place.next_call,
            Self::Bookmark => &place.checkpoint_call,
        }
    }
}

impl Runtime {
    /// Checks the label that came with a token. `open` are the runs that the connection has open, as far as it
    /// remembers them.
    pub(crate) async fn check_label(
        &self,
        writing: LabelledCall,
        token: &str,
        sent: Option<&str>,
        open: &[(SessionId, RunId)],
    ) -> Result<(), Envelope> {
        if sent.is_none() && open.is_empty() {
            return Ok(());
        }
        let run = self.token_run(token).await?;
        match sent {
            Some(sent) if is_label(sent, run.label) => Ok(()),
            Some(sent) => Err(self.mismatch(writing, &run, sent, open).await?),
            // A token of another kind is refused as such.
            None if run.is_recorded || run.kind != writing.kind() => Ok(()),
            None => {
                let others = self.others(&run, open).await;
                if others.is_empty() {
                    return Ok(());
                }
                let here = self.run_place(run.session, run.run, Some(run.node)).await?;
                Err(required(writing, &here, &others))
            }
        }
    }

    /// The runs of `open` beside the one of a token that did not reach their end, the newest first.
    async fn others(&self, run: &TokenRun, open: &[(SessionId, RunId)]) -> Vec<RunPlace> {
        let mut places = Vec::new();
        for &(session, other) in open.iter().rev() {
            if (session, other) == (run.session, run.run) {
                continue;
            }
            // A run that cannot be read any more is no run that could be meant.
            let place = self.run_place(session, other, None).await;
            places.extend(place.ok().filter(|place| !place.is_complete));
        }
        places
    }

    /// That a token belongs to another run than the one that was named, with the calls for both.
    async fn mismatch(
        &self,
        writing: LabelledCall,
        run: &TokenRun,
        sent: &str,
        open: &[(SessionId, RunId)],
    ) -> Result<Envelope, Envelope> {
        let node = (!run.is_recorded).then_some(run.node);
        let here = self.run_place(run.session, run.run, node).await?;
        let mut named = self.others(run, open).await;
        named.retain(|place| is_same(sent, &place.label));
        if named.is_empty() {
            named = self.labelled(sent).await?;
        }
        let RunPlace { label, workflow, waiting_at, .. } = &here;
        let sent = shorten(sent, SEARCHED_BYTES_MAX);
        let message = format!(
            "The token belongs to the run {label} ({workflow}), {waiting_at}; `label` names {sent}. Nothing was written."
        );
        let unknown = if named.is_empty() {
            format!("No open run has the label {sent}.\n")
        } else {
            String::new()
        };
        let calls = next_calls(writing, [&here].into_iter().chain(&named));
        let envelope = Envelope::new(Code::TokenScopeMismatch, message);
        let advice = format!("{unknown}Make the call of the run that you mean.\n{calls}");
        Ok(with_calls(
            envelope.with_suggestion(&advice),
            writing,
            [&here].into_iter().chain(&named),
        ))
    }

    /// Open runs with a label, wherever they are.
    async fn labelled(&self, sent: &str) -> Result<Vec<RunPlace>, Envelope> {
        let mut places = Vec::new();
        for (session, run) in self.open_runs_with(|label| is_label(sent, label)).await? {
            places.extend(self.run_place(session, run, None).await.ok());
            if places.len() == OPEN_RUNS_SHOWN_MAX {
                break;
            }
        }
        Ok(places)
    }
}

fn required(writing: LabelledCall, here: &RunPlace, others: &[RunPlace]) -> Envelope {
    let count = others.len() + 1;
    let message = format!(
        "{count} runs are open in this connection, and the call has no `label` that says which one it means; nothing was \
         written. The token belongs to {} ({}), {}.",
        here.label, here.workflow, here.waiting_at
    );
    let shown = others.iter().take(OPEN_RUNS_SHOWN_MAX);
    let calls = next_calls(writing, [here].into_iter().chain(shown.clone()));
    let more = others.len().saturating_sub(OPEN_RUNS_SHOWN_MAX);
    let more = if more > 0 {
        format!("\n{more} more are open: resume_session finds them.")
    } else {
        String::new()
    };
    let advice = format!("Make the call of the run that the output belongs to.\n{calls}{more}");
    let envelope = Envelope::new(Code::TokenLabelRequired, message).with_suggestion(&advice);
    with_calls(envelope, writing, [here].into_iter().chain(shown))
}

/// The next call of each run, a line each.
fn next_calls<'a>(writing: LabelledCall, places: impl Iterator<Item = &'a RunPlace>) -> String {
    let lines = places.map(|place| format!("Next for {}: {}", place.label, writing.call(place)));
    lines.collect::<Vec<_>>().join("\n")
}

fn with_calls<'a>(
    envelope: Envelope,
    writing: LabelledCall,
    places: impl Iterator<Item = &'a RunPlace>,
) -> Envelope {
    let call = |place: &RunPlace| json!({ "run": place.label, "nextCall": writing.call(place) });
    let details = Details::of(&json!({ "nextCalls": places.map(call).collect::<Vec<_>>() }));
    match details {
        Ok(details) => envelope.with_details(details),
        Err(_) => envelope,
    }
}

fn is_label(sent: &str, label: Label) -> bool {
    is_same(sent, &label.to_string())
}

/// Whether a text is a label, however its two words are written.
fn is_same(sent: &str, label: &str) -> bool {
    sent.trim().to_lowercase().replace([' ', '_'], "-") == label
}
