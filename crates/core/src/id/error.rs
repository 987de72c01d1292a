//! Why a text or number is not an id.

use std::fmt;

/// Why a text or number is not an id of the wanted kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {kind}: {problem}")]
pub struct IdError {
    /// The kind that was wanted, by the name of its type.
    pub kind: &'static str,
    /// What is wrong.
    pub problem: IdProblem,
}

/// What is wrong with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdProblem {
    /// It does not begin as its kind does.
    #[error("it does not start with `{expected}_`")]
    Prefix {
        /// The prefix of the kind, without the underscore.
        expected: &'static str,
    },
    /// It does not have the fixed length.
    #[error("{expected} characters must follow the prefix")]
    Length {
        /// How many characters follow the prefix.
        expected: usize,
    },
    /// It has a character that its kind does not allow.
    #[error("it may only hold {allowed}")]
    Character {
        /// The allowed characters in words.
        allowed: &'static str,
    },
    /// Its first character stands for more than 128 bits.
    #[error("the first character after the prefix must be 0 to 7")]
    Overflow,
    /// It, or a part of it, is empty.
    #[error("it has an empty part")]
    Empty,
    /// It does not have the parts that its kind has.
    #[error("it must have the form `{form}`")]
    Form {
        /// The form.
        form: &'static str,
    },
    /// It is too long.
    #[error("{}", too_long(.max_bytes))]
    TooLong {
        /// The limit.
        max_bytes: usize,
    },
    /// It is too large.
    #[error("it is larger than {max}")]
    TooLarge {
        /// The limit.
        max: u64,
    },
}

impl IdProblem {
    /// The error for an id of `kind`.
    pub(super) const fn of(self, kind: &'static str) -> IdError {
        IdError { kind, problem: self }
    }
}

/// That a text is too long, in the words of every kind of text.
pub(crate) fn too_long(max_bytes: impl fmt::Display) -> String {
    format!("it is longer than {max_bytes} bytes")
}
