//! Which models flows may ask.

use piton_core::Envelope;
use piton_models::provider::KeyReference;
use piton_models::{ProviderName, ProviderSettings, Wire};
use serde::Deserialize;

/// The providers that flows may name, and who answers when they name nobody.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelSettings {
    /// Who answers when a node names nobody.
    #[serde(default)]
    pub default: Option<ProviderName>,
    /// The providers.
    pub providers: Vec<ProviderSettings>,
}

impl Default for ModelSettings {
    /// The inventors of the wire formats, with keys where their own programs look for them.
    fn default() -> Self {
        let known = |wire: Wire, key: Option<&str>| {
            let name = wire.as_str().parse().expect("the name of a wire format is a plain word");
            let key = key.map(|name| KeyReference::Env(name.to_owned()));
            ProviderSettings { key, ..ProviderSettings::new(name, wire) }
        };
        let providers = vec![
            known(Wire::OpenAi, Some("OPENAI_API_KEY")),
            known(Wire::Anthropic, Some("ANTHROPIC_API_KEY")),
            known(Wire::Ollama, None),
        ];
        Self { default: None, providers }
    }
}

/// Reads settings of models from JSON.
pub fn parse(text: &str) -> Result<ModelSettings, Envelope> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("The settings of models are refused: {error}.");
        Envelope::new(piton_core::Code::ValidationError, message).with_suggestion(
            "Write {\"default\": \"local\", \"providers\": [{\"name\": \"local\", \"wire\": \"ollama\", \"model\": \"…\"}]}.",
        )
    })
}
