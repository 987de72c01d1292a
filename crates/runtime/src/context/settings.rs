//! The agents that work with context, and the one that clients of the MCP server act as.

use std::collections::BTreeMap;
use std::path::Path;

use piton_context::agent::{Agents, ContextAgent, Role};
use piton_context::word::AgentId;
use piton_core::{Code, Envelope, nearest};

use crate::config::section::{AgentEntry, ContextSection, FoundSection};
use crate::config::{ConfigProblem, Configuration};

/// The agent for a person at the command line. It needs no configuration, and no client can act as it.
pub const PERSON: &str = "person";

/// The context configuration, combined from every source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextSettings {
    agents: BTreeMap<AgentId, AgentEntry>,
    served: Option<AgentId>,
    is_configured: bool,
}

/// Returns the id of the person at the command line, who may do everything.
pub(super) fn person() -> AgentId {
    PERSON.parse().expect("a plain word is a name")
}

impl ContextSettings {
    /// Returns the context settings for a project, as the files are now.
    pub fn configured(
        configuration: &Configuration,
        project: Option<&Path>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        Self::join(configuration.sections_for(project)?).map_err(|problem| vec![problem])
    }

    /// Combines sections, weakest first. A stronger section replaces agents of the same name.
    pub fn join(sections: Vec<FoundSection<ContextSection>>) -> Result<Self, ConfigProblem> {
        let mut joined = Self { is_configured: !sections.is_empty(), ..Self::default() };
        for section in sections {
            let file = section.file.display().to_string();
            let ContextSection { agent, agents } = section.value;
            joined.agents.extend(agents.into_iter().map(|entry| (entry.name.clone(), entry)));
            if let Some(agent) = agent {
                // Checked after the agents of this file are added: a file may name an agent of a weaker one, but not of
                // a stronger one.
                if !joined.agents.contains_key(&agent) {
                    let reason = format!("`context.agent` is {agent}, which is no agent");
                    return Err(ConfigProblem::of(file, reason, joined.fix(&agent)));
                }
                joined.served = Some(agent);
            }
        }
        Ok(joined)
    }

    /// True if any file configures context.
    pub const fn is_configured(&self) -> bool {
        self.is_configured
    }

    /// Returns the agent that clients of the MCP server act as: the one that is named, or the only one.
    pub fn served(&self) -> Option<&AgentId> {
        let only = self.agents.keys().next().filter(|_| self.agents.len() == 1);
        self.served.as_ref().or(only)
    }

    /// Returns every configured agent, by name.
    pub fn agents(&self) -> impl Iterator<Item = &AgentEntry> {
        self.agents.values()
    }

    /// Returns the configuration of an agent; `None` for the person.
    pub fn agent(&self, name: &AgentId) -> Option<&AgentEntry> {
        self.agents.get(name)
    }

    /// Refuses an agent that a client cannot act as because it is not configured.
    pub fn check(&self, name: &AgentId) -> Result<(), Envelope> {
        if self.agents.contains_key(name) {
            return Ok(());
        }
        let message = format!("There is no agent {name}.");
        Err(Envelope::new(Code::ContextUnknownAgent, message).with_suggestion(self.offer(name)))
    }

    /// Returns everyone who may act from the command line: the configured agents and the person.
    pub(super) fn known(&self) -> Agents {
        let configured = self.agents();
        let configured =
            configured.map(|agent| ContextAgent { id: agent.name.clone(), role: agent.role });
        // Last, so that no configured agent can replace the person.
        let person = ContextAgent { id: person(), role: Role::Synthesis };
        Agents::new(configured.chain([person]))
    }

    /// Returns the fix for a line that names an unknown agent.
    fn fix(&self, name: &AgentId) -> String {
        let names = self.agents.keys().map(AgentId::as_str);
        match nearest(name.as_str(), names).first() {
            Some(close) => format!("write `{close}`"),
            None => format!(
                "add it with `[[context.agents]]`, `name = \"{name}\"` and `role = \"reader\"`, or take the line away"
            ),
        }
    }

    /// Returns the suggestion for an unknown agent name.
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
