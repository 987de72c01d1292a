//! Options for the generation of an answer.

use serde::{Deserialize, Serialize};

use crate::bounds::STOP_MAX;

/// Options for an answer. An absent field is the provider's choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Options {
    /// Randomness of the output, from 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Maximum number of tokens in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Share of likely words to choose from, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Texts at which the answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

impl Options {
    /// Returns the problem with the options, if there is one.
    pub fn problem(&self) -> Option<String> {
        let outside = |value: f64, max: f64| !(0.0..=max).contains(&value);
        if let Some(value) = self.temperature.filter(|value| outside(*value, 2.0)) {
            return Some(format!("options.temperature is {value}; it goes from 0 to 2"));
        }
        if let Some(value) = self.top_p.filter(|value| outside(*value, 1.0)) {
            return Some(format!("options.topP is {value}; it goes from 0 to 1"));
        }
        if self.max_tokens == Some(0) {
            return Some("options.maxTokens is 0; an answer has at least 1".to_owned());
        }
        if self.stop.len() > STOP_MAX {
            let count = self.stop.len();
            return Some(format!("options.stop has {count} texts; {STOP_MAX} are taken"));
        }
        let empty = self.stop.iter().position(String::is_empty)?;
        Some(format!("options.stop[{empty}] is empty; it would end every answer at once"))
    }

    /// Fills in absent options from `defaults`.
    #[must_use]
    pub fn or(self, defaults: &Self) -> Self {
        Self {
            temperature: self.temperature.or(defaults.temperature),
            max_tokens: self.max_tokens.or(defaults.max_tokens),
            top_p: self.top_p.or(defaults.top_p),
            stop: if self.stop.is_empty() { defaults.stop.clone() } else { self.stop },
        }
    }
}
