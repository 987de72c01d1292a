//! The error envelope with its retry rule and its machine-readable details, constructors for failures that occur
//! everywhere, and the page about a code.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::code::Code;
use crate::bounds::{DETAILS_BYTES_MAX, ENVELOPE_TEXT_BYTES_MAX};
use crate::budget::truncate;
use crate::canonical::{self, CanonicalError};

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

/// A JSON object of at most 4096 bytes in canonical form.
///
/// Agents read details and tests compare them, so they must be the same for the same failure. They hold ids, sizes,
/// names and positions; never a path of the file system, a time, or text of unbounded length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Details(Map<String, Value>);

/// Reason that a value cannot be the details of an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DetailsError {
    #[error("details must be a JSON object")]
    NotAnObject,
    #[error(
        "details have {measured_bytes} bytes of canonical JSON, {DETAILS_BYTES_MAX} are allowed"
    )]
    TooLarge { measured_bytes: usize },
    #[error("details have no canonical form: {0}")]
    NotCanonical(#[from] CanonicalError),
}

impl Details {
    /// Checks an object.
    pub fn new(object: Map<String, Value>) -> Result<Self, DetailsError> {
        // The canonical form is measured, because it does not depend on how the caller formats JSON.
        let measured_bytes = canonical::encode(&object)?.len();
        if measured_bytes > DETAILS_BYTES_MAX {
            return Err(DetailsError::TooLarge { measured_bytes });
        }
        Ok(Self(object))
    }

    /// Serializes `value` into details.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, DetailsError> {
        match serde_json::to_value(value) {
            Ok(Value::Object(object)) => Self::new(object),
            Ok(_) => Err(DetailsError::NotAnObject),
            Err(error) => Err(DetailsError::NotCanonical(CanonicalError::Unserializable {
                message: error.to_string(),
            })),
        }
    }

    /// Returns the object.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl TryFrom<Map<String, Value>> for Details {
    type Error = DetailsError;

    fn try_from(object: Map<String, Value>) -> Result<Self, DetailsError> {
        Self::new(object)
    }
}

impl From<Details> for Map<String, Value> {
    fn from(details: Details) -> Self {
        details.0
    }
}

impl schemars::JsonSchema for Details {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Details".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": format!("At most {DETAILS_BYTES_MAX} bytes of canonical JSON."),
        })
    }
}

impl Code {
    /// Returns the page about the code in Markdown: its meaning, the next action, the retry rule and an example.
    pub fn page(self) -> String {
        let domain = self.domain();
        let example = serde_json::to_string_pretty(&self.example());
        let example = example.expect("an envelope of plain texts has a JSON form");
        let others = Self::ALL.iter().filter(|other| other.domain() == domain && **other != self);
        let others: Vec<String> = others.map(|other| format!("`{other}`")).collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!("\nFrom the same part: {}.\n", others.join(", ")),
        };
        format!(
            "# {self}\n\n{}\n\n- **What to do:** {}\n- **Retry:** {}\n- **From:** {}\n\n\
             What a caller reads, unless the place where it happened knows better:\n\n```json\n{example}\n```\n{others}",
            self.meaning(),
            self.advice(),
            self.retry().words(),
            domain.words(),
        )
    }

    /// Returns an error with this code, as reported where nothing more specific is known.
    pub fn example(self) -> Envelope {
        Envelope::new(self, self.meaning())
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Envelope};

    #[test]
    fn every_page_says_what_happened_what_to_do_and_shows_a_real_envelope() {
        for code in Code::ALL {
            let page = code.page();
            assert!(page.starts_with(&format!("# {code}\n\n{}\n", code.meaning())), "{code}");
            assert!(page.contains(&format!("- **What to do:** {}\n", code.advice())), "{code}");
            let json = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
            let read: Envelope = serde_json::from_str(json.unwrap()).unwrap();
            assert_eq!(read, code.example(), "{code}");
        }
    }

    #[test]
    fn every_code_is_said_in_whole_sentences_that_are_its_own() {
        let mut seen = std::collections::BTreeMap::new();
        for code in Code::ALL {
            for text in [code.meaning(), code.advice()] {
                assert!(text.ends_with('.') && text.len() > 20, "{code}: {text}");
                assert!(text.starts_with(char::is_uppercase), "{code}: {text}");
            }
            let other = seen.insert(code.meaning(), *code);
            assert_eq!(other, None, "{code} means the same");
        }
    }
}
