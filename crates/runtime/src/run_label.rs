//! Checks that a call means the run that its token belongs to.
//!
//! An agent that works on several runs may submit the output of one with the token of another. It knows each run by its
//! label, two words that every reply begins with. A label that is sent must match the token, and if a connection has
//! more than one open run, a label must be sent.
//!
//! *Invariants*: a label decides which calls are refused, never which run is meant: the token alone decides that. A
//! call that writes nothing (a stateToken, an attempt on record) needs no label. Neither does an ackToken beside a
//! stateToken, which must be of the same run anyway. A refusal writes nothing.
//!
//! *Limitations*: labels are not unique. Two runs with the same one, out of 65,536, cannot be told apart.

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
    /// Submits an output.
    Output,
    /// Creates a bookmark.
    Bookmark,
}

impl LabelledCall {
    /// The kind of token that the call takes.
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
    /// Checks the label that came with a token. `open` lists the runs that the connection has open, as far as it
    /// remembers them.
    pub(crate) async fn check_label(
        &self,
        writing: LabelledCall,
        token: &str,
        sent: Option<&str>,
        open: &[(SessionId, RunId)],
    ) -> Result<(), Envelope> {
        // With no label to compare and no other run to confuse it with, the token need not be resolved.
        if sent.is_none() && open.is_empty() {
            return Ok(());
        }
        // From here on, the run is the one of the verified token, whatever the label says.
        let run = self.sessions.reader().token_run(token).await?;
        match sent {
            // A label that was sent is always compared, even where none would have been required.
            Some(sent) if is_label(sent, run.label) => Ok(()),
            Some(sent) => Err(self.mismatch(writing, &run, sent, open).await?),
            // An attempt on record is only repeated, so it writes nothing. A token of the wrong kind is refused later,
            // with the proper error.
            None if run.is_recorded || run.kind != writing.kind() => Ok(()),
            None => {
                // The connection's list may be out of date. Only runs that are still open now can be confused.
                let others = self.others(&run, open).await;
                if others.is_empty() {
                    return Ok(());
                }
                let here =
                    self.sessions.reader().run_place(run.session, run.run, Some(run.node)).await?;
                Err(required(writing, &here, &others))
            }
        }
    }

    /// Returns the unfinished runs of `open`, without the run of the token, newest first.
    async fn others(&self, run: &TokenRun, open: &[(SessionId, RunId)]) -> Vec<RunPlace> {
        let mut places = Vec::new();
        for &(session, other) in open.iter().rev() {
            if (session, other) == (run.session, run.run) {
                continue;
            }
            // A run that can no longer be read cannot be the one that is meant.
            let place = self.sessions.reader().run_place(session, other, None).await;
            places.extend(place.ok().filter(|place| !place.is_complete));
        }
        places
    }

    /// Builds the error for a token that belongs to another run than the label names, with the next calls of both.
    async fn mismatch(
        &self,
        writing: LabelledCall,
        run: &TokenRun,
        sent: &str,
        open: &[(SessionId, RunId)],
    ) -> Result<Envelope, Envelope> {
        // The node of a recorded attempt is already behind the run, so its place is that of the newest step.
        let node = (!run.is_recorded).then_some(run.node);
        let here = self.sessions.reader().run_place(run.session, run.run, node).await?;
        // Runs of this connection are the likely ones. Only if none has the label are all sessions searched.
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

    /// Returns the open runs with a label, in any session.
    async fn labelled(&self, sent: &str) -> Result<Vec<RunPlace>, Envelope> {
        let mut places = Vec::new();
        for (session, run) in self.open_runs_with(|label| is_label(sent, label)).await? {
            places.extend(self.sessions.reader().run_place(session, run, None).await.ok());
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

/// Renders the next call of each run, one per line.
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
    // Details are a convenience for programs. The text already contains the calls, so a failure to encode is ignored.
    let details = Details::of(&json!({ "nextCalls": places.map(call).collect::<Vec<_>>() }));
    match details {
        Ok(details) => envelope.with_details(details),
        Err(_) => envelope,
    }
}

fn is_label(sent: &str, label: Label) -> bool {
    is_same(sent, &label.to_string())
}

/// True if a text is the label, whatever the case and separator of its two words.
fn is_same(sent: &str, label: &str) -> bool {
    // Agents repeat labels in various spellings. Refusing those would cost a call and protect nobody.
    sent.trim().to_lowercase().replace([' ', '_'], "-") == label
}
