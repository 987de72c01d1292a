//! Problems of configuration, with their position and a fix.

use std::fmt::{self, Write as _};

use piton_core::{Code, Envelope};
use schemars::JsonSchema;
use serde::Serialize;

use crate::bounds::CONFIG_PROBLEMS_MAX;

/// A problem of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigProblem {
    /// The file, or the variable of the environment.
    pub place: String,
    /// The line, from one; nothing if the place has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The character in that line, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    pub reason: String,
    /// The correction.
    pub fix: String,
}

impl ConfigProblem {
    /// Creates a problem of a source as a whole.
    pub fn of(place: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        let (place, reason, fix) = (place.into(), reason.into(), fix.into());
        Self { place, line: None, column: None, reason, fix }
    }

    /// Returns the position in the form that editors and terminals understand.
    pub fn at(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.place),
            _ => self.place.clone(),
        }
    }

    /// Combines all problems into one failure.
    pub fn envelope(problems: &[Self]) -> Envelope {
        let things = match problems.len() {
            1 => "1 problem".to_owned(),
            count => format!("{count} problems"),
        };
        let mut message = format!("The configuration cannot be used, because it has {things}.");
        for problem in problems.iter().take(CONFIG_PROBLEMS_MAX) {
            write!(message, "\n  {problem}").expect("writing to a string does not fail");
        }
        if let Some(more) = problems.len().checked_sub(CONFIG_PROBLEMS_MAX).filter(|more| *more > 0)
        {
            write!(message, "\n  and {more} more").expect("writing to a string does not fail");
        }
        Envelope::new(Code::ValidationError, message)
            .with_suggestion("Fix each line that is named, and repeat the call.")
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}; {}", self.at(), self.reason, self.fix)
    }
}
