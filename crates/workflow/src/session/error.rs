//! Reasons for a call to fail, and how they are reported.
//!
//! *Invariants*: a refusal says what would work. A call that fails has written nothing, unless its outcome is
//! unknown; repeating the call finds out. Calls that carry a token report a busy session as a problem of the token;
//! other calls report it as a problem of the session.

use std::fmt::Write as _;

use piton_core::error::{Details, MeasuredSize, sentence};
use piton_core::{Code, Envelope, TimestampMs};
use piton_store::Health;
use serde_json::json;

use crate::bounds::{
    ARTIFACT_BYTES_MAX, ARTIFACTS_MAX, CONTEXT_BYTES_MAX, HANDED_IN_NOTES_BYTES_MAX,
};
use crate::compile::CompiledWorkflowError;
use crate::engine::EngineError;
use crate::event::{LogFlaw, PayloadError};
use crate::projection::{DecisionKind, RecordedDecision};
use crate::snapshot::{SnapshotError, SnapshotMismatch};
use crate::token::{self, TokenError};

/// Reasons for a call to fail.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The ack token and the state token of one call do not belong together.
    #[error("{0}")]
    Crossed(Box<CrossedTokens>),
    /// The caller sent something that is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] piton_store::Error),
    /// There is no step to continue from, or the stored parts do not fit together.
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Pinned(#[from] CompiledWorkflowError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// A snapshot belongs to another workflow.
    #[error(transparent)]
    Mismatch(#[from] SnapshotMismatch),
    #[error("the events of the session contradict each other: {0}")]
    Log(#[from] LogFlaw),
}

/// The position of a run, for a caller that holds tokens of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlace {
    /// Name of the run for people.
    pub label: String,
    pub workflow: String,
    /// The step that it waits at, such as ``step 2 "Isolate"``.
    pub waiting_at: String,
    pub is_complete: bool,
    /// The call that continues it.
    pub next_call: String,
    /// The call that makes a bookmark there.
    pub checkpoint_call: String,
}

/// Two tokens of one call that do not belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossedTokens {
    /// The position that the ack token belongs to.
    pub ack: RunPlace,
    /// The position that the state token belongs to.
    pub state: RunPlace,
    /// Set when both are positions in one run.
    pub same_run: bool,
}

impl std::fmt::Display for CrossedTokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.same_run { "steps" } else { "runs" };
        writeln!(formatter, "The two tokens belong to different {what}; nothing was written.")?;
        for (token, RunPlace { label, workflow, waiting_at, .. }) in
            [("ackToken  ", &self.ack), ("stateToken", &self.state)]
        {
            writeln!(formatter, "  {token} → {label} ({workflow}), {waiting_at}")?;
        }
        Ok(())
    }
}

/// A question that is no longer open: the decision that settled it, or none if the run went on without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledQuestion {
    /// The latest decision at the node that was asked about, and its time.
    pub decision: Option<(RecordedDecision, TimestampMs)>,
}

impl std::fmt::Display for SettledQuestion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((RecordedDecision { decision, by, .. }, at)) = &self.decision else {
            return formatter.write_str(
                "the question is no longer open: the run went on without an answer; nothing was recorded",
            );
        };
        let by = by.as_ref().map_or("somebody", |name| name.as_str());
        let verb = match decision.decision {
            DecisionKind::Approved => "approved",
            DecisionKind::Answered => "answered",
            DecisionKind::Refused => "refused",
        };
        let at = at.utc();
        let words = decision.text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        write!(
            formatter,
            "the question is settled already, so nothing was recorded: {by} {verb} at {at} UTC{words}"
        )
    }
}

impl SettledQuestion {
    fn details(&self) -> Option<Details> {
        let (RecordedDecision { decision, by, index, .. }, at) = self.decision.as_ref()?;
        Details::of(&json!({
            "decision": decision.decision,
            "text": decision.text,
            "by": by,
            "at": at,
            "event": index,
        }))
        .ok()
    }
}

