//! The address of a provider.
//!
//! *Invariants*: the URL ends in `/`, because joining a path replaces everything after the last slash. It contains no
//! user, password or query, because those would end up in logs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bounds::BASE_URL_BYTES_MAX;

/// The base address of a provider's API.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

impl TryFrom<String> for BaseUrl {
    type Error = BaseUrlError;

    fn try_from(text: String) -> Result<Self, BaseUrlError> {
        Self::parse(&text)
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.0
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}
