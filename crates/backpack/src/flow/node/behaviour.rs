//! The trait that every node implements, and the action that a node returns.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::NodeContext;
use super::error::NodeError;
use super::exec::Exec;
use crate::flow::bounds::{ACTION_BYTES_MAX, ATTEMPTS_MAX, WAIT_MS_MAX};

pub use piton_models::BoxFuture;

piton_core::closed_set! {
    /// How often a node executes.
    pub enum Shape {
        /// Once, with what prepare gave.
        Single => "single",
        /// Once for each entry of the list that prepare gave, one after the other.
        Batch => "batch",
        /// Once for each entry of the list that prepare gave, side by side.
        Parallel => "parallel",
    }
}

/// A unit of a flow.
///
/// Contract: `prep` reads the inputs of the node, `exec` works on them and on nothing else, `post` writes the results
/// and decides where the flow continues. Only `exec` is retried, so only `exec` may do work that can fail temporarily.
/// The same node may run many times, and in several flows at once: anything that it has to remember belongs in the
/// backpack.
pub trait Node: Send + Sync {
    /// Returns the type of the node, as people and configurations name it.
    fn type_name(&self) -> &str;

    /// Returns the node's part of the namespace. Without one, the flow's settings decide, else its id.
    fn segment(&self) -> Option<&str> {
        None
    }

    /// Returns the parameters that it was built from, to be written back into a configuration.
    fn params(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns how many times the node executes.
    fn shape(&self) -> Shape {
        Shape::Single
    }

    /// True if the node calls tools, which then have to be ready before a run begins.
    fn calls_tools(&self) -> bool {
        false
    }

    /// Returns the possible actions, if the node knows all of them. Edges for others are reported as mistakes.
    fn actions(&self) -> Option<Vec<Action>> {
        None
    }

    /// Reads the inputs. For a batch, the result is a list.
    fn prep<'a>(&'a self, _context: &'a NodeContext) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Ok(Value::Null)))
    }

    /// Works on the prepared value; for a batch, on one entry of it.
    fn exec<'a>(
        &'a self,
        _prepared: &'a Value,
        _exec: &'a Exec<'_>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Ok(Value::Null)))
    }

    /// Provides the result after the last attempt failed. By default the node fails with that error.
    fn fallback<'a>(
        &'a self,
        _prepared: &'a Value,
        error: NodeError,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(std::future::ready(Err(error)))
    }

    /// Writes the results and decides where the flow continues. For a batch, `_result` is a list in entry order.
    fn post<'a>(
        &'a self,
        _context: &'a NodeContext,
        _prepared: &'a Value,
        _result: Value,
    ) -> BoxFuture<'a, Result<Action, NodeError>> {
        Box::pin(std::future::ready(Ok(Action::Default)))
    }
}

/// Number of attempts, and the wait in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryRule {
    /// Total number of attempts, at least one.
    pub attempts: u32,
    /// Wait before each further attempt, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

impl RetryRule {
    /// A single attempt.
    pub const ONCE: Self = Self { attempts: 1, wait_ms: 0 };

    /// Returns the problem with the rule, if there is one, with the name of the field.
    pub(crate) fn problem(self) -> Option<(&'static str, String)> {
        if self.attempts == 0 || self.attempts > ATTEMPTS_MAX {
            return Some((
                "attempts",
                format!("{} is not between 1 and {ATTEMPTS_MAX}", self.attempts),
            ));
        }
        (self.wait_ms > WAIT_MS_MAX)
            .then(|| ("waitMs", format!("{} is more than {WAIT_MS_MAX}", self.wait_ms)))
    }
}

impl Default for RetryRule {
    fn default() -> Self {
        Self::ONCE
    }
}

/// The name of [`Action::Default`].
pub const DEFAULT: &str = "default";

/// The direction in which a flow continues after a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Takes the default edge.
    #[default]
    Default,
    /// Takes the edge with this condition.
    Named(String),
    /// Ends the flow here, whatever edges leave the node.
    End,
}

impl Action {
    /// Creates the action called `name`; `default` gives [`Action::Default`].
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        if name == DEFAULT { Self::Default } else { Self::Named(name) }
    }

    /// Returns the condition of the edge that the action takes, if it takes one.
    pub fn condition(&self) -> Option<&str> {
        match self {
            Self::Default => Some(DEFAULT),
            Self::Named(name) => Some(name),
            Self::End => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.condition().unwrap_or("end"))
    }
}

/// Returns the problem with the text of a condition, if there is one.
pub(crate) fn condition_problem(text: &str) -> Option<String> {
    let fits = !text.is_empty() && text.len() <= ACTION_BYTES_MAX;
    let plain = !text.chars().any(char::is_control);
    (!fits || !plain).then(|| {
        format!("a condition is a text of 1 to {ACTION_BYTES_MAX} bytes without control characters")
    })
}
