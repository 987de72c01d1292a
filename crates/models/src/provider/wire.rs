//! Wire formats of providers.

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
