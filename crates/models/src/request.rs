//! Requests to a model.

use serde::{Deserialize, Serialize};

use crate::bounds::{
    MESSAGES_MAX, MODEL_NAME_BYTES_MAX, REQUEST_BYTES_MAX, STOP_MAX, TOOL_NAME_BYTES_MAX, TOOLS_MAX,
};
use crate::error::Error;
use crate::message::{Message, ToolChoice, ToolSpec};
use crate::provider::ProviderName;

/// A request to a model. It contains no key, so it may be recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The provider to ask; absent for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderName>,
    /// The model to ask; absent for the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// The constraint on tool calls.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    #[serde(default)]
    pub options: Options,
}

impl Request {
    /// Creates a request with these messages, to the default provider and model.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Refuses a request that no provider would accept, before anything is sent.
    pub fn check(&self) -> Result<(), Error> {
        self.problem().map_or(Ok(()), |problem| Err(Error::Request { problem }))
    }

    fn problem(&self) -> Option<String> {
        let count = self.messages.len();
        if !self.messages.iter().any(|message| !matches!(message, Message::System { .. })) {
            return Some("messages hold nothing for the model to answer".to_owned());
        }
        if count > MESSAGES_MAX {
            return Some(format!("there are {count} messages; {MESSAGES_MAX} are taken"));
        }
        let messages: usize = self.messages.iter().map(Message::bytes).sum();
        let bytes = messages + self.tools.iter().map(ToolSpec::bytes).sum::<usize>();
        if bytes > REQUEST_BYTES_MAX {
            return Some(format!(
                "messages and tools have {bytes} bytes; {REQUEST_BYTES_MAX} are taken"
            ));
        }
        if let Some(model) = &self.model
            && (model.is_empty() || model.len() > MODEL_NAME_BYTES_MAX)
        {
            return Some(format!(
                "model has {} bytes; 1 to {MODEL_NAME_BYTES_MAX} are taken",
                model.len()
            ));
        }
        self.tool_problem().or_else(|| self.options.problem())
    }

    fn tool_problem(&self) -> Option<String> {
        let count = self.tools.len();
        if count > TOOLS_MAX {
            return Some(format!("there are {count} tools; {TOOLS_MAX} are taken"));
        }
        for (index, tool) in self.tools.iter().enumerate() {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
            let fits = (1..=TOOL_NAME_BYTES_MAX).contains(&tool.name.len());
            if !fits || !tool.name.chars().all(plain) {
                let name = piton_core::truncate(&tool.name, TOOL_NAME_BYTES_MAX);
                return Some(format!(
                    "tools[{index}].name is `{name}`; 1 to {TOOL_NAME_BYTES_MAX} letters, digits, `_` and `-` are taken"
                ));
            }
            if !tool.parameters.is_object() {
                return Some(format!("tools[{index}].parameters is not a JSON Schema object"));
            }
            if self.tools[..index].iter().any(|before| before.name == tool.name) {
                return Some(format!("tools[{index}].name is `{}` again", tool.name));
            }
        }
        let ToolChoice::Named { name } = &self.tool_choice else {
            let required = self.tool_choice == ToolChoice::Required && self.tools.is_empty();
            return required.then(|| "a tool is required, and there is none".to_owned());
        };
        let known = self.tools.iter().any(|tool| tool.name == *name);
        (!known).then(|| format!("toolChoice names `{name}`, which is not among the tools"))
    }
}

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
}
