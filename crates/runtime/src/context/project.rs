//! The context of a project with its settings, and the handles of its agents.

use piton_context::agent::AgentContext;
use piton_context::word::AgentId;
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_core::Envelope;
use serde::Serialize;

use super::settings::{AgentSettings, ContextSettings, person};

/// The context of one project, and the agents that may act in it.
#[derive(Clone)]
pub struct ProjectContext {
    /// Checks the project directory before each read and write.
    pub context: Context,
    pub settings: ContextSettings,
}

/// A configured agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfiguredAgent {
    pub name: AgentId,
    #[serde(flatten)]
    pub settings: AgentSettings,
    /// Set if clients of the MCP server act as this agent.
    pub is_served: bool,
}

impl std::fmt::Debug for ProjectContext {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ProjectContext({})", self.context.location().directory().display())
    }
}

impl ProjectContext {
    /// Opens the context of the project at `location`.
    pub fn open(
        ports: &ContextPorts,
        location: ProjectLocation,
        settings: ContextSettings,
    ) -> Self {
        Self { context: Context::new(ports.clone(), location).live(), settings }
    }

    /// Returns the handle of an agent, or of the person at the command line if none is named. Refuses an unknown agent.
    pub fn act_as(&self, agent: Option<&AgentId>) -> Result<AgentContext, Envelope> {
        match agent {
            Some(agent) if *agent != person() => self.serve(agent),
            _ => Ok(AgentContext::new(self.context.clone(), &self.settings.known(), &person())?),
        }
    }

    /// Returns the handle of a configured agent, for a client that acts as it. A client can never act as the person.
    pub fn serve(&self, agent: &AgentId) -> Result<AgentContext, Envelope> {
        self.settings.check(agent)?;
        Ok(AgentContext::new(self.context.clone(), &self.settings.known(), agent)?)
    }

    /// Returns the configured agents.
    pub fn agents(&self) -> Vec<ConfiguredAgent> {
        let served = self.settings.served();
        let agents = self.settings.agents();
        let listed = agents.map(|(name, settings)| ConfiguredAgent {
            name: name.clone(),
            settings: settings.clone(),
            is_served: served == Some(name),
        });
        listed.collect()
    }
}
