//! Positions in a stream.
//!
//! *Invariants*: an index is at most 2^53 − 1, so that canonical JSON can represent it as an integer.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{IdError, IdProblem};
use crate::bounds::INTEGER_MAX;

/// Declares index types that differ in name only.
macro_rules! indexes {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(try_from = "u64", into = "u64")]
        pub struct $name(u64);

        impl $name {
            /// The first position.
            pub const ZERO: Self = Self(0);

            /// Creates an index, unless `value` is larger than 2^53 − 1.
            pub const fn new(value: u64) -> Result<Self, IdError> {
                if value > INTEGER_MAX {
                    return Err(IdProblem::TooLarge { max: INTEGER_MAX }.of(stringify!($name)));
                }
                Ok(Self(value))
            }

            /// Returns the position as a number.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Returns the position after this one.
            ///
            /// # Panics
            ///
            /// After 2^53 − 1, which no stream that was counted from zero can reach.
            #[must_use]
            pub const fn next(self) -> Self {
                assert!(self.0 < INTEGER_MAX, "a stream counted from zero never gets this long");
                Self(self.0 + 1)
            }
        }

        impl TryFrom<u64> for $name {
            type Error = IdError;

            fn try_from(value: u64) -> Result<Self, IdError> {
                Self::new(value)
            }
        }

        impl From<$name> for u64 {
            fn from(index: $name) -> Self {
                index.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "integer",
                    "minimum": 0,
                    "maximum": INTEGER_MAX,
                })
            }
        }
    )+};
}

indexes! {
    /// The position of an event in its session.
    EventIndex,
    /// The position of a record in a session's manifest.
    ManifestIndex,
}
