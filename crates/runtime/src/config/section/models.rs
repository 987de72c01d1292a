//! `[models]`: the providers of models.

use std::path::PathBuf;

use piton_models::provider::{BaseUrl, KeyReference, check};
use piton_models::{ProviderName, ProviderSettings, WireFormat};
use schemars::JsonSchema;
use serde::Deserialize;

use super::table::{Section, SectionKey, Wrong};
use crate::config::SettingSource;

/// The providers of models, and the default one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelsSection {
    /// The provider for calls that name none.
    #[serde(default)]
    pub default: Option<String>,
    /// The providers.
    #[serde(default)]
    pub providers: Vec<ProviderEntry>,
}

/// A provider. It holds no secret, only the location of the secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderEntry {
    /// Its name.
    pub name: String,
    /// Its wire format.
    pub wire: WireFormat,
    /// Its address; that of the format's inventor if it is not set.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The variable of the environment that holds its key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The file that holds its key and nothing else.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// The model for calls that name none.
    #[serde(default)]
    pub model: Option<String>,
    /// The time that a whole answer, or each piece of a stream, may take, in milliseconds.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

impl ModelsSection {
    /// Returns the settings of its providers and the name of the default, or the problems with them.
    pub fn settings(&self) -> Result<(Vec<ProviderSettings>, Option<ProviderName>), Vec<Wrong>> {
        let mut wrong = Vec::new();
        let mut settings = Vec::new();
        for (index, entry) in self.providers.iter().enumerate() {
            match entry.settings() {
                Ok(one) => settings.push(one),
                Err(reason) => wrong.push(invalid_entry(Some(index), reason)),
            }
        }
        let default = self.default.as_deref().map(ProviderName::parse).transpose();
        let default = default.unwrap_or_else(|error| {
            wrong.push(invalid_entry(None, error.to_string()));
            None
        });
        // The providers are checked as a set only once each entry is valid by itself.
        if wrong.is_empty()
            && let Err(error) = check(&settings, default.as_ref())
        {
            wrong.push(invalid_entry(None, error.to_string()));
        }
        if wrong.is_empty() { Ok((settings, default)) } else { Err(wrong) }
    }
}

impl Section for ModelsSection {
    const KEY: SectionKey = SectionKey::Models;
    const MEANING: &str = "The providers of models, and the default one.";
    const EXAMPLE: &str = "\
[models]
default = \"local\"

[[models.providers]]
name = \"local\"
wire = \"ollama\"
model = \"llama3.2\"";

    fn check(&self, _: SettingSource) -> Vec<Wrong> {
        self.settings().err().unwrap_or_default()
    }
}

impl ProviderEntry {
    fn settings(&self) -> Result<ProviderSettings, String> {
        let name = ProviderName::parse(&self.name).map_err(|error| error.to_string())?;
        let base_url = self.base_url.as_deref().map(BaseUrl::parse).transpose();
        let key = match (&self.key_env, &self.key_file) {
            (Some(_), Some(_)) => {
                return Err(format!("`{name}` has its key in two places"));
            }
            (Some(variable), None) => Some(KeyReference::Env(variable.clone())),
            (None, Some(file)) => Some(KeyReference::File(file.clone())),
            (None, None) => None,
        };
        let known = ProviderSettings::new(name, self.wire);
        Ok(ProviderSettings {
            base_url: base_url.map_err(|error| error.to_string())?,
            key,
            model: self.model.clone(),
            timeout_ms: self.timeout_ms.unwrap_or(known.timeout_ms),
            ..known
        })
    }
}

fn invalid_entry(entry: Option<usize>, reason: String) -> Wrong {
    Wrong { entry, reason, fix: "fix the provider that is named".to_owned() }
}
