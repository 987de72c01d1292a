//! Translating failures of a provider into errors.
//!
//! *Invariants*: the message of a provider is extracted from the body, cleaned of the key, and limited in length.

// tidy: numbers of the HTTP protocol

use std::error::Error as StdError;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::client::ProviderCall;
use super::format::FormatFlaw;
use crate::answer::Usage;
use crate::error::{Error, QUOTA_STATUS, redacted};
use crate::provider::Secret;

impl ProviderCall {
    /// Returns a message without the key, and limited in length.
    fn redacted(&self, words: &str) -> String {
        redacted(words, self.secret.as_ref().map(Secret::expose))
    }

    /// Builds the error for a flaw in something that was received.
    pub(super) fn flaw_error(&self, flaw: &FormatFlaw) -> Error {
        match flaw {
            FormatFlaw::Shape(problem) => self.bad_answer(problem),
            FormatFlaw::Told(body) => self.told_in_body(body),
        }
    }

    /// Builds the error for an answer that does not end like a complete one.
    pub(super) fn unfinished_error(&self, problem: &str, usage: Usage) -> Error {
        let problem = self.redacted(problem);
        Error::Unfinished { provider: self.provider(), problem, usage }
    }

    /// Builds the error for a model that declined with this text.
    pub(super) fn declined_error(&self, words: &str, usage: Usage) -> Error {
        let words = match words.trim() {
            "" => "it gives no reason".to_owned(),
            words => self.redacted(words),
        };
        Error::Declined { provider: self.provider(), words, usage }
    }

    /// Builds the error for a call that took too long.
    pub(super) fn timeout_error(&self) -> Error {
        Error::Timeout { provider: self.provider(), waited_ms: self.settings.timeout_ms }
    }

    /// Builds the error for a failure of the network.
    pub(super) fn network_error(&self, error: &reqwest::Error) -> Error {
        // Only a failed connection proves that the provider received nothing.
        if error.is_connect() {
            // The innermost source names the actual problem, such as a refused connection.
            let words = self.redacted(&innermost(error));
            return Error::Unreachable { provider: self.provider(), words };
        }
        if error.is_timeout() {
            return self.timeout_error();
        }
        if error.is_builder() {
            return self.bad_answer("its address cannot be used");
        }
        // Anything else happened after the request was sent, so the provider may have worked on it.
        Error::Cut { provider: self.provider() }
    }

    /// Builds the error for a response with an error status.
    pub(super) fn status_error(&self, status: u16, body: &str, headers: &HeaderMap) -> Error {
        let provider = self.provider();
        let said = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        let words = self.redacted(&words_of(&said));
        let retry_after_ms = retry_after_ms(headers);
        match status {
            // The provider takes no call before somebody pays, however long the caller waits.
            QUOTA_STATUS if is_out_of_quota(&said) => Error::Refused { provider, status, words },
            // The server does not offer the method or the protocol at all, so waiting does not help.
            501 | 505 => Error::Refused { provider, status, words },
            401 | 403 => Error::Auth { provider, words },
            404 => Error::ModelNotFound { provider, model: self.model.clone(), words },
            408 => self.timeout_error(),
            429 => Error::RateLimited { provider, words, retry_after_ms },
            500.. => Error::Unavailable { provider, words, retry_after_ms },
            _ => Error::Refused { provider, status, words },
        }
    }

    /// Builds the error for a failure with a success status: in a piece of a stream, or in place of an answer.
    fn told_in_body(&self, body: &Value) -> Error {
        let provider = self.provider();
        let words = self.redacted(&words_of(body));
        if is_out_of_quota(body) {
            return Error::Refused { provider, status: QUOTA_STATUS, words };
        }
        // Providers put the type of a failure in different places.
        let kind = ["/error/type", "/type", "/code"].iter().find_map(|path| body.pointer(path));
        match kind.and_then(Value::as_str) {
            Some("rate_limit_error" | "rate_limit_exceeded") => {
                Error::RateLimited { provider, words, retry_after_ms: None }
            }
            Some("authentication_error" | "permission_error" | "invalid_api_key") => {
                Error::Auth { provider, words }
            }
            Some("not_found_error" | "model_not_found") => {
                Error::ModelNotFound { provider, model: self.model.clone(), words }
            }
            Some("invalid_request_error") => Error::Refused { provider, status: 400, words },
            // A failure of an unknown type counts as one of the provider.
            _ => Error::Unavailable { provider, words, retry_after_ms: None },
        }
    }

    /// Builds the error for a response that is not an answer.
    pub(super) fn bad_answer(&self, problem: &str) -> Error {
        Error::BadAnswer { provider: self.provider(), problem: problem.to_owned() }
    }
}

/// True if the body of an error says, as its type or its code, that the quota is used up.
fn is_out_of_quota(body: &Value) -> bool {
    let kinds = ["/error/type", "/error/code", "/type", "/code"];
    kinds.iter().any(|path| body.pointer(path).is_some_and(|kind| kind == "insufficient_quota"))
}

/// Extracts the message from the body of an error, or returns the body itself. A body that is not JSON comes as a text.
fn words_of(body: &Value) -> String {
    if let Value::String(text) = body {
        return if text.trim().is_empty() { "it gives no reason".to_owned() } else { text.clone() };
    }
    // Providers put the message in different places. The first one that holds a text is taken.
    let paths = ["/error/message", "/error/error/message", "/message", "/error", "/detail"];
    let said = paths.iter().find_map(|path| body.pointer(path).and_then(Value::as_str));
    said.map_or_else(|| body.to_string(), ToOwned::to_owned)
}

/// Returns the wait that a provider asks for: the header in milliseconds, else the one in seconds. A date is ignored.
fn retry_after_ms(headers: &HeaderMap) -> Option<u64> {
    let number =
        |name: &str| -> Option<f64> { headers.get(name)?.to_str().ok()?.trim().parse().ok() };
    let ms = number("retry-after-ms")
        .or_else(|| number("retry-after").map(|seconds| seconds * 1000.0))?;
    // The header may hold any number, so it is limited to a day.
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
