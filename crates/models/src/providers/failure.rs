//! What went wrong, in our own words; pure.
//!
//! *Invariants*: what a provider says is taken out of the body, cleaned of the key, and bounded.

// tidy: numbers of the HTTP protocol

use std::error::Error as StdError;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::format::FormatFlaw;
use crate::answer::Usage;
use crate::error::{Error, Redaction};
use crate::provider::ProviderName;

/// What a failure is told about.
pub(super) struct Failing<'a> {
    pub(super) provider: &'a ProviderName,
    pub(super) model: &'a str,
    pub(super) timeout_ms: u64,
    /// Whether the model may call tools.
    pub(super) offers_tools: bool,
    pub(super) redaction: Redaction<'a>,
}

impl Failing<'_> {
    /// What a flaw in something that was received means.
    pub(super) fn flaw(&self, flaw: &FormatFlaw) -> Error {
        match flaw {
            FormatFlaw::Shape(problem) => self.bad(problem),
            FormatFlaw::Told(body) => self.told_in_body(body),
        }
    }

    /// The connection ended without an end of the answer.
    pub(super) fn cut(&self) -> Error {
        Error::Cut { provider: self.provider.clone() }
    }

    /// The answer is too long.
    pub(super) fn too_long(&self) -> Error {
        Error::AnswerTooLong { provider: self.provider.clone() }
    }

    /// The answer reached its limit of tokens.
    pub(super) fn truncated(&self, usage: Usage) -> Error {
        Error::Truncated { provider: self.provider.clone(), usage }
    }

    /// The answer does not end as a complete one does.
    pub(super) fn unfinished(&self, problem: &str, usage: Usage) -> Error {
        let problem = self.redaction.apply(problem);
        Error::Unfinished { provider: self.provider.clone(), problem, usage }
    }

    /// The answer says nothing.
    pub(super) fn empty(&self, usage: Usage) -> Error {
        Error::Empty { provider: self.provider.clone(), usage }
    }

    /// The model declined, in these words.
    pub(super) fn declined(&self, words: &str, usage: Usage) -> Error {
        let words = match words.trim() {
            "" => "it gives no reason".to_owned(),
            words => self.redaction.apply(words),
        };
        Error::Declined { provider: self.provider.clone(), words, usage }
    }

    /// The time is up.
    pub(super) fn timeout(&self) -> Error {
        Error::Timeout { provider: self.provider.clone(), waited_ms: self.timeout_ms }
    }

    /// The network failed.
    pub(super) fn network(&self, error: &reqwest::Error) -> Error {
        if error.is_connect() {
            let words = self.redaction.apply(&innermost(error));
            return Error::Unreachable { provider: self.provider.clone(), words };
        }
        if error.is_timeout() {
            return self.timeout();
        }
        if error.is_builder() {
            return self.bad("its address cannot be used");
        }
        self.cut()
    }

    /// The provider answered with a status that is a failure.
    pub(super) fn status(&self, status: u16, body: &str, headers: &HeaderMap) -> Error {
        let provider = self.provider.clone();
        let words = self.redaction.apply(&words_of(body));
        let retry_after_ms = retry_after_ms(headers);
        match status {
            401 | 403 => Error::Auth { provider, words },
            404 => Error::ModelNotFound { provider, model: self.model.to_owned(), words },
            408 => self.timeout(),
            429 => Error::RateLimited { provider, words, retry_after_ms },
            500.. => Error::Unavailable { provider, words, retry_after_ms },
            _ => Error::Refused { provider, status, words },
        }
    }

    /// A failure that comes with a status of success: in a piece of a stream that has begun, or instead of an answer.
    fn told_in_body(&self, body: &Value) -> Error {
        let provider = self.provider.clone();
        let words = self.redaction.apply(&words_of(&body.to_string()));
        let kind = ["/error/type", "/type", "/code"].iter().find_map(|path| body.pointer(path));
        match kind.and_then(Value::as_str) {
            Some("rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota") => {
                Error::RateLimited { provider, words, retry_after_ms: None }
            }
            Some("authentication_error" | "permission_error" | "invalid_api_key") => {
                Error::Auth { provider, words }
            }
            Some("not_found_error" | "model_not_found") => {
                Error::ModelNotFound { provider, model: self.model.to_owned(), words }
            }
            Some("invalid_request_error") => Error::Refused { provider, status: 400, words },
            _ => Error::Unavailable { provider, words, retry_after_ms: None },
        }
    }

    /// What came is not an answer.
    pub(super) fn bad(&self, problem: &str) -> Error {
        Error::BadAnswer { provider: self.provider.clone(), problem: problem.to_owned() }
    }
}

/// What a provider says about a failure: the message inside the body, or the body.
fn words_of(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return if body.trim().is_empty() {
            "it gives no reason".to_owned()
        } else {
            body.to_owned()
        };
    };
    let paths = ["/error/message", "/error/error/message", "/message", "/error", "/detail"];
    let said = paths.iter().find_map(|path| value.pointer(path).and_then(Value::as_str));
    said.map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// How long a provider asks to wait: in milliseconds, else in seconds. A date is not understood, and ignored.
fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let number =
        |name: &str| -> Option<f64> { headers.get(name)?.to_str().ok()?.trim().parse().ok() };
    let ms = number("retry-after-ms")
        .or_else(|| number("retry-after").map(|seconds| seconds * 1000.0))?;
    let day_ms = 86_400_000_u32;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between zero and the milliseconds of a day"
    )]
    (ms.is_finite() && ms >= 0.0).then(|| ms.ceil().min(f64::from(day_ms)) as u64)
}

fn innermost(error: &dyn StdError) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
