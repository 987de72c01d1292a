//! Names of providers.

use std::str::FromStr;

use crate::bounds::PROVIDER_NAME_BYTES_MAX;

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
