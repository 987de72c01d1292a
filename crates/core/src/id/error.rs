//! Reasons that a text or number is not an id.

use std::fmt;

/// Reason that a text or number is not an id of the wanted kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {kind}: {problem}")]
pub struct IdError {
    /// Wanted kind, by the name of its type.
    pub kind: &'static str,
    pub problem: IdProblem,
}

/// Problem of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdProblem {
    /// The id does not begin with the prefix of its kind.
    #[error("it does not start with `{expected}_`")]
    Prefix {
        /// Prefix of the kind, without the underscore.
        expected: &'static str,
    },
    #[error("{expected} characters must follow the prefix")]
    Length {
        /// Number of characters after the prefix.
        expected: usize,
    },
    /// The id has a character that its kind does not allow.
    #[error("it may only hold {allowed}")]
    Character {
        /// Allowed characters in words.
        allowed: &'static str,
    },
    /// The first character stands for more than 128 bits.
    #[error("the first character after the prefix must be 0 to 7")]
    Overflow,
    /// The id, or a part of it, is empty.
    #[error("it has an empty part")]
    Empty,
    /// The id does not have the parts of its kind.
    #[error("it must have the form `{form}`")]
    Form { form: &'static str },
    #[error("{}", too_long(.max_bytes))]
    TooLong { max_bytes: usize },
    #[error("it is larger than {max}")]
    TooLarge { max: u64 },
}

impl IdProblem {
    /// Creates the error for an id of `kind`.
    pub(super) const fn of(self, kind: &'static str) -> IdError {
        IdError { kind, problem: self }
    }
}

/// Returns the common message for a text that is too long.
pub(crate) fn too_long(max_bytes: impl fmt::Display) -> String {
    format!("it is longer than {max_bytes} bytes")
}
