//! What namespaces and patterns have in common: both are checked texts of segments joined by dots.

/// Why a text is not a namespace or pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// A dot stands at the start, at the end, or next to another.
    #[error("it has an empty segment: dots only stand between two segments")]
    EmptySegment,
    /// It is too long.
    #[error("it is longer than {max_bytes} bytes")]
    TooLong {
        /// The limit.
        max_bytes: usize,
    },
    /// A namespace with a star, which would be taken for a pattern.
    #[error("a namespace has no `*`; only a pattern may")]
    Star,
}

pub(super) fn check(text: &str, max_bytes: usize) -> Result<(), PatternError> {
    if text.is_empty() {
        return Err(PatternError::Empty);
    }
    if text.len() > max_bytes {
        return Err(PatternError::TooLong { max_bytes });
    }
    if text.split('.').any(str::is_empty) {
        return Err(PatternError::EmptySegment);
    }
    Ok(())
}

/// The traits that a checked text has.
macro_rules! text_traits {
    ($name:ident, $expecting:literal, $max_bytes:expr, $regex:literal) => {
        impl std::str::FromStr for $name {
            type Err = PatternError;

            fn from_str(text: &str) -> Result<Self, PatternError> {
                Self::parse(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self.as_str(), formatter)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::parse_visitor::ParseVisitor::new($expecting))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "string",
                    "pattern": $regex,
                    "maxLength": $max_bytes,
                })
            }
        }
    };
}

pub(super) use text_traits;
