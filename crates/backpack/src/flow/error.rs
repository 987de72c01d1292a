//! The errors of flows, and the envelopes that present them to a person or an agent.
//!
//! *Invariants*: a failure names its node. No message built here contains a value of the backpack.

use std::fmt;

use piton_core::bounds::ENVELOPE_TEXT_BYTES_MAX;
use piton_core::error::{Details, sentence};
use piton_core::{Code, Envelope, shell_word};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::flow::bounds::{MISSING_NAMED_MAX, PROBLEMS_MAX};
use crate::flow::node::{NodeError, Phase};
use crate::flow::tool::TOOLS_COME_FROM;
use crate::{Backpack, Key, NodeIdentity};

/// Suggestion for a value that its node cannot read: a resumed run would find the same value again.
const PACK_ANOTHER: &str = "Or run the flow from there with another value: `piton flow replay BACKPACK --from NODE --set \
                            KEY=VALUE`.";

/// Suggestion for a flow that is correct but lacks tools.
const NAME_TOOLS: &str = "Run the command again with --tools and a file that names the MCP servers which have the tools, or \
                          with --workspace for tools that work on files. If the name of a tool is wrong, correct it.";

/// Reasons that a flow cannot run, or did not reach its end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The description has problems; nothing was run.
    #[error("the flow is refused: {}", listed(problems))]
    Invalid { problems: Vec<FlowProblem> },
    /// A value that a node needs or produces does not match its declaration.
    #[error("the {phase} of node `{node}` are not as declared: {}", violations.join("; "))]
    Contract {
        node: String,
        /// Tells the inputs of the node from its outputs.
        phase: Phase,
        /// Every violation, with key and path.
        violations: Vec<String>,
        /// The keys without a value.
        missing: Vec<Key>,
        /// The keys whose values have the wrong shape.
        wrong: Vec<Key>,
    },
    #[error("node `{node}` failed in {phase}: {error}")]
    Node { node: String, phase: Phase, error: NodeError },
    #[error("node `{node}` panicked in {phase}: {message}")]
    Panicked { node: String, phase: Phase, message: String },
    /// The run took too many steps.
    #[error("the run reached its limit of {limit} nodes; the next would be `{node}`")]
    StepLimit {
        limit: u64,
        /// The node that would have been next.
        node: String,
    },
    /// The run was cancelled from outside.
    #[error("the run was cancelled")]
    Cancelled,
    /// There is nothing to resume.
    #[error("the run cannot be taken up: {reason}")]
    NotResumable { reason: String },
    /// The backpack failed.
    #[error(transparent)]
    Backpack(#[from] crate::Error),
}

