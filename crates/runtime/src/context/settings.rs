//! Which agents work with context, and whom the clients of the MCP server act as.

use std::collections::BTreeMap;
use std::path::Path;

use piton_context::agent::{Agents, ContextAgent, Role};
use piton_context::word::AgentId;
use piton_core::{Code, Envelope};

use crate::config::section::{ContextSection, FoundSection};
use crate::config::{ConfigProblem, Configuration};
use crate::nearest::nearest;

/// The agent that a person at the command line is. It needs no configuration, and nobody else can be it.
pub const PERSON: &str = "person";

/// What is configured of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// What it may do.
    pub role: Role,
    /// Who answers for it when it asks a model.
    pub provider: Option<String>,
    /// Which model.
    pub model: Option<String>,
    /// What it asks models for.
    pub prompt: Option<String>,
}

/// What is configured of context, from every place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextSettings {
    agents: BTreeMap<AgentId, AgentSettings>,
    served: Option<AgentId>,
    is_configured: bool,
}

/// The person at the command line, who may do everything.
pub(super) fn person() -> AgentId {
    PERSON.parse().expect("a plain word is a name")
}

impl ContextSettings {
    /// What the files of a configuration say for a project, as they are now.
    pub fn configured(
        configuration: &Configuration,
        project: Option<&Path>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        Self::join(configuration.sections_for(project)?).map_err(|problem| vec![problem])
    }

    /// What sections say together, weakest first: a stronger one replaces agents of the same name.
    pub fn join(sections: Vec<FoundSection<ContextSection>>) -> Result<Self, ConfigProblem> {
        let mut joined = Self { is_configured: !sections.is_empty(), ..Self::default() };
        for section in sections {
            let file = section.file.display().to_string();
            let ContextSection { agent, agents } = section.value;
            for entry in agents {
                let (name, settings) = entry.settings();
                joined.agents.insert(name, settings);
            }
            if let Some(agent) = agent {
                if !joined.agents.contains_key(&agent) {
                    let reason = format!("`context.agent` is {agent}, which is no agent");
                    return Err(ConfigProblem::of(file, reason, joined.fix(&agent)));
                }
                joined.served = Some(agent);
            }
        }
        Ok(joined)
    }

    /// Whether anything says something about context.
    pub const fn is_configured(&self) -> bool {
        self.is_configured
    }

    /// The agent that clients of the MCP server act as: the one that is named, or the only one that there is.
    pub fn served(&self) -> Option<&AgentId> {
        let only = self.agents.keys().next().filter(|_| self.agents.len() == 1);
        self.served.as_ref().or(only)
    }

    /// Everybody who is configured, by name.
    pub fn agents(&self) -> impl Iterator<Item = (&AgentId, &AgentSettings)> {
        self.agents.iter()
    }

    /// What is configured of an agent; nothing of the person.
    pub fn agent(&self, name: &AgentId) -> Option<&AgentSettings> {
        self.agents.get(name)
    }

    /// Refuses an agent that a client cannot act as: one that is not configured.
    pub fn check(&self, name: &AgentId) -> Result<(), Envelope> {
        if self.agents.contains_key(name) {
            return Ok(());
        }
        let message = format!("There is no agent {name}.");
        Err(Envelope::new(Code::ContextUnknownAgent, message).with_suggestion(self.offer(name)))
    }

    /// Everybody who may act from the command line: those who are configured, and the person.
    pub(super) fn known(&self) -> Agents {
        let configured = self.agents.iter();
        let configured =
            configured.map(|(id, agent)| ContextAgent { id: id.clone(), role: agent.role });
        let person = ContextAgent { id: person(), role: Role::Synthesis };
        Agents::new(configured.chain([person]))
    }

    /// What to do about a line that names nobody.
    fn fix(&self, name: &AgentId) -> String {
        let names = self.agents.keys().map(AgentId::as_str);
        match nearest(name.as_str(), names).first() {
            Some(close) => format!("write `{close}`"),
            None => format!(
                "add it with `[[context.agents]]`, `name = \"{name}\"` and `role = \"reader\"`, or take the line away"
            ),
        }
    }

    /// What to write instead of a name that nobody has.
    fn offer(&self, name: &AgentId) -> String {
        if let Some(close) = nearest(name.as_str(), self.agents.keys().map(AgentId::as_str)).first()
        {
            return format!("Write `{close}`.");
        }
        let known: Vec<&str> = self.agents.keys().map(AgentId::as_str).collect();
        if known.is_empty() {
            return format!(
                "Add it to piton.toml:\n[[context.agents]]\nname = \"{name}\"\nrole = \"writer\""
            );
        }
        format!("The agents are: {}. Add another with [[context.agents]].", known.join(", "))
    }
}
