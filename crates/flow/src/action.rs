//! What a node says when it is done: where to go on.

use std::fmt;

use crate::bounds::ACTION_BYTES_MAX;

/// The name of the action that [`Action::Default`] stands for.
pub const DEFAULT: &str = "default";

/// Where a flow goes on after a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The usual way.
    #[default]
    Default,
    /// The way with this name.
    Named(String),
    /// Nowhere: the flow ends here, whatever comes after the node.
    End,
}

impl Action {
    /// The way called `name`; `default` is the usual one.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        if name == DEFAULT { Self::Default } else { Self::Named(name) }
    }

    /// The condition of the edge that it takes, if it takes one.
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

/// What is wrong with the text of a condition, if anything.
pub(crate) fn condition_problem(text: &str) -> Option<String> {
    let fits = !text.is_empty() && text.len() <= ACTION_BYTES_MAX;
    let plain = !text.chars().any(char::is_control);
    (!fits || !plain).then(|| {
        format!("a condition is a text of 1 to {ACTION_BYTES_MAX} bytes without control characters")
    })
}
