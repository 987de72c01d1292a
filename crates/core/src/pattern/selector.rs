//! Patterns, which select namespaces.

use std::str::FromStr;

use super::checked_text::{PatternError, check};
use super::matching::path_matches;
use super::namespace::Namespace;
use crate::bounds::PATTERN_BYTES_MAX;

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
