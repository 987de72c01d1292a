//! What can go wrong with a model, and how each is told to a person or an agent.
//!
//! *Invariants*: no variant holds a key: what a provider says passes through [`Redaction`] before it gets here.

use piton_core::{Code, Envelope, Retry, truncate};

use crate::answer::Usage;
use crate::bounds::{ANSWER_BYTES_MAX, PROVIDER_WORDS_BYTES_MAX};
use crate::provider::ProviderName;

/// Why a model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no provider, no model of it, or no key for it.
    #[error("{what}")]
    NotConfigured {
        /// What is lacking, and where it is expected.
        what: String,
    },
    /// The settings of providers are not valid.
    #[error("the settings of providers have {} problems: {}", problems.len(), problems.join("; "))]
    Settings {
        /// Every problem, each with its place.
        problems: Vec<String>,
    },
    /// The request breaks a rule, so it was not sent.
    #[error("the request to the model is not valid: {problem}")]
    Request {
        /// Which.
        problem: String,
    },
    /// The key was refused.
    #[error("{provider} refused the key: {words}")]
    Auth {
        /// Who.
        provider: ProviderName,
        /// What it said.
        words: String,
    },
    /// There were too many calls.
    #[error("{provider} takes no more calls for now: {words}")]
    RateLimited {
        /// Who.
        provider: ProviderName,
        /// What it said.
        words: String,
        /// How long it asks to wait, if it says.
        retry_after_ms: Option<u64>,
    },
    /// The model or the address does not exist.
    #[error("{provider} does not have the model `{model}`: {words}")]
    ModelNotFound {
        /// Who.
        provider: ProviderName,
        /// The model that was asked for.
        model: String,
        /// What it said.
        words: String,
    },
    /// No answer came in time.
    #[error("{provider} did not answer within {waited_ms} ms")]
    Timeout {
        /// Who.
        provider: ProviderName,
        /// How long was waited.
        waited_ms: u64,
    },
    /// What came is not an answer.
    #[error("{provider} sent no usable answer: {problem}")]
    BadAnswer {
        /// Who.
        provider: ProviderName,
        /// Why it cannot be used.
        problem: String,
    },
    /// The answer reached its limit of tokens before its end.
    #[error("the answer of {provider} was cut off at the limit of tokens{}", after(usage))]
    Truncated {
        /// Who.
        provider: ProviderName,
        /// What it cost.
        usage: Usage,
    },
    /// The model declined to answer, or the provider withheld what it wrote.
    #[error("the model of {provider} declined to answer: {words}")]
    Declined {
        /// Who.
        provider: ProviderName,
        /// What it said instead.
        words: String,
        /// What it cost.
        usage: Usage,
    },
    /// The answer does not end as a complete one does.
    #[error("the answer of {provider} is not complete: {problem}")]
    Unfinished {
        /// Who.
        provider: ProviderName,
        /// How it ends.
        problem: String,
        /// What it cost.
        usage: Usage,
    },
    /// The answer has no text and calls no tool.
    #[error("the answer of {provider} is empty: it has no text and no tool call")]
    Empty {
        /// Who.
        provider: ProviderName,
        /// What it cost.
        usage: Usage,
    },
    /// The answer is too long.
    #[error("the answer of {provider} is longer than {ANSWER_BYTES_MAX} bytes")]
    AnswerTooLong {
        /// Who.
        provider: ProviderName,
    },
    /// There was no connection: nothing was taken up.
    #[error("{provider} could not be reached: {words}")]
    Unreachable {
        /// Who.
        provider: ProviderName,
        /// What the network said.
        words: String,
    },
    /// The connection ended before the answer did.
    #[error("{provider} hung up before the answer was complete")]
    Cut {
        /// Who.
        provider: ProviderName,
    },
    /// The provider refused the request as it stands.
    #[error("{provider} refused the request (status {status}): {words}")]
    Refused {
        /// Who.
        provider: ProviderName,
        /// The status of HTTP.
        status: u16,
        /// What it said.
        words: String,
    },
    /// The provider failed on its own.
    #[error("{provider} failed: {words}")]
    Unavailable {
        /// Who.
        provider: ProviderName,
        /// What it said.
        words: String,
        /// How long it asks to wait, if it says.
        retry_after_ms: Option<u64>,
    },
}

impl Error {
    /// The stable code.
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

    /// Whether the same request may be sent again without asking anybody: the provider said, or it is certain,
    /// that it did not work on it. A timeout, a cut or a bad answer has been paid for; that is the caller's choice.
    pub const fn is_safe_to_repeat(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Unreachable { .. } | Self::Unavailable { .. }
        )
    }

    /// How long the provider asks to wait.
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms, .. } | Self::Unavailable { retry_after_ms, .. } => {
                *retry_after_ms
            }
            _ => None,
        }
    }

    /// What an answer cost that came and is not complete.
    pub const fn usage(&self) -> Option<Usage> {
        match self {
            Self::Truncated { usage, .. }
            | Self::Declined { usage, .. }
            | Self::Unfinished { usage, .. }
            | Self::Empty { usage, .. } => Some(*usage),
            _ => None,
        }
    }

    /// The failure as every surface shows it.
    pub fn envelope(&self) -> Envelope {
        let envelope = Envelope::new(self.code(), self.to_string());
        match self.retry_after_ms() {
            Some(after_ms) => envelope.with_retry(Retry::RetryableAfterMs { after_ms }),
            None => envelope,
        }
    }
}

fn after(usage: &Usage) -> String {
    usage.output_tokens.map(|tokens| format!(", after {tokens} tokens")).unwrap_or_default()
}

impl From<&Error> for Envelope {
    fn from(error: &Error) -> Self {
        error.envelope()
    }
}

/// Takes a key out of words that a provider or a library wrote, and bounds them.
///
/// Providers quote the key that they refuse. The secret itself is not kept longer than this value lives.
pub struct Redaction<'a> {
    secret: Option<&'a str>,
}

impl<'a> Redaction<'a> {
    /// Takes out `secret`, if there is one.
    pub const fn of(secret: Option<&'a str>) -> Self {
        Self { secret }
    }

    /// `words` in one line, without the key, bounded.
    pub fn apply(&self, words: &str) -> String {
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let clean = match self.secret {
            Some(secret) if !secret.is_empty() => {
                // A body that is passed on as it is has the key as JSON writes it.
                let written = serde_json::Value::from(secret).to_string();
                line.replace(secret, "[key]").replace(&written[1..written.len() - 1], "[key]")
            }
            _ => line,
        };
        truncate(&clean, PROVIDER_WORDS_BYTES_MAX).replace('\n', " ")
    }
}

impl std::fmt::Debug for Redaction<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Redaction")
    }
}
