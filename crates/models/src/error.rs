//! The errors of models, and the envelopes that present them to a person or an agent.
//!
//! *Invariants*: no variant contains a key. Messages of a provider pass through [`redacted`] before they get here.

use piton_core::{Code, Envelope, Retry, truncate};

use crate::answer::Usage;
use crate::bounds::{ANSWER_BYTES_MAX, PROVIDER_WORDS_BYTES_MAX};
use crate::provider::ProviderName;

/// The HTTP status of a provider whose quota is used up.
pub(crate) const QUOTA_STATUS: u16 = 429; // tidy: number of the HTTP protocol

/// Suggestion for a quota that is used up: another request would be refused as well.
const RAISE_QUOTA: &str = "Raise the quota or add credit at the provider, or name another provider; then repeat the call.";

/// Reasons that a model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no provider, no model of it, or no key for it.
    #[error("{what}")]
    NotConfigured {
        /// A description of the missing setting, and of where it is expected.
        what: String,
    },
    /// The settings of providers are not valid.
    #[error("the settings of providers have {} problems: {}", problems.len(), problems.join("; "))]
    Settings {
        /// All problems, each with its location.
        problems: Vec<String>,
    },
    /// The request breaks a rule, so it was not sent.
    #[error("the request to the model is not valid: {problem}")]
    Request { problem: String },
    /// The provider refused the key.
    #[error("{provider} refused the key: {words}")]
    Auth { provider: ProviderName, words: String },
    /// The provider received too many calls.
    #[error("{provider} takes no more calls for now: {words}")]
    RateLimited {
        provider: ProviderName,
        words: String,
        /// Wait that the provider asks for, if it says.
        retry_after_ms: Option<u64>,
    },
    /// The model or the address does not exist.
    #[error("{provider} does not have the model `{model}`: {words}")]
    ModelNotFound {
        provider: ProviderName,
        /// The requested model.
        model: String,
        words: String,
    },
    /// No answer arrived in time.
    #[error("{provider} did not answer within {waited_ms} ms")]
    Timeout { provider: ProviderName, waited_ms: u64 },
    /// The response is not an answer.
    #[error("{provider} sent no usable answer: {problem}")]
    BadAnswer {
        provider: ProviderName,
        /// The reason that the response cannot be used.
        problem: String,
    },
    /// The answer reached its token limit before its end.
    #[error("the answer of {provider} was cut off at the limit of tokens{}", after(usage))]
    Truncated { provider: ProviderName, usage: Usage },
    /// The model declined to answer, or the provider withheld its output.
    #[error("the model of {provider} declined to answer: {words}")]
    Declined {
        provider: ProviderName,
        /// The text that came instead of an answer.
        words: String,
        usage: Usage,
    },
    /// The answer does not end like a complete one.
    #[error("the answer of {provider} is not complete: {problem}")]
    Unfinished {
        provider: ProviderName,
        /// A description of how it ends.
        problem: String,
        usage: Usage,
    },
    /// The answer has no text and calls no tool.
    #[error("the answer of {provider} is empty: it has no text and no tool call")]
    Empty { provider: ProviderName, usage: Usage },
    /// The answer is too long.
    #[error("the answer of {provider} is longer than {ANSWER_BYTES_MAX} bytes")]
    AnswerTooLong { provider: ProviderName },
    /// There was no connection, so the provider did not start any work.
    #[error("{provider} could not be reached: {words}")]
    Unreachable {
        provider: ProviderName,
        /// The error of the network.
        words: String,
    },
    /// The connection ended before the answer did.
    #[error("{provider} hung up before the answer was complete")]
    Cut { provider: ProviderName },
    /// The provider refused the request as it stands.
    #[error("{provider} refused the request (status {status}): {words}")]
    Refused {
        provider: ProviderName,
        /// The HTTP status.
        status: u16,
        words: String,
    },
    /// The provider failed internally.
    #[error("{provider} failed: {words}")]
    Unavailable {
        provider: ProviderName,
        words: String,
        /// Wait that the provider asks for, if it says.
        retry_after_ms: Option<u64>,
    },
}

impl Error {
    /// Returns the stable code of the error.
    pub const fn code(&self) -> Code {
        match self {
            Self::NotConfigured { .. } => Code::ModelNotConfigured,
            Self::Settings { .. } | Self::Request { .. } => Code::ValidationError,
            Self::Auth { .. } => Code::ModelAuthFailed,
            Self::RateLimited { .. } => Code::ModelRateLimited,
            Self::ModelNotFound { .. } => Code::ModelNotFound,
            Self::Timeout { .. } => Code::ModelTimeout,
            Self::BadAnswer { .. }
            | Self::AnswerTooLong { .. }
            | Self::Unfinished { .. }
            | Self::Empty { .. } => Code::ModelBadAnswer,
            Self::Truncated { .. } => Code::ModelAnswerTruncated,
            Self::Declined { .. } => Code::ModelDeclined,
            Self::Unreachable { .. } | Self::Cut { .. } => Code::ModelUnreachable,
            Self::Refused { .. } => Code::ModelRefused,
            Self::Unavailable { .. } => Code::ModelUnavailable,
        }
    }

    /// True if the same request may be sent again without asking anyone: the provider said, or it is certain, that it
    /// did no work on it. A timeout, a cut connection or a bad answer may have been paid for; repeating those is the
    /// caller's choice.
    pub const fn is_safe_to_repeat(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Unreachable { .. } | Self::Unavailable { .. }
        )
    }

    /// Returns the wait that the provider asks for.
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms, .. } | Self::Unavailable { retry_after_ms, .. } => {
                *retry_after_ms
            }
            _ => None,
        }
    }

    /// Returns the cost of an answer that arrived but is not complete.
    pub const fn usage(&self) -> Option<Usage> {
        match self {
            Self::Truncated { usage, .. }
            | Self::Declined { usage, .. }
            | Self::Unfinished { usage, .. }
            | Self::Empty { usage, .. } => Some(*usage),
            _ => None,
        }
    }

    /// Builds the envelope that every surface shows.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), self.to_string());
        // Of all refusals, only a quota that is used up comes with the status of a rate limit.
        if let Self::Refused { status: QUOTA_STATUS, .. } = self {
            return envelope.with_suggestion(RAISE_QUOTA);
        }
        match self.retry_after_ms() {
            Some(after_ms) => envelope.with_retry(Retry::RetryableAfterMs { after_ms }),
            None => envelope,
        }
    }
}

fn after(usage: &Usage) -> String {
    usage.output_tokens.map(|tokens| format!(", after {tokens} tokens")).unwrap_or_default()
}

/// Removes a key from a message that a provider or a library wrote. Returns it on one line and limited in length.
///
/// Providers quote the key that they refuse.
pub fn redacted(words: &str, secret: Option<&str>) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = match secret {
        Some(secret) if !secret.is_empty() => {
            // A body that is passed on verbatim contains the key in its JSON-escaped form.
            let written = serde_json::Value::from(secret).to_string();
            line.replace(secret, "[key]").replace(&written[1..written.len() - 1], "[key]")
        }
        _ => line,
    };
    truncate(&clean, PROVIDER_WORDS_BYTES_MAX).replace('\n', " ")
}
