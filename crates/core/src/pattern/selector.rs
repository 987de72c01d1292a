//! Patterns: which namespaces are meant.

use std::str::FromStr;

use super::checked_text::{PatternError, check};
use super::matching::path_matches;
use super::namespace::Namespace;
use crate::bounds::PATTERN_BYTES_MAX;

/// Selects namespaces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    text: String,
    /// The length of the leading segments without a star, with the dots between them.
    prefix_len: usize,
}

impl Pattern {
    /// Checks a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        check(text, PATTERN_BYTES_MAX)?;
        let prefix_len = match text.find('*') {
            None => text.len(),
            Some(star) => text[..star].rfind('.').unwrap_or(0),
        };
        Ok(Self { text: text.to_owned(), prefix_len })
    }

    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The leading segments without a star, joined by dots; empty if there are none. Every namespace
    /// that matches is this prefix or begins with it and a dot.
    pub fn literal_prefix(&self) -> &str {
        &self.text[..self.prefix_len]
    }

    /// Whether the pattern selects `namespace`, all of it.
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
