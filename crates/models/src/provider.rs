//! The providers of models: their names, and how each one is reached.
//!
//! * [`ProviderName`], [`WireFormat`], [`BaseUrl`]: the name, the wire format and the address of a provider.
//! * [`ProviderSettings`]: the complete configuration of a provider.
//! * [`KeyReference`], [`Secret`], [`SecretSource`]: the location of its key, the key, and the reader of keys.
//!
//! *Invariants*: a base URL ends in `/`, because joining a path replaces everything after the last slash. It contains no
//! user, password or query, because those would end up in logs.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::bounds::{
    BASE_URL_BYTES_MAX, PROVIDER_NAME_BYTES_MAX, PROVIDERS_MAX, TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX,
};
use crate::error::Error;
#[cfg(feature = "providers")]
pub use crate::key::SystemSecrets;
pub use crate::key::{KeyReference, Secret, SecretSource};

/// The name that a person gave to a provider: lowercase letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderName(String);

/// The error for a text that is not a provider's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a provider's name has 1 to {PROVIDER_NAME_BYTES_MAX} lowercase letters, digits, `-` and `_`"
)]
pub struct ProviderNameError;

impl ProviderName {
    /// Checks a name.
    pub fn parse(text: &str) -> Result<Self, ProviderNameError> {
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let fits = !text.is_empty() && text.len() <= PROVIDER_NAME_BYTES_MAX;
        if fits && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ProviderNameError)
        }
    }

    /// Returns the name of the client that plays back a script.
    pub fn scripted() -> Self {
        Self("scripted".to_owned())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProviderName {
    type Err = ProviderNameError;

    fn from_str(text: &str) -> Result<Self, ProviderNameError> {
        Self::parse(text)
    }
}

piton_core::shown_as_text!(ProviderName);
piton_core::text_form!(ProviderName, "a provider's name", "^[a-z0-9_-]+$", PROVIDER_NAME_BYTES_MAX);

/// The configuration of one provider. It contains no secret, only the location of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSettings {
    pub name: ProviderName,
    pub wire: WireFormat,
    /// The address of the API; absent for that of the format's inventor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<BaseUrl>,
    /// The location of its key, if it needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyReference>,
    /// The model for calls that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Time in milliseconds that a whole answer, or each piece of a stream, may take.
    #[serde(default = "timeout_ms_default")]
    pub timeout_ms: u64,
}

const fn timeout_ms_default() -> u64 {
    TIMEOUT_MS_DEFAULT
}

impl ProviderSettings {
    /// Creates settings for a provider at the address of the format's inventor, without a key.
    pub const fn new(name: ProviderName, wire: WireFormat) -> Self {
        let timeout_ms = TIMEOUT_MS_DEFAULT;
        Self { name, wire, base_url: None, key: None, model: None, timeout_ms }
    }

    /// Returns the address of the API.
    pub fn base_url(&self) -> &str {
        self.base_url.as_ref().map_or(self.wire.default_base_url(), BaseUrl::as_str)
    }
}

/// Refuses inconsistent settings, with all problems at once.
pub fn check(settings: &[ProviderSettings], default: Option<&ProviderName>) -> Result<(), Error> {
    let mut problems = Vec::new();
    if settings.len() > PROVIDERS_MAX {
        problems.push(format!("{} providers, {PROVIDERS_MAX} are taken", settings.len()));
    }
    let mut names = BTreeSet::new();
    for provider in settings {
        let name = &provider.name;
        if !names.insert(name) {
            problems.push(format!("the provider {name} is there twice"));
        }
        if provider.timeout_ms == 0 || provider.timeout_ms > TIMEOUT_MS_MAX {
            let given = provider.timeout_ms;
            problems
                .push(format!("timeoutMs of {name} is {given}; 1 to {TIMEOUT_MS_MAX} are taken"));
        }
    }
    if let Some(name) = default.filter(|name| !names.contains(name)) {
        problems.push(format!("the default provider {name} is not among the providers"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Settings { problems }) }
}

piton_core::closed_set! {
    /// The wire format of a provider.
    pub enum WireFormat {
        /// The chat completions of OpenAI, which most other providers and gateways speak as well.
        OpenAi => "openai",
        /// The messages of Anthropic.
        Anthropic => "anthropic",
        /// The chat of Ollama.
        Ollama => "ollama",
    }
}

impl WireFormat {
    /// Returns the address of the provider that invented the format.
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Ollama => "http://localhost:11434/",
        }
    }
}

/// The base address of a provider's API.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(String);

/// Reasons to refuse a base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// The text does not start like a URL with a host.
    #[error("a base URL begins with http:// or https:// and names a host")]
    Scheme,
    /// The URL contains a user or a password.
    #[error(
        "a base URL holds no user and no password; refer to the key in the provider's settings"
    )]
    Credentials,
    /// The URL has a query or a fragment.
    #[error("a base URL has no query and no fragment")]
    Query,
    /// The text is too long or contains characters that no URL has.
    #[error("a base URL is at most {BASE_URL_BYTES_MAX} visible ASCII characters")]
    Text,
}

impl BaseUrl {
    /// Checks an address, and appends the final `/` if it is missing.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        if text.len() >= BASE_URL_BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BaseUrlError::Text);
        }
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        // The host ends at the first slash, query or fragment. Credentials would stand before it.
        let host = rest.map_or("", |rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        if host.is_empty() {
            return Err(BaseUrlError::Scheme);
        }
        if host.contains('@') {
            return Err(BaseUrlError::Credentials);
        }
        if text.contains(['?', '#']) {
            return Err(BaseUrlError::Query);
        }
        let slash = if text.ends_with('/') { "" } else { "/" };
        Ok(Self(format!("{text}{slash}")))
    }

    /// Returns the address, with `/` at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        Self::parse(text)
    }
}

piton_core::shown_as_text!(BaseUrl);
piton_core::text_form!(BaseUrl, "a base URL", "^https?://[!-~]+/$", BASE_URL_BYTES_MAX);
