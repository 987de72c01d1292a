//! Reasons that a value has no canonical form.

use std::fmt;

use crate::bounds::{DEPTH_MAX, INTEGER_MAX};
use crate::display::excerpt;

/// Reason that a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// A whole number that not all readers with double precision would read alike.
    #[error(
        "{value} is a whole number outside ±{INTEGER_MAX}, which not every JSON reader keeps exactly; write it as a string"
    )]
    IntegerOutOfRange { value: String },
    /// NaN or an infinity.
    #[error("{value} is not a JSON number")]
    NotFinite {
        /// `NaN`, `inf` or `-inf`.
        value: &'static str,
    },
    /// Two entries of one object have the same key.
    #[error("the key `{key}` occurs twice in one object")]
    DuplicateKey {
        /// Start of the key.
        key: String,
    },
    /// A map key that is not a string.
    #[error(
        "a JSON object needs string keys, but one key is {found}; convert it to text explicitly"
    )]
    NonStringKey {
        /// Kind of value that the key is.
        found: &'static str,
    },
    /// Arrays and objects nest too deeply.
    #[error("the value nests deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// A form that only `serde_json` itself understands (`raw_value`, `arbitrary_precision`).
    #[error("raw JSON and arbitrary-precision numbers of serde_json have no canonical form")]
    RawJson,
    /// The value's own [`serde::Serialize`] implementation failed.
    #[error("the value could not be serialized: {message}")]
    Unserializable { message: String },
}

impl CanonicalError {
    pub(super) fn out_of_range(value: impl fmt::Display) -> Self {
        Self::IntegerOutOfRange { value: value.to_string() }
    }

    pub(super) fn duplicate(key: &str) -> Self {
        Self::DuplicateKey { key: excerpt(key) }
    }
}

impl serde::ser::Error for CanonicalError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Unserializable { message: message.to_string() }
    }
}
