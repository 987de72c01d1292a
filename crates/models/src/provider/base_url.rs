//! Where a provider is.
//!
//! *Invariants*: it ends in `/`, because what is below replaces everything after the last one; it carries no
//! user, password or query, because those would end up in logs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bounds::BASE_URL_BYTES_MAX;

/// The address under which a provider's API lies.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl(String);

/// Why a text is no base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// It does not begin as one.
    #[error("a base URL begins with http:// or https:// and names a host")]
    Scheme,
    /// It holds a user or a password.
    #[error(
        "a base URL holds no user and no password; refer to the key in the provider's settings"
    )]
    Credentials,
    /// It has a query or a fragment.
    #[error("a base URL has no query and no fragment")]
    Query,
    /// It holds something that no address holds, or too much.
    #[error("a base URL is at most {BASE_URL_BYTES_MAX} visible ASCII characters")]
    Text,
}

impl BaseUrl {
    /// Checks an address, and puts the `/` at its end that it needs.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        if text.len() >= BASE_URL_BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BaseUrlError::Text);
        }
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
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

    /// The address, with `/` at its end.
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
