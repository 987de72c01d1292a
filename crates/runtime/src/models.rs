//! Model settings, and the client that calls models.
//!
//! *Invariants*: only the user's own configuration names providers. A project that did so could send keys anywhere.

use piton_core::{Code, Envelope, refuse_lost_numbers};
use piton_models::provider::KeyReference;
use piton_models::{ProviderSettings, Rule, WireFormat};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::config::section::{FoundSection, ModelsSection};
use crate::config::{ConfigProblem, Configuration, USER_FILE};
use crate::workflow::Runtime;

pub use piton_models::ProviderName;
#[cfg(feature = "flow")]
pub use piton_models::provider::SystemSecrets;

/// The configured providers, and the default one.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelSettings {
    /// The provider for calls that name none.
    #[serde(default)]
    pub default: Option<ProviderName>,
    #[serde(default)]
    pub providers: Vec<ProviderSettings>,
    /// Rule-based answers in place of any provider, for trying out flows.
    #[serde(default)]
    pub rehearsed: Option<Vec<Rule>>,
    /// Advice on where to name a provider, for calls that have none.
    #[serde(skip, default = "in_the_file")]
    pub advice: String,
}

fn in_the_file() -> String {
    "write `\"default\": \"NAME\"`, and that provider's `name`, `wire` and `model` under `providers`, with `key` if \
     it needs one, into the file that --models names"
        .to_owned()
}

impl Default for ModelSettings {
    /// The inventors of the wire formats, with keys where their own programs look for them.
    fn default() -> Self {
        let known = |wire: WireFormat, key: Option<&str>| {
            let name = wire.as_str().parse().expect("the name of a wire format is a plain word");
            let key = key.map(|name| KeyReference::Env(name.to_owned()));
            ProviderSettings { key, ..ProviderSettings::new(name, wire) }
        };
        let providers = vec![
            known(WireFormat::OpenAi, Some("OPENAI_API_KEY")),
            known(WireFormat::Anthropic, Some("ANTHROPIC_API_KEY")),
            known(WireFormat::Ollama, None),
        ];
        Self { default: None, providers, rehearsed: None, advice: in_the_file() }
    }
}

impl ModelSettings {
    /// Parses settings from JSON.
    pub fn parse(text: &str) -> Result<Self, Envelope> {
        let refused = |problem: &str| {
            let message = format!("The settings of models are refused: {problem}.");
            Envelope::new(Code::ValidationError, message).with_suggestion(
                "Write {\"default\": \"local\", \"providers\": [{\"name\": \"local\", \"wire\": \
                 \"ollama\", \"model\": \"…\"}]}, or {\"rehearsed\": [{\"when\": [\"…\"], \"say\": \"…\"}]}.",
            )
        };
        let unread = |error: serde_json::Error| refused(&error.to_string());
        refuse_lost_numbers(text).map_err(|lost| refused(&lost.to_string()))?;
        // Serde would accept a list as the fields in their order, so the text must be an object.
        let _: Map<String, Value> = serde_json::from_str(text).map_err(unread)?;
        let settings: Self = serde_json::from_str(text).map_err(unread)?;
        match (settings.providers.is_empty(), &settings.rehearsed) {
            (true, None) => Err(refused("there are no providers")),
            (false, Some(_)) => Err(refused("there are providers and rehearsed answers")),
            _ => Ok(settings),
        }
    }

    /// Returns the settings of the user's configuration, or the inventors of the wire formats if it has none.
    pub fn configured(configuration: &Configuration) -> Result<Self, Envelope> {
        let found = configuration.sections_for::<ModelsSection>(None);
        let mut found = found.map_err(|problems| ConfigProblem::envelope(&problems))?;
        let settings =
            found.pop().map_or_else(|| Ok(Self::default()), |section| Self::of(&section));
        let file = configuration.user_file();
        let file = file.map_or_else(|| USER_FILE.to_owned(), |file| file.display().to_string());
        let advice = format!(
            "write `default = \"NAME\"` under `[models]`, and that provider's `name`, `wire` and `model` under \
             `[[models.providers]]`, with `key_env` if it needs a key, into {file}"
        );
        Ok(Self { advice, ..settings? })
    }

    fn of(found: &FoundSection<ModelsSection>) -> Result<Self, Envelope> {
        let settings = found.value.settings().map_err(|wrong| {
            let reasons: Vec<String> = wrong.into_iter().map(|wrong| wrong.reason).collect();
            let message = format!("`[models]` is refused: {}.", reasons.join("; "));
            Envelope::new(Code::ValidationError, message)
        })?;
        let (mut providers, default) = settings;
        for provider in &mut providers {
            if let Some(KeyReference::File(path)) = &mut provider.key {
                // Joining leaves an absolute path as it is.
                *path = found.directory().join(&*path);
            }
        }
        Ok(Self { default, providers, rehearsed: None, advice: in_the_file() })
    }
}

impl Runtime {
    /// Returns the model settings of the user's current configuration.
    pub fn model_settings(&self) -> Result<ModelSettings, Envelope> {
        ModelSettings::configured(&self.configuration)
    }
}

/// Creates the client that calls the models of `settings` and retries where that is safe.
#[cfg(feature = "flow")]
pub fn client(
    settings: ModelSettings,
    secrets: std::sync::Arc<dyn piton_models::provider::SecretSource>,
    timer: std::sync::Arc<dyn piton_core::Timer>,
) -> Result<std::sync::Arc<dyn piton_models::ModelClient>, Envelope> {
    use std::sync::Arc;

    use piton_models::{Backoff, Providers, Rehearsed, Retrying};

    if let Some(rules) = settings.rehearsed {
        return Ok(Arc::new(Rehearsed::new(rules).map_err(|error| error.envelope())?));
    }
    let providers = Providers::new(settings.providers, settings.default, secrets);
    let providers = providers.map_err(|error| error.envelope())?.advising(settings.advice);
    let providers = Arc::new(providers);
    Ok(Arc::new(Retrying::new(providers, Backoff::default(), timer)))
}
