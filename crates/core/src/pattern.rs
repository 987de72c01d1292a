//! Namespaces, and the patterns that select them.
//!
//! A namespace is a path of segments joined by dots, such as `research.web.page`. A pattern is anchored at both ends
//! and matched segment by segment:
//!
//! | in a pattern | matches |
//! |---|---|
//! | `*` alone in a segment | exactly one segment |
//! | `*` inside a segment | any characters of that segment, also none |
//! | `**` alone in a segment | any number of whole segments, also none |
//! | anything else | itself |
//!
//! *Invariants*: both levels, segments and characters, reconsider only the last star that they passed. If the rest
//! after it does not match, giving an earlier star more cannot help, because the last one could have consumed the
//! difference. So no pair of a pattern byte and a name byte is compared more than once per star, and a match takes at
//! most as many steps as the product of the two lengths, which [`bounds`](crate::bounds) limits.

use std::str::FromStr;

use crate::bounds::{NAMESPACE_BYTES_MAX, PATTERN_BYTES_MAX};
use crate::id::too_long;

/// A path of non-empty segments joined by dots.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(String);

impl Namespace {
    /// Parses and checks a namespace.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        check(text, NAMESPACE_BYTES_MAX)?;
        if text.contains('*') {
            return Err(PatternError::Star);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the namespace as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the segments, at least one.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }
}

impl FromStr for Namespace {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Self::parse(text)
    }
}

crate::shown_as_text!(Namespace);
crate::text_form!(
    Namespace,
    "a namespace such as `research.web`",
    r"^[^.*]+(\.[^.*]+)*$",
    NAMESPACE_BYTES_MAX
);

/// A pattern that selects namespaces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    text: String,
    /// Length of the leading segments without a star, including the dots between them.
    prefix_len: usize,
}

impl Pattern {
    /// Parses and checks a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        check(text, PATTERN_BYTES_MAX)?;
        let prefix_len = match text.find('*') {
            None => text.len(),
            // A segment with a star in it is not literal, so the prefix ends at the dot before it.
            Some(star) => text[..star].rfind('.').unwrap_or(0),
        };
        Ok(Self { text: text.to_owned(), prefix_len })
    }

    /// Returns the pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the leading segments without a star, joined by dots; empty if there are none. Every matching namespace
    /// is this prefix or begins with it and a dot.
    pub fn literal_prefix(&self) -> &str {
        &self.text[..self.prefix_len]
    }

    /// True if the pattern selects the whole of `namespace`.
    pub fn matches(&self, namespace: &Namespace) -> bool {
        if self.prefix_len == self.text.len() {
            return self.text == namespace.as_str();
        }
        path_matches(&self.text, namespace.as_str())
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Self::parse(text)
    }
}

crate::shown_as_text!(Pattern);
crate::text_form!(
    Pattern,
    "a namespace pattern such as `research.*`",
    r"^[^.]+(\.[^.]+)*$",
    PATTERN_BYTES_MAX
);

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

/// Checks what namespaces and patterns have in common: segments joined by dots.
fn check(text: &str, max_bytes: usize) -> Result<(), PatternError> {
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

/// True if a whole pattern matches a whole namespace.
fn path_matches(pattern: &str, namespace: &str) -> bool {
    let mut pattern = pattern.split('.');
    let mut names = namespace.split('.');
    // The pattern after the last `**`, and the segments that it has not consumed yet.
    let mut retry = None;
    loop {
        let untouched = names.clone();
        match (pattern.next(), names.next()) {
            (None, None) => return true,
            // Let the star match nothing at first, and remember where to resume with it matching more.
            (Some("**"), _) => {
                names = untouched;
                retry = Some((pattern.clone(), names.clone()));
                continue;
            }
            (Some(segment), Some(name)) if segment_matches(segment, name) => continue,
            _ => {}
        }
        // A mismatch: let the last star consume one more segment and try the rest of the pattern again.
        let Some((after_star, left)) = &mut retry else {
            return false;
        };
        if left.next().is_none() {
            return false;
        }
        pattern = after_star.clone();
        names = left.clone();
    }
}

/// True if one segment of a pattern matches one segment of a namespace.
fn segment_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // The position after the last star, and the end of the characters that it has consumed.
    let mut retry = None;
    while seen < name.len() || at < pattern.len() {
        match pattern.get(at) {
            Some(b'*') => {
                at += 1;
                retry = Some((at, seen));
                continue;
            }
            Some(literal) if name.get(seen) == Some(literal) => {
                at += 1;
                seen += 1;
                continue;
            }
            _ => {}
        }
        // A mismatch: the last star consumes one more character.
        match &mut retry {
            Some((after_star, swallowed)) if *swallowed < name.len() => {
                *swallowed += 1;
                at = *after_star;
                seen = *swallowed;
            }
            _ => return false,
        }
    }
    true
}