/// Reasons for refusing what a caller sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Both tokens are missing.
    #[error("the call has neither an ackToken nor a stateToken")]
    NoToken,
    /// An output without the token that may submit one.
    #[error("an output came with a stateToken, which only asks where the run stands")]
    OutputWithoutAck,
    /// A change of context without the token that may continue the run.
    #[error("a context came with a stateToken, which only asks where the run stands")]
    ContextWithoutAck,
    /// The notes are too long even to be judged.
    #[error("output.notesMarkdown has {measured} bytes, {HANDED_IN_NOTES_BYTES_MAX} are taken")]
    NotesTooLarge { measured: usize },
    #[error("output.artifacts has {count} entries, {ARTIFACTS_MAX} are taken")]
    TooManyArtifacts { count: usize },
    #[error("output.artifacts[{index}] has {measured} bytes, {ARTIFACT_BYTES_MAX} are taken")]
    ArtifactTooLarge { index: usize, measured: usize },
    /// An artifact is no object, or does not name its `kind`.
    #[error(
        "the entry output.artifacts[{index}] is {given}; an artifact is an object with a `kind`"
    )]
    ArtifactForm {
        index: usize,
        /// Description of what was sent instead.
        given: &'static str,
    },
    #[error("output.artifacts[{index}] cannot be stored: {reason}")]
    Artifact { index: usize, reason: String },
    #[error("the {what} has {measured} bytes of canonical JSON, {CONTEXT_BYTES_MAX} are taken")]
    ContextTooLarge {
        /// Name of the part that was measured.
        what: &'static str,
        measured: usize,
    },
    /// The context is refused for a reason other than its size.
    #[error("the context is refused: {reason}")]
    Context { reason: String },
    /// The context lacks something that the workflow cannot start without.
    #[error("the run cannot begin: {what}")]
    ContextLacking { what: String },
    /// The start key belongs to another run.
    #[error("the start key was used for {label} ({workflow}) with another {differs}")]
    StartKeyTaken {
        /// The run that the key belongs to.
        label: String,
        workflow: String,
        /// Name of the part that differs.
        differs: &'static str,
    },
    /// The start key is empty or too long.
    #[error("a start key has 1 to {} bytes", crate::bounds::START_KEY_BYTES_MAX)]
    StartKey,
    /// A text is too long to be recorded.
    #[error("the {what} is refused: {reason}")]
    Text {
        /// Name of the text.
        what: &'static str,
        reason: String,
    },
    #[error("the session has no such run")]
    UnknownRun,
    #[error("the run has no such step")]
    UnknownNode,
    /// The token must name a pending step, but names the end of a run.
    #[error("the token names no step that is to be done: its run is complete")]
    NoPendingStep,
    /// The run waits for nothing that a person could settle.
    #[error("the run waits for nothing that a person would settle")]
    NothingToSettle,
    /// The question that a person saw is no longer open.
    #[error("{0}")]
    QuestionSettled(Box<SettledQuestion>),
    /// The change of preferences is empty or contradicts itself.
    #[error("the change of preferences is refused: {reason}")]
    Preferences { reason: String },
}

impl Refusal {
    fn advice(&self) -> &'static str {
        match self {
            Self::NoToken => {
                "Send the token in the call after `Next:` of the last reply. If you have none, use resume_session to find \
                 the run."
            }
            Self::OutputWithoutAck => {
                "Send the ackToken in the call after `Next:` of the last reply with the output. To get one, send \
                 the stateToken alone."
            }
            Self::ContextWithoutAck => {
                "Send the context together with the ackToken and the output of the step, or leave it out."
            }
            Self::NotesTooLarge { .. } => {
                "Send a summary of this step in 10 to 30 lines; put long content into files and name them."
            }
            Self::TooManyArtifacts { .. } => "Send fewer artifacts, or join them into one.",
            Self::ArtifactTooLarge { .. } => {
                "Write the content to a file and send an artifact that names the file."
            }
            Self::ArtifactForm { .. } => {
                "Send each artifact as a JSON object with a `kind`, such as { \"kind\": \"my.table\", \"rows\": [] }. \
                 Plain text belongs into notesMarkdown. Nothing was recorded."
            }
            Self::Artifact { .. } => {
                "Send plain JSON: whole numbers within ±(2^53 - 1), no duplicate keys, at most 127 levels."
            }
            Self::ContextTooLarge { .. } => {
                "Keep what steps need (ids, paths, decisions) in the context and everything else in files; \
                 send null for a key to take it away."
            }
            Self::Context { .. } => "Send a JSON object of plain values.",
            Self::ContextLacking { .. } => "Start again with that key in `context`.",
            Self::StartKeyTaken { .. } => {
                "Choose another start key for a new run, or start with the same workflow and goal to get \
                 that run."
            }
            Self::StartKey => "Send a short key of your own choice, such as a ticket number.",
            Self::Text { .. } => "Send a shorter text.",
            Self::UnknownRun => "List the sessions to find the run.",
            Self::UnknownNode => "Look at the graph of the run: `piton session tree RUN`.",
            Self::NoPendingStep => {
                "Leave `run` out, or send the ackToken of a step that you are at: it is in the call after `Next:` of the \
                 last reply."
            }
            Self::NothingToSettle => {
                "Look at the run with `piton session show RUN`: it waits for its agent, or is done."
            }
            Self::QuestionSettled(_) => {
                "Look at the run with `piton session show RUN`. To overrule a decision that you have seen, decide about \
                 the run again."
            }
            Self::Preferences { .. } => "Send at least one preference, each once.",
        }
    }

    fn envelope(&self) -> Envelope {
        let over = |what: &str, measured: usize, max: usize, measure: MeasuredSize| {
            Envelope::over_budget(what, measured, max, measure, self.advice())
        };
        match self {
            Self::ContextTooLarge { what, measured } => {
                let what = format!("The {what}");
                over(&what, *measured, CONTEXT_BYTES_MAX, MeasuredSize::CanonicalJsonBytes)
            }
            Self::NotesTooLarge { measured } => over(
                "output.notesMarkdown",
                *measured,
                HANDED_IN_NOTES_BYTES_MAX,
                MeasuredSize::Utf8Bytes,
            ),
            Self::ArtifactTooLarge { index, measured } => {
                let what = format!("output.artifacts[{index}]");
                over(&what, *measured, ARTIFACT_BYTES_MAX, MeasuredSize::CanonicalJsonBytes)
            }
            refusal => {
                let envelope = Envelope::new(Code::ValidationError, sentence(&refusal.to_string()))
                    .with_suggestion(self.advice());
                let details = match refusal {
                    Self::QuestionSettled(settled) => settled.details(),
                    _ => None,
                };
                match details {
                    Some(details) => envelope.with_details(details),
                    None => envelope,
                }
            }
        }
    }
}

