//! Requests of the page that the runtime has no type for, because they name things as a person at a terminal does not:
//! by whole ids.

use piton_core::{Code, Envelope, NodeId, RunId, SessionId};
use piton_runtime::provenance::{NodeReference, ThingReference};
use piton_runtime::request::{
    EventQuery, Freshness, NodeAddress, PersonVerdict, RunAddress, SessionReference, SettleRequest,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::LIMIT_MAX;
use crate::entrance::Person;
use crate::project_view::ProjectChoice;

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

/// Asks for the shape of a run.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ShapeOfRun {
    pub(crate) session: SessionId,
    run: RunId,
    /// Whether a shape that may be behind is enough.
    #[serde(default)]
    pub(crate) freshness: Freshness,
}

impl ShapeOfRun {
    pub(crate) fn address(self) -> RunAddress {
        RunAddress { session: self.session, run: self.run }
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

    pub(crate) fn address(self) -> RunAddress {
        RunAddress { session: self.session, run: self.run }
    }
}

/// Names a step of a run by its node.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneStep {
    pub(crate) session: SessionId,
    run: RunId,
    node: NodeId,
}

impl OneStep {
    pub(crate) fn address(self) -> NodeAddress {
        NodeAddress { session: self.session, run: self.run, node: self.node }
    }
}

/// Names a part of the prompt of a step.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OnePromptPart {
    session: SessionId,
    run: RunId,
    node: NodeId,
    /// The byte that it begins with.
    #[serde(default)]
    pub(crate) offset: usize,
}

impl OnePromptPart {
    pub(crate) fn address(self) -> NodeAddress {
        NodeAddress { session: self.session, run: self.run, node: self.node }
    }
}

/// Names a part of the events of a session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SomeEvents {
    pub(crate) session: SessionId,
    /// Only the events of this node, if one is given.
    node: Option<NodeId>,
    /// The index of the first.
    #[serde(default)]
    from: u64,
    limit: Option<usize>,
}

impl SomeEvents {
    pub(crate) fn query(self) -> EventQuery {
        EventQuery { from: self.from, limit: self.limit.unwrap_or(LIMIT_MAX), node: self.node }
    }
}

/// Searches everything for words.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SearchText {
    pub(crate) query: String,
    /// Number of runs before the first.
    #[serde(default)]
    pub(crate) from: u64,
    /// Maximum number of things of one kind.
    pub(crate) limit: Option<usize>,
}

/// Asks what could be typed next in a query line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CompleteLine {
    #[serde(default)]
    pub(crate) line: String,
    /// Number of characters before the place.
    pub(crate) place: usize,
}

/// Names a workflow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OneWorkflow {
    /// Its id, or the path of its file.
    pub(crate) workflow_id: String,
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

/// Settles the question that a run waits with.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SettleRun {
    session: SessionId,
    run: RunId,
    /// The node at which the person saw the question. The verdict counts for that question alone.
    node: NodeId,
    verdict: VerdictKind,
    /// The answer, or the reason of a rejection.
    #[serde(default)]
    words: String,
}

impl SettleRun {
    pub(crate) fn by(self, person: &Person) -> SettleRequest {
        let verdict = match self.verdict {
            VerdictKind::Approve => PersonVerdict::Approved,
            VerdictKind::Answer => PersonVerdict::Answered(self.words),
            VerdictKind::Reject => PersonVerdict::Refused(self.words),
        };
        SettleRequest {
            node: Some(self.node),
            by: person.name().parse().ok(),
            ..SettleRequest::new(self.session, self.run, verdict)
        }
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
    /// The projects to choose from. Requests that name none are about the first.
    pub(crate) projects: Vec<ProjectChoice>,
    /// The version of Piton.
    pub(crate) version: &'static str,
}
