//! Text budgets: one measure (UTF-8 bytes) and one way to cut.
//!
//! *Invariants*: every limit on text in Piton is in UTF-8 bytes, measured by [`byte_len`]. A cut keeps the start of the
//! text, never splits a character and is marked as one. Its result is never longer than the budget.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// End of a truncated text. Its bytes count towards the budget.
pub const TRUNCATION_MARKER: &str = "\n\n[TRUNCATED]";

/// Returns the size of a text as every budget counts it: in UTF-8 bytes.
pub const fn byte_len(text: &str) -> usize {
    text.len()
}

/// Returns `text` itself if it fits. Otherwise returns its longest prefix that leaves room for [`TRUNCATION_MARKER`],
/// followed by the marker.
///
/// A budget smaller than the marker leaves no room for any text. The result is then as much of the start of the marker
/// as fits, because a budget must hold whatever its size.
pub fn truncate(text: &str, budget_bytes: usize) -> Cow<'_, str> {
    if byte_len(text) <= budget_bytes {
        return Cow::Borrowed(text);
    }
    let Some(room) = budget_bytes.checked_sub(byte_len(TRUNCATION_MARKER)) else {
        // The marker is ASCII, so it can be cut at any byte.
        return Cow::Borrowed(&TRUNCATION_MARKER[..budget_bytes]);
    };
    let kept = &text[..text.floor_char_boundary(room)];
    Cow::Owned([kept, TRUNCATION_MARKER].concat())
}

/// A text of at most `MAX` UTF-8 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoundedText<const MAX: usize>(#[serde(deserialize_with = "bounded::<_, MAX>")] String);

/// Error for a text that is longer than its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text has {measured_bytes} UTF-8 bytes, {max_bytes} are allowed")]
pub struct TextTooLong {
    pub measured_bytes: usize,
    pub max_bytes: usize,
}

impl<const MAX: usize> BoundedText<MAX> {
    /// Wraps `text`, or returns an error if it is too long.
    pub fn new(text: impl Into<String>) -> Result<Self, TextTooLong> {
        let text = text.into();
        let measured_bytes = byte_len(&text);
        if measured_bytes > MAX {
            return Err(TextTooLong { measured_bytes, max_bytes: MAX });
        }
        Ok(Self(text))
    }

    /// Wraps `text`, cut by [`truncate`] if it is too long.
    pub fn truncated(text: &str) -> Self {
        Self(truncate(text, MAX).into_owned())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts into the owned text.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> TryFrom<String> for BoundedText<MAX> {
    type Error = TextTooLong;

    fn try_from(text: String) -> Result<Self, TextTooLong> {
        Self::new(text)
    }
}

impl<const MAX: usize> AsRef<str> for BoundedText<MAX> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for BoundedText<MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl<const MAX: usize> fmt::Debug for BoundedText<MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

fn bounded<'de, D: serde::Deserializer<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match BoundedText::<MAX>::new(text) {
        Ok(bounded) => Ok(bounded.0),
        Err(too_long) => Err(serde::de::Error::custom(too_long)),
    }
}

impl<const MAX: usize> schemars::JsonSchema for BoundedText<MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Text{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // `maxLength` counts characters, and there are never more of them than bytes. So the schema is the weaker
        // check; the description states the real one.
        schemars::json_schema!({
            "type": "string",
            "maxLength": MAX,
            "description": format!("At most {MAX} UTF-8 bytes."),
        })
    }
}
