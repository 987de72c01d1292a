//! A pattern over the notes of a step.
//!
//! *Invariants*: a pattern matches in time linear in the text. It uses the simplest engine, whatever other
//! engines the program is built with. Each pattern is matched a few times at most, so the engine that is
//! faster to build is the faster one.

use regex_automata::meta::{BuildError, Config, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::PATTERN_MEMORY_BYTES_MAX;

/// A pattern that is known to compile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(with = "String")]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    text: String,
    matcher: Regex,
}

/// Reason that a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternProblem(String);

impl From<BuildError> for PatternProblem {
    fn from(error: BuildError) -> Self {
        Self(match (error.syntax_error(), error.size_limit()) {
            (Some(syntax), _) => syntax.to_string(),
            (None, Some(limit)) => format!("it needs more than {limit} bytes of memory"),
            (None, None) => error.to_string(),
        })
    }
}

impl Pattern {
    /// Compiles `pattern`, unless it is not supported or needs too much memory.
    pub fn new(pattern: &str) -> Result<Self, PatternProblem> {
        // Everything but the plain NFA simulation is switched off: the others cost more to build than they
        // save here.
        let simplest = Config::new()
            .nfa_size_limit(Some(PATTERN_MEMORY_BYTES_MAX))
            .auto_prefilter(false)
            .hybrid(false)
            .dfa(false)
            .onepass(false)
            .backtrack(false);
        let matcher = Regex::builder().configure(simplest).build(pattern)?;
        Ok(Self { text: pattern.to_owned(), matcher })
    }

    /// Returns the pattern as its author wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// True if `text` matches somewhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        // The text determines the matcher, which cannot be compared.
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl TryFrom<String> for Pattern {
    type Error = PatternProblem;

    fn try_from(pattern: String) -> Result<Self, PatternProblem> {
        Self::new(&pattern)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}