impl Error {
    /// Reports a single problem with a flow that is built in code.
    pub(crate) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        let (path, message) = (path.into(), message.into());
        Self::Invalid { problems: vec![FlowProblem { path, severity: Severity::Error, message }] }
    }

    /// Refuses to resume or to replay a run.
    pub(crate) fn not_resumable(reason: impl Into<String>) -> Self {
        Self::NotResumable { reason: reason.into() }
    }

    /// Returns the stable code of the error.
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

    /// Returns the node that the error is about.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::Contract { node, .. }
            | Self::Node { node, .. }
            | Self::Panicked { node, .. }
            | Self::StepLimit { node, .. } => Some(node),
            _ => None,
        }
    }

    /// Returns the keys that a node needs and that are missing. A resumed run would not have them either.
    fn missing(&self) -> Vec<&Key> {
        match self {
            Self::Node { error, .. } => error.missing().into_iter().collect(),
            Self::Contract { phase: Phase::Inputs, missing, .. } => missing.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the keys whose values do not fit the node, if nothing else is wrong.
    fn wrong(&self) -> Vec<&Key> {
        match self {
            Self::Node { error, .. } => error.wrong().into_iter().collect(),
            Self::Contract { phase: Phase::Inputs, missing, wrong, .. } if missing.is_empty() => {
                wrong.iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Builds the envelope for a run on `backpack`. Values that the run was started with have to be changed there, not
    /// in the flow.
    pub fn envelope_for(&self, backpack: &Backpack) -> Envelope {
        let envelope = self.envelope();
        let (wrong, missing) = (self.wrong(), self.missing());
        let Some(node) = self.node() else { return envelope };
        let items = backpack.debug();
        let item = |key: &Key| items.item(key.as_str()).ok().flatten();
        let was_given =
            |key: &&Key| item(key).is_some_and(|item| *item.source() == NodeIdentity::system());
        let is_protected = |key: &Key| item(key).is_some_and(|item| item.labels().is_protected());
        // Only if every wrong value was given at the start is a new start the fix; otherwise keep the general advice.
        if wrong.is_empty() || !missing.is_empty() || !wrong.iter().all(was_given) {
            // A protected value must be given again as one, so that it stays protected.
            let protected = wrong.iter().filter(|key| is_protected(key));
            let suggestion = protected.fold(envelope.suggestion.clone(), |advice, key| {
                advice.replace(&given_again(key, false), &given_again(key, true))
            });
            return envelope.with_suggestion(suggestion);
        }
        let options = wrong.iter().map(|key| given_again(key, is_protected(key)));
        let command = "`piton flow replay BACKPACK --from NODE".to_owned();
        let (command, left_out) = with_options(command, options);
        if left_out > 0 {
            return envelope;
        }
        let advice = format!(
            "What was given when the run was started has another form than the node takes. Run the flow from there with another value: {command}."
        );
        envelope.with_suggestion(advice).with_name("NODE", shell_word(node))
    }

    /// Builds the envelope that every surface shows.
    pub fn envelope(&self) -> Envelope {
        if let Self::Backpack(error) = self {
            return error.envelope();
        }
        let envelope = Envelope::new(self.code(), sentence(&self.to_string()));
        if let Self::Invalid { problems } = self {
            let mut errors = problems.iter().filter(|one| one.severity == Severity::Error);
            let lacks_tools = errors.all(|problem| problem.message.ends_with(TOOLS_COME_FROM));
            return if lacks_tools { envelope.with_suggestion(NAME_TOOLS) } else { envelope };
        }
        let (cause, advice) = match self {
            Self::Node { error, .. } => (error.code(), error.suggestion()),
            _ => (None, None),
        };
        let envelope = match (cause, advice) {
            (Some(Code::BackpackWrongType), Some(advice)) => {
                let key = self.wrong().first().map_or("KEY", |key| key.as_str());
                let other = PACK_ANOTHER.replace("KEY=VALUE", &shell_word(&format!("{key}=VALUE")));
                envelope.with_suggestion(format!("{advice} {other}"))
            }
            // The cause has its own advice; resuming comes after that.
            (_, Some(advice)) => {
                let both = format!("{advice} {}", envelope.suggestion);
                envelope.with_suggestion(both)
            }
            (_, None) => envelope,
        };
        let Some(node) = self.node() else { return envelope };
        // For a broken contract the reader chooses the node: the first one that they change.
        let is_contract = matches!(self, Self::Contract { .. });
        let envelope =
            if is_contract { envelope } else { envelope.with_name("NODE", shell_word(node)) };
        let mut missing = self.missing();
        let envelope = if missing.is_empty() {
            envelope
        } else {
            // A resumed run would not have the values either.
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

/// Builds the command that runs a flow with these keys.
fn run_with(keys: &[&Key]) -> String {
    let options = keys.iter().map(|key| given_again(key, false));
    let command = "`piton flow run FILE".to_owned();
    match with_options(command, options) {
        (command, 0) => command,
        (command, left_out) => format!("{command}, and {left_out} more that the message names"),
    }
}

/// Builds the option that gives a run a value. A value with personal data keeps that mark.
fn given_again(key: &Key, is_protected: bool) -> String {
    let option = if is_protected { "--pii" } else { "--set" };
    format!(" {option} {}", shell_word(&format!("{key}=VALUE")))
}

impl From<Error> for Envelope {
    fn from(error: Error) -> Self {
        error.envelope()
    }
}

/// Appends as many options as leave room for the text around the command. Returns the number that did not fit.
fn with_options(mut command: String, options: impl Iterator<Item = String>) -> (String, usize) {
    let mut left_out = 0;
    for option in options {
        // A backtick would end the text that is marked as a command.
        if option.contains('`') || command.len() + option.len() > ENVELOPE_TEXT_BYTES_MAX / 2 {
            left_out += 1;
        } else {
            command += &option;
        }
    }
    command.push('`');
    (command, left_out)
}

fn listed(problems: &[FlowProblem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

piton_core::closed_set! {
    /// How bad a problem is.
    pub enum Severity {
        /// The flow does not run.
        Error => "error",
        /// The flow runs, and perhaps not as its author thinks.
        Warning => "warning",
    }
}

/// A problem in a description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowProblem {
    /// The location, such as `nodes[2].type`; empty for the whole description.
    pub path: String,
    pub severity: Severity,
    /// A description of the problem, and of what would be right.
    pub message: String,
}

impl fmt::Display for FlowProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        formatter.write_str(&self.message)
    }
}

/// Problems as they are found. Problems beyond the limit are dropped: a file with that many has enough to fix. An error
/// replaces a warning rather than being dropped, since otherwise the flow would run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problems(Vec<FlowProblem>);

impl Problems {
    pub(crate) fn error(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.add(path.into(), Severity::Error, message.into());
    }

    pub(crate) fn warning(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.add(path.into(), Severity::Warning, message.into());
    }

    fn add(&mut self, path: String, severity: Severity, message: String) {
        let problem = FlowProblem { path, severity, message };
        if self.0.len() < PROBLEMS_MAX {
            self.0.push(problem);
        } else if severity == Severity::Error
            && let Some(last) = self.0.iter_mut().rfind(|one| one.severity == Severity::Warning)
        {
            *last = problem;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(|problem| problem.severity == Severity::Error)
    }

    pub(crate) fn into_vec(self) -> Vec<FlowProblem> {
        self.0
    }
}

/// Returns `path.field`, or `field` at the top level.
pub(crate) fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
