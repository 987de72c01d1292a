//! The context of the project that a call is about.

use std::path::Path;

use piton_core::{Code, Envelope};

use super::runtime::Runtime;
use crate::config::ConfigProblem;
use crate::context::{ContextAgent, ContextSettings, ProjectContext, ProjectLocation};
use crate::project_env::ProjectDir;

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
