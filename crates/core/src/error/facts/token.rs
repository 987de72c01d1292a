//! Facts about errors of tokens that callers send.

use super::{CodeFacts, LOCK_RETRY};
use crate::error::domain::Domain;
use crate::error::retry::Retry;

pub(in crate::error) const INVALID_FORMAT: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The text is not a token that Piton writes: it was cut, changed or made up.",
    advice: "Copy the token whole from the last reply of this run; if that reply is lost, find the run with `resume_session`.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNSUPPORTED_VERSION: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The token has a version that this program does not know.",
    advice: "Use the version of Piton that made the token or a newer one, or find the run with `resume_session` to get a token of this version.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const BAD_SIGNATURE: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "No key in use signed this token: it was changed, it comes from another data directory, or the keys were rotated twice since.",
    advice: "Copy the token whole from the last reply of this run; if it is still refused, find the run with `resume_session` to get a new one.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const SCOPE_MISMATCH: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The token does not belong where it stands: it is of another kind, it names another node than the token next to it, or it belongs to another run than the `label` next to it.",
    advice: "Send the tokens of one reply of one run, each under the name that the call after `Next:` gives it; an ackToken alone advances and a stateToken alone reads.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const UNKNOWN_NODE: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The token names a session, run or node that is not in this data directory.",
    advice: "Find the run with `resume_session`; if it is not listed, it was deleted or lies in another data directory.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const WORKFLOW_HASH_MISMATCH: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The token names another version of the workflow than the one that its run is pinned to.",
    advice: "Find the run with `resume_session` and go on with the token that it gives.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const SESSION_LOCKED: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "Another process is writing to the session of this token at the moment.",
    advice: "Retry in one second with the same token; if this persists, make sure that no other Piton process works on the same session.",
    retry: LOCK_RETRY,
};

pub(in crate::error) const STEP_PASSED: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "The token names a step that its run has left, and what may be touched depends on the step.",
    advice: "Send as `run` the ackToken in the call after `Next:` of the run's last reply; if that reply is lost, `resume_session` leads to it.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const LABEL_REQUIRED: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "Several runs are open in this connection, and the call does not say by `label` which of them it means.",
    advice: "Make the call again with `label`: the label of the run that the output belongs to, as the first line of its replies has it.",
    retry: Retry::NotRetryable,
};

pub(in crate::error) const RUN_REQUIRED: CodeFacts = CodeFacts {
    domain: Domain::Token,
    meaning: "What may be touched depends on the step that a call belongs to, and the call does not name one.",
    advice: "Send as `run` the ackToken of the step that you are at: it is in the call after `Next:` of the last reply.",
    retry: Retry::NotRetryable,
};
