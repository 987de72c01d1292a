//! Namespaces, which name the origin of items.

use std::str::FromStr;

use super::checked_text::{PatternError, check};
use crate::bounds::NAMESPACE_BYTES_MAX;

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
