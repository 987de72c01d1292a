//! `[context]`: the agents that work with context, and the one that clients act as.

use piton_context::agent::Role;
use piton_context::word::AgentId;
use piton_models::ProviderName;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table::{Section, SectionKey, Wrong};
use crate::bounds::{CONTEXT_AGENTS_MAX, CONTEXT_PROMPT_BYTES_MAX};
use crate::config::SettingSource;
use crate::context::PERSON;

/// The agents that work with context, and the one that clients of the MCP server act as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextSection {
    /// The agent that clients of the MCP server act as; the only one, if there is one and none is named.
    #[serde(default)]
    pub agent: Option<AgentId>,
    /// The agents.
    #[serde(default)]
    pub agents: Vec<AgentEntry>,
}

/// An agent of context.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// Its name.
    pub name: AgentId,
    /// Its role: a `reader` reads, a `writer` also puts frames, `synthesis` also synthesises and regenerates.
    pub role: Role,
    /// The provider that answers when it asks a model; the default one if it is not set.
    #[serde(default)]
    pub provider: Option<String>,
    /// The model; the provider's own default if it is not set.
    #[serde(default)]
    pub model: Option<String>,
    /// The prompt for models.
    #[serde(default)]
    pub prompt: Option<String>,
}

impl Section for ContextSection {
    const KEY: SectionKey = SectionKey::Context;
    const MEANING: &str =
        "The agents that work with context, their roles, and the agent that clients act as.";
    const EXAMPLE: &str = "\
[context]
agent = \"scout\"

[[context.agents]]
name = \"scout\"
role = \"reader\"

[[context.agents]]
name = \"librarian\"
role = \"synthesis\"
prompt = \"Say in three sentences what this is for.\"";

    fn check(&self, _: SettingSource) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        if self.agents.len() > CONTEXT_AGENTS_MAX {
            let reason = format!(
                "there are {} agents; the maximum is {CONTEXT_AGENTS_MAX}",
                self.agents.len()
            );
            wrong.push(Wrong { entry: None, reason, fix: "remove some".to_owned() });
        }
        for (place, agent) in self.agents.iter().enumerate() {
            wrong.extend(agent.problems(place));
            if self.agents[..place].iter().any(|before| before.name == agent.name) {
                let reason = format!("there are two agents called {}", agent.name);
                let fix = "remove one of the two, or rename it".to_owned();
                wrong.push(Wrong { entry: Some(place), reason, fix });
            }
        }
        wrong
    }
}

impl AgentEntry {
    fn problems(&self, place: usize) -> Vec<Wrong> {
        let name = &self.name;
        let mut wrong = Vec::new();
        let mut say = |reason: String, fix: &str| {
            wrong.push(Wrong { entry: Some(place), reason, fix: fix.to_owned() });
        };
        if name.as_str() == PERSON {
            let reason = format!("`{PERSON}` is the name of the person at the command line");
            say(reason, "rename the agent");
        }
        if let Some(Err(error)) = self.provider.as_deref().map(ProviderName::parse) {
            say(
                format!("the provider of {name}: {error}"),
                "write the name of one of your `[[models.providers]]`",
            );
        }
        if self.model.as_ref().is_some_and(String::is_empty) {
            say(format!("the model of {name} is empty"), "name a model, or remove the line");
        }
        if let Some(prompt) = &self.prompt
            && (prompt.trim().is_empty() || prompt.len() > CONTEXT_PROMPT_BYTES_MAX)
        {
            let bytes = prompt.len();
            say(
                format!(
                    "the prompt of {name} has {bytes} bytes; 1 to {CONTEXT_PROMPT_BYTES_MAX} are allowed"
                ),
                "say in a few sentences what the model should write",
            );
        }
        wrong
    }
}
