//! The end of a reading of a stream.
//!
//! A cursor can be written down as text, for another process to follow. The contents of the text are private to the
//! adapter.
//!
//! *Invariants*: a cursor that another adapter or another data directory made is noticed when it is followed, because
//! it names the incarnation of its stream.

use std::fmt;
use std::str::FromStr;

use piton_core::{EventIndex, ManifestIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in a stream, as one adapter knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub struct Cursor {
    pub(crate) incarnation: u128,
    pub(crate) position: u64,
    /// The length at which a reading found nothing more; beyond `position` if it will read the
    /// newest records again.
    pub(crate) seen: u64,
    pub(crate) next_manifest: ManifestIndex,
    pub(crate) next_event: EventIndex,
}

impl Cursor {
    /// Returns the index that the next event will have.
    pub fn next_event(&self) -> EventIndex {
        self.next_event
    }
}

/// Error for a text that is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not a cursor of a stream; read the stream again")]
pub struct NotACursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { incarnation, position, seen, next_manifest, next_event } = self;
        write!(f, "{incarnation:x}.{position}.{seen}.{next_manifest}.{next_event}")
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    /// Reads what [`Display`](fmt::Display) wrote, and nothing else.
    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let fields: Vec<&str> = text.split('.').collect();
        let &[incarnation, position, seen, next_manifest, next_event] = fields.as_slice() else {
            return Err(NotACursor);
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| NotACursor);
        let cursor = Self {
            incarnation: u128::from_str_radix(incarnation, 16).map_err(|_| NotACursor)?,
            position: number(position)?,
            seen: number(seen)?,
            next_manifest: ManifestIndex::new(number(next_manifest)?).map_err(|_| NotACursor)?,
            next_event: EventIndex::new(number(next_event)?).map_err(|_| NotACursor)?,
        };
        // Signs and leading zeros are other ways to write the same number.
        if cursor.to_string() == text { Ok(cursor) } else { Err(NotACursor) }
    }
}

impl TryFrom<String> for Cursor {
    type Error = NotACursor;

    fn try_from(text: String) -> Result<Self, NotACursor> {
        text.parse()
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_has_one_text_and_no_other_is_read() {
        let cursor = Cursor {
            incarnation: u128::MAX,
            position: 7,
            seen: u64::MAX,
            next_manifest: ManifestIndex::ZERO,
            next_event: EventIndex::ZERO.next(),
        };
        let text = cursor.to_string();
        assert_eq!(text, "ffffffffffffffffffffffffffffffff.7.18446744073709551615.0.1");
        assert_eq!(text.parse(), Ok(cursor));
        let wrong = [
            "",
            "1.2.3.4",
            "1.2.3.4.5.6",
            "1.2.3.4.+5",
            "1.02.3.4.5",
            "g.2.3.4.5",
            "1.2.3.4.9007199254740992",
        ];
        for wrong in wrong {
            assert_eq!(wrong.parse::<Cursor>(), Err(NotACursor), "{wrong}");
        }
    }
}
