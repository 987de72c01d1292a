//! Problems in the description of a flow: all of them at once, each with its location.

use std::fmt;

use serde::Serialize;

use crate::flow::bounds::PROBLEMS_MAX;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
