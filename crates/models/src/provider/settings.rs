//! The configuration of providers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::base_url::BaseUrl;
use super::key::KeyReference;
use super::name::ProviderName;
use super::wire::WireFormat;
use crate::bounds::{PROVIDERS_MAX, TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX};
use crate::error::Error;

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
