//! Rules over the notes of a step.
//!
//! *Invariants*: pure. Length is counted in characters (Unicode scalar values), over the notes as they were
//! handed in. A pattern is one of the `regex` crate, which matches in time linear in the text; a pattern
//! that it does not know, such as a look-around, is refused when the workflow is compiled.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::bounds::{PATTERN_MEMORY_BYTES_MAX, REQUIREMENTS_MAX};

/// A rule over the notes of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Criterion {
    /// The notes hold a text.
    Contains {
        /// The text.
        value: String,
        /// What to tell the agent if they do not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The notes match a pattern somewhere.
    Regex {
        /// The pattern.
        pattern: Pattern,
        /// What to tell the agent if they do not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The notes have a certain length in characters.
    Length {
        /// The least.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The most.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
        /// What to tell the agent if they have not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// All of several rules hold.
    And {
        /// The rules.
        rules: Vec<Criterion>,
    },
}

/// A pattern that is known to compile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(Regex);

impl Pattern {
    /// `pattern`, unless it is not supported or needs too much memory.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        let built = RegexBuilder::new(pattern).size_limit(PATTERN_MEMORY_BYTES_MAX).build();
        built.map(Self)
    }

    /// The pattern as its author wrote it.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

impl TryFrom<String> for Pattern {
    type Error = regex::Error;

    fn try_from(pattern: String) -> Result<Self, regex::Error> {
        Self::new(&pattern)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.as_str().to_owned()
    }
}

/// What a prompt says about criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The first requirements, in the author's order.
    pub listed: Vec<String>,
    /// How many more there are.
    pub left_out: usize,
}

/// What is not met by `notes`: one message for each rule that fails, in the author's order. Nothing if
/// every rule holds.
pub fn failures(criteria: &[Criterion], notes: &str) -> Vec<String> {
    let fails = |rule: &&Criterion| !rule.holds(notes);
    leaves(criteria).into_iter().filter(fails).map(Criterion::failure).collect()
}

/// What `criteria` ask for, in words. Only the first [`REQUIREMENTS_MAX`] are listed.
pub fn requirements(criteria: &[Criterion]) -> Requirements {
    let mut listed: Vec<_> = leaves(criteria).into_iter().map(Criterion::requirement).collect();
    let left_out = listed.len().saturating_sub(REQUIREMENTS_MAX);
    listed.truncate(REQUIREMENTS_MAX);
    Requirements { listed, left_out }
}

/// The rules that are not made of rules, in the author's order.
pub fn leaves(criteria: &[Criterion]) -> Vec<&Criterion> {
    let mut found = Vec::new();
    for rule in criteria {
        match rule {
            Criterion::And { rules } => found.extend(leaves(rules)),
            other => found.push(other),
        }
    }
    found
}

impl Criterion {
    /// Whether the rule holds for `notes`.
    pub fn holds(&self, notes: &str) -> bool {
        match self {
            Self::Contains { value, .. } => notes.contains(value),
            Self::Regex { pattern, .. } => pattern.0.is_match(notes),
            Self::Length { min, max, .. } => {
                let length = notes.chars().count(); // tidy: chars, because authors count them
                min.is_none_or(|min| length >= min as usize)
                    && max.is_none_or(|max| length <= max as usize)
            }
            Self::And { rules } => rules.iter().all(|rule| rule.holds(notes)),
        }
    }

    fn requirement(&self) -> String {
        match self {
            Self::Contains { value, .. } => format!("Must contain '{value}'"),
            Self::Regex { pattern, .. } => format!("Must match pattern: {}", pattern.as_str()),
            Self::Length { min, max, .. } => {
                let min = min.map(|min| format!("≥{min} chars"));
                let max = max.map(|max| format!("≤{max} chars"));
                let limits: Vec<_> = min.into_iter().chain(max).collect();
                format!("Length: {}", limits.join(", "))
            }
            Self::And { rules } => {
                let inner: Vec<_> = rules.iter().map(Self::requirement).collect();
                inner.join("; ")
            }
        }
    }

    fn failure(&self) -> String {
        let (Self::Contains { message, .. }
        | Self::Regex { message, .. }
        | Self::Length { message, .. }) = self
        else {
            return self.requirement();
        };
        message.clone().unwrap_or_else(|| self.requirement())
    }
}
