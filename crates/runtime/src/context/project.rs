//! The context of a project with its settings, and the handles of its agents.

use std::path::Path;

use piton_context::agent::{AgentContext, ContextAgent, Role};
use piton_context::word::AgentId;
use piton_context::{Context, ContextPorts, ProjectLocation};
use piton_core::{Code, Envelope};
use schemars::JsonSchema;
use serde::Serialize;

use super::settings::{ContextSettings, person};
use crate::config::ConfigProblem;
use crate::config::section::AgentEntry;
use crate::project_env::ProjectDir;
use crate::workflow::Runtime;

/// The context of one project, and the agents that may act in it.
#[derive(Clone)]
pub struct ProjectContext {
    /// Checks the project directory before each read and write.
    pub context: Context,
    pub settings: ContextSettings,
}

/// A configured agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfiguredAgent {
    pub name: AgentId,
    pub role: Role,
    /// The provider that it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt that it sends to models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
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
        let listed = self.settings.agents().cloned().map(|agent| {
            let AgentEntry { name, role, provider, model, prompt } = agent;
            let is_served = served == Some(&name);
            ConfiguredAgent { name, role, provider, model, prompt, is_served }
        });
        listed.collect()
    }
}

impl Runtime {
    /// Returns the context settings of a project, as its files are now.
    pub fn context_settings(
        &self,
        project: Option<&ProjectDir>,
    ) -> Result<ContextSettings, Envelope> {
        ContextSettings::configured(&self.configuration, project.map(ProjectDir::path))
            .map_err(|found| ConfigProblem::envelope(&found))
    }

    /// Returns the context agent that clients in a project act as: the one that the process was started with, or else
    /// the configured one.
    pub fn served_agent(&self, project: Option<&ProjectDir>) -> Option<ContextAgent> {
        self.frames.as_ref()?;
        let settings = self.context_settings(project).ok()?;
        let name = self.context_agent.as_ref().or(settings.served())?;
        let role = settings.agent(name)?.role;
        Some(ContextAgent { id: name.clone(), role })
    }

    /// Returns the context of a project. `standing` is the directory that the caller is in.
    pub fn frames(
        &self,
        project: Option<&ProjectDir>,
        standing: Option<&Path>,
    ) -> Result<ProjectContext, Envelope> {
        let lacking = |message: &str, suggestion: &str| {
            Envelope::new(Code::ContextUnreadable, message).with_suggestion(suggestion)
        };
        let ports = self.frames.as_ref().ok_or_else(|| {
            lacking(
                "This process keeps no context.",
                "Use `piton context status` and the other commands about context.",
            )
        })?;
        let project = project.ok_or_else(|| {
            lacking("Nothing says which project is meant.", "Go to the directory of a project.")
        })?;
        let settings = self.context_settings(Some(project))?;
        let location = ProjectLocation::find(project.path(), standing)?;
        Ok(ProjectContext::open(ports, location, settings))
    }
}
