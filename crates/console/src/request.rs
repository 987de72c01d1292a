//! Requests of the page that the runtime has no type for, because they name things as a person at a terminal does not:
//! by whole ids.

use piton_core::{Code, Envelope, NodeId, RunId, SessionId};
use piton_runtime::provenance::{NodeReference, ThingReference};
use piton_runtime::request::{PersonVerdict, SessionReference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names a session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneSession {
    pub(crate) session: SessionId,
}

impl OneSession {
    pub(crate) fn reference(self) -> SessionReference {
        SessionReference(self.session.to_string())
    }
}

/// Names a run.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneRun {
    pub(crate) session: SessionId,
    run: RunId,
}

impl OneRun {
    pub(crate) fn reference(self) -> SessionReference {
        SessionReference(self.run.to_string())
    }
}

/// Names a node of a run; without a node, the one where the run stands.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneNode {
    #[expect(
        dead_code,
        reason = "a path names the session of a run; the id of the run says it too"
    )]
    session: SessionId,
    run: RunId,
    node: Option<NodeId>,
}

impl OneNode {
    pub(crate) fn reference(self) -> NodeReference {
        let run = SessionReference(self.run.to_string());
        NodeReference { run, node: self.node.map(|node| node.to_string()) }
    }
}

/// Names an artifact.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneArtifact {
    /// Its digest.
    pub(crate) digest: String,
}

/// Names two things to compare, as `piton diff` takes them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TwoThings {
    left: String,
    right: String,
}

impl TwoThings {
    pub(crate) fn references(&self) -> Result<(ThingReference, ThingReference), Envelope> {
        let read = |text: &str| {
            text.parse().map_err(|error| Envelope::new(Code::ValidationError, format!("{error}.")))
        };
        Ok((read(&self.left)?, read(&self.right)?))
    }
}

piton_core::closed_set! {
    /// What a person decides about a run that waits for them.
    pub(crate) enum VerdictKind {
        /// The run may continue.
        Approve => "approve",
        /// The words are the information that was asked for.
        Answer => "answer",
        /// The run must not continue; the words say why.
        Reject => "reject",
    }
}

/// Settles the question that the run of a session waits with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SettleRun {
    session: SessionId,
    verdict: VerdictKind,
    /// The answer, or the reason of a rejection.
    #[serde(default)]
    words: String,
}

impl SettleRun {
    pub(crate) fn into_verdict(self) -> (SessionReference, PersonVerdict) {
        let verdict = match self.verdict {
            VerdictKind::Approve => PersonVerdict::Approved,
            VerdictKind::Answer => PersonVerdict::Answered(self.words),
            VerdictKind::Reject => PersonVerdict::Refused(self.words),
        };
        (SessionReference(self.session.to_string()), verdict)
    }
}

/// Keeps a session, or lets its retention time end it.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct KeepSession {
    session: SessionId,
    pub(crate) keep: bool,
}

impl KeepSession {
    pub(crate) fn reference(self) -> SessionReference {
        SessionReference(self.session.to_string())
    }
}

/// Enters with the key of a link.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct EnterConsole {
    /// The key from the link's fragment.
    pub(crate) key: String,
    /// The name to record with decisions; without one, that of the user of the machine.
    pub(crate) name: Option<String>,
}

/// The half of a sign-in that the page keeps. The other half is a cookie.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignedIn {
    /// The text of the header `Piton-Console`, which every request needs.
    pub(crate) secret: String,
    /// The name that is recorded with decisions.
    pub(crate) name: String,
}

/// The console, and the person that a browser is signed in as.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConsoleStatus {
    /// The name that is recorded with decisions.
    pub(crate) person: String,
    /// The project directory of requests that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// The version of Piton.
    pub(crate) version: &'static str,
}