impl From<token::Error> for Error {
    fn from(error: token::Error) -> Self {
        match error {
            token::Error::Token(error) => Self::Token(error),
            token::Error::Store(error) => Self::Store(error),
        }
    }
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}

/// Converts the refusal of an event payload. Payloads that the engine makes fit by construction, so the error is
/// about something that the caller sent.
impl From<PayloadError> for Refusal {
    fn from(error: PayloadError) -> Self {
        match error {
            PayloadError::ContextTooLarge { measured_bytes } => {
                Self::ContextTooLarge { what: "context", measured: measured_bytes }
            }
            error => Self::Context { reason: error.to_string() },
        }
    }
}

impl Error {
    /// Returns the code of the failure.
    pub fn code(&self) -> Code {
        match self {
            Self::Token(error) => error.code(),
            Self::Crossed(_) => Code::TokenScopeMismatch,
            Self::Refused(_) => Code::ValidationError,
            Self::Store(error) => error.code(),
            Self::Engine(error) => error.code(),
            Self::Pinned(CompiledWorkflowError::UnsupportedVersion { .. }) => {
                Code::StoreUnsupportedVersion
            }
            Self::Pinned(_) | Self::Log(_) => Code::StoreInvariantViolation,
            Self::Snapshot(error) => error.code(),
            Self::Mismatch(error) => error.code(),
        }
    }

    /// Returns the failure as a person or an agent reads it.
    pub fn envelope(&self) -> Envelope {
        match self {
            Self::Token(error) => error.envelope(),
            Self::Store(error) => error.envelope(),
            Self::Refused(refusal) => refusal.envelope(),
            Self::Crossed(crossed) => crossed.envelope(),
            error => Envelope::new(error.code(), sentence(&error.to_string())),
        }
    }

    /// Returns the damage to the session, if that is the reason.
    pub fn health(&self) -> Option<&Health> {
        match self {
            Self::Store(piton_store::Error::NotHealthy { health, .. }) => Some(health),
            _ => None,
        }
    }

    /// Converts the failure for a call that carries a token.
    pub(super) fn of_token(self) -> Self {
        match self {
            Self::Store(piton_store::Error::Locked { .. }) => {
                Self::Token(TokenError::SessionLocked)
            }
            Self::Store(piton_store::Error::NotFound { .. }) => {
                Self::Token(TokenError::UnknownNode)
            }
            error => error,
        }
    }
}

impl CrossedTokens {
    fn envelope(&self) -> Envelope {
        let mut suggestion = String::new();
        for RunPlace { label, next_call, .. } in [&self.ack, &self.state] {
            writeln!(suggestion, "Next for {label}: {next_call}")
                .expect("writing to a string does not fail");
        }
        let details = Details::of(&json!({
            "ackToken": { "run": self.ack.label, "nextCall": self.ack.next_call },
            "stateToken": { "run": self.state.label, "nextCall": self.state.next_call },
        }));
        let envelope = Envelope::new(Code::TokenScopeMismatch, self.to_string().trim_end())
            .with_suggestion(suggestion.trim_end());
        match details {
            Ok(details) => envelope.with_details(details),
            Err(_) => envelope,
        }
    }
}
