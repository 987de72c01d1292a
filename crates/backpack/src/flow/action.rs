//! The action that a node returns: it decides where the flow continues.

use std::fmt;

use crate::flow::bounds::ACTION_BYTES_MAX;

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
