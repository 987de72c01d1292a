//! What can go wrong with a flow, and how each is told to a person or an agent.
//!
//! *Invariants*: a failure names the node. No value of the backpack is in a message that is made here.

use piton_backpack::Key;
use piton_core::bounds::ENVELOPE_TEXT_BYTES_MAX;
use piton_core::error::{Details, sentence};
use piton_core::{Code, Envelope, shell_word};
use serde_json::json;

use crate::bounds::MISSING_NAMED_MAX;
use crate::node::{NodeError, Phase};
use crate::problem::{Problem, Severity};

/// What to do about a value that its node cannot read: a run that continues would find it again.
const PACK_ANOTHER: &str = "Or run the flow from there with another value: `piton flow replay BACKPACK --from NODE --set \
                            KEY=VALUE`.";

/// Why a flow cannot run, or did not come to its end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The description has problems; nothing was run.
    #[error("the flow is refused: {}", listed(problems))]
    Invalid {
        /// All of them.
        problems: Vec<Problem>,
    },
    /// A value that a node needs or hands on is not as declared.
    #[error("the {phase} of node `{node}` are not as declared: {}", violations.join("; "))]
    Contract {
        /// The node.
        node: String,
        /// Whether it is what it needs or what it hands on.
        phase: Phase,
        /// Every violation, with key and path.
        violations: Vec<String>,
        /// The keys that hold nothing.
        missing: Vec<Key>,
    },
    /// A node failed.
    #[error("node `{node}` failed in {phase}: {error}")]
    Node {
        /// The node.
        node: String,
        /// While doing what.
        phase: Phase,
        /// Why.
        error: NodeError,
    },
    /// A node panicked.
    #[error("node `{node}` panicked in {phase}: {message}")]
    Panicked {
        /// The node.
        node: String,
        /// While doing what.
        phase: Phase,
        /// What it said.
        message: String,
    },
    /// There were too many steps.
    #[error("the run reached its limit of {limit} nodes; the next would be `{node}`")]
    StepLimit {
        /// The limit.
        limit: u64,
        /// The node that did not run.
        node: String,
    },
    /// Somebody stopped the run.
    #[error("the run was cancelled")]
    Cancelled,
    /// There is nothing to resume.
    #[error("the run cannot be taken up: {reason}")]
    NotResumable {
        /// Why not.
        reason: String,
    },
    /// The backpack failed.
    #[error(transparent)]
    Backpack(#[from] piton_backpack::Error),
}

impl Error {
    /// One problem with a flow that is built in code.
    pub(crate) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        let (path, message) = (path.into(), message.into());
        Self::Invalid { problems: vec![Problem { path, severity: Severity::Error, message }] }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::FlowInvalid,
            Self::Contract { .. } => Code::FlowContractBroken,
            Self::Node { .. } | Self::Panicked { .. } => Code::FlowNodeFailed,
            Self::StepLimit { .. } => Code::FlowStepLimit,
            Self::Cancelled => Code::FlowCancelled,
            Self::NotResumable { .. } => Code::FlowNotResumable,
            Self::Backpack(error) => error.code(),
        }
    }

    /// The node that it is about.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Contract { node, .. }
            | Self::Node { node, .. }
            | Self::Panicked { node, .. }
            | Self::StepLimit { node, .. } => Some(node),
            _ => None,
        }
    }

    /// The keys that a node needs and nobody packed: a run that is resumed would not have them either.
    fn missing(&self) -> Vec<&Key> {
        match self {
            Self::Node { error, .. } => error.missing().into_iter().collect(),
            Self::Contract { phase: Phase::Inputs, missing, .. } => missing.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The failure as every surface shows it.
    pub fn envelope(&self) -> Envelope {
        if let Self::Backpack(error) = self {
            return error.envelope();
        }
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        let (cause, advice) = match self {
            Self::Node { error, .. } => (error.code(), error.suggestion()),
            _ => (None, None),
        };
        let envelope = match (cause, advice) {
            (Some(Code::BackpackWrongType), Some(advice)) => {
                envelope.with_suggestion(format!("{advice} {PACK_ANOTHER}"))
            }
            // What caused it has its own advice; continuing comes after that.
            (_, Some(advice)) => {
                let both = format!("{advice} {}", envelope.suggestion);
                envelope.with_suggestion(both)
            }
            (_, None) => envelope,
        };
        let Some(node) = self.node() else { return envelope };
        // Where a contract is broken, the reader chooses the node: it is the first that changes.
        let is_contract = matches!(self, Self::Contract { .. });
        let envelope = if is_contract { envelope } else { envelope.with_name("NODE", node) };
        let mut missing = self.missing();
        let envelope = if missing.is_empty() {
            envelope
        } else {
            // A run that continues would not have it either.
            envelope.with_suggestion(format!(
                "Run the flow again with what is missing: {}. Or let an earlier node pack it.",
                run_with(&missing)
            ))
        };
        missing.truncate(MISSING_NAMED_MAX);
        let mut details = json!({ "node": node, "cause": cause });
        if !missing.is_empty() {
            details["missing"] = json!(missing);
        }
        let details = Details::of(&details);
        envelope.with_details(details.expect("a node's id, a code and a few keys are short"))
    }
}

/// The command that runs a flow with these keys, as many as leave room for the words around it.
fn run_with(keys: &[&Key]) -> String {
    let mut command = "`piton flow run FILE".to_owned();
    let mut left_out = 0;
    for key in keys {
        let option = format!(" --set {}", shell_word(&format!("{key}=VALUE")));
        // A backtick would end what is marked as a command.
        if option.contains('`') || command.len() + option.len() > ENVELOPE_TEXT_BYTES_MAX / 2 {
            left_out += 1;
        } else {
            command += &option;
        }
    }
    match left_out {
        0 => format!("{command}`"),
        _ => format!("{command}`, and {left_out} more that the message names"),
    }
}

fn listed(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
