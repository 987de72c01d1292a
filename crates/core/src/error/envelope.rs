//! The error envelope with its retry rule, and constructors for failures that occur everywhere.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::code::Code;
use super::details::Details;
use crate::bounds::ENVELOPE_TEXT_BYTES_MAX;
use crate::budget::truncate;

/// An error as every surface shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// What kind of failure it is.
    pub code: Code,
    /// What is wrong, where and why it matters, in plain words.
    pub message: String,
    /// The exact next action.
    pub suggestion: String,
    /// Whether trying again can help.
    pub retry: Retry,
    /// Facts for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
}

/// Whether the same call can succeed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Retry {
    /// The same call will fail again; something has to change first.
    NotRetryable,
    /// The same call may succeed at once.
    RetryableImmediate,
    /// The same call may succeed after a wait.
    RetryableAfterMs {
        /// How long to wait.
        after_ms: u64,
    },
}

impl Retry {
    /// Returns the retry rule in words.
    pub fn words(self) -> String {
        match self {
            Self::NotRetryable => "no, something has to change first".to_owned(),
            Self::RetryableImmediate => "yes, at once".to_owned(),
            Self::RetryableAfterMs { after_ms } => format!("yes, after {after_ms} ms"),
        }
    }
}

crate::closed_set! {
    /// How the size of something that has a budget was measured.
    pub enum MeasuredSize {
        /// The UTF-8 bytes of a text.
        Utf8Bytes => "utf8_bytes",
        /// The bytes of a value in canonical JSON.
        CanonicalJsonBytes => "canonical_json_bytes",
    }
}

impl Envelope {
    /// Creates a failure of kind `code`, with the advice and the retry rule of the code. A message that is too long is
    /// truncated.
    pub fn new(code: Code, message: impl AsRef<str>) -> Self {
        Self {
            code,
            message: truncate(message.as_ref(), ENVELOPE_TEXT_BYTES_MAX).into_owned(),
            suggestion: code.advice().to_owned(),
            retry: code.retry(),
            details: None,
        }
    }

    /// Creates a failure for `what`, which is larger than its budget. `advice` says how to make it smaller.
    pub fn over_budget(
        what: &str,
        measured: usize,
        max: usize,
        measure: MeasuredSize,
        advice: &str,
    ) -> Self {
        let message = format!("{what} is too large: {measured} bytes ({measure}), at most {max}.");
        let details = Details::of(&json!({
            "measuredBytes": measured,
            "maxBytes": max,
            "method": measure,
        }))
        .expect("three short entries, and no size in memory exceeds 2^53");
        Self::new(Code::ValidationError, message).with_suggestion(advice).with_details(details)
    }

    /// Replaces the next action; one that is too long is truncated.
    #[must_use]
    pub fn with_suggestion(mut self, suggestion: impl AsRef<str>) -> Self {
        self.suggestion = truncate(suggestion.as_ref(), ENVELOPE_TEXT_BYTES_MAX).into_owned();
        self
    }

    /// Replaces every occurrence of the word `placeholder`, such as `SESSION`, in the next action with `name`.
    #[must_use]
    pub fn with_name(self, placeholder: &str, name: impl fmt::Display) -> Self {
        let suggestion = replace_word(&self.suggestion, placeholder, &name.to_string());
        self.with_suggestion(suggestion)
    }

    /// Replaces the retry rule.
    #[must_use]
    pub fn with_retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Adds facts for programs.
    #[must_use]
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(details);
        self
    }
}

/// Replaces `word` with `by` wherever it is a whole word in `text`. A name such as `NODE_ENV` stays as it is.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (mut replaced, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        // A letter, digit or underscore on either side makes the match a part of a longer name.
        let around = [text[..at].chars().next_back(), text[end..].chars().next()];
        if !around.into_iter().flatten().any(is_part) {
            replaced.push_str(&text[from..at]);
            replaced.push_str(by);
            from = end;
        }
    }
    replaced + &text[from..]
}

impl fmt::Display for Envelope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Envelope {}
