//! Common checks of namespaces and patterns, which are both texts of segments joined by dots.

use crate::id::too_long;

/// Reason that a text is not a namespace or pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    #[error("it is empty")]
    Empty,
    /// A dot is at the start, at the end, or next to another.
    #[error("it has an empty segment: dots only stand between two segments")]
    EmptySegment,
    #[error("{}", too_long(.max_bytes))]
    TooLong { max_bytes: usize },
    /// A namespace has a star, which would be taken for a pattern.
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
