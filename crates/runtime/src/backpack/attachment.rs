//! Which backpack an agent is attached to, and the identity that its calls act under.

use piton_backpack::bounds::NODE_BYTES_MAX;
use piton_backpack::journal::JournalPorts;
use piton_backpack::{BackpackId, Key, NodeId, NodeIdentity};
use piton_core::{Envelope, Provenance};
use piton_workflow::compile::StateAccess;

use super::attached::Attached;
use crate::config::section::{StateSection, backpack_of};
use crate::config::{ConfigProblem, SettingSource};
use crate::connection::Connection;
use crate::project_env::ProjectDir;
use crate::workflow::{CallBasis, Runtime};

impl Runtime {
    /// Returns the runtime with backpacks.
    #[must_use]
    pub fn with_backpacks(mut self, backpacks: JournalPorts) -> Self {
        self.backpacks = Some(backpacks);
        self
    }
}

impl Connection {
    /// Returns the backpack that the agent is attached to, if any: `chosen`, or else the one in its project's file, or
    /// else the one in the user's file.
    pub fn attachment(&self, chosen: Option<&BackpackId>) -> Result<Option<Attached>, Envelope> {
        let (runtime, project) = (&self.runtime, self.project(None)?);
        let Some(ports) = &runtime.backpacks else { return Ok(None) };
        let project = project.as_ref().map(ProjectDir::path);
        let found = runtime.configuration.sections_for::<StateSection>(project);
        let mut found = found.map_err(|problems| ConfigProblem::envelope(&problems))?;
        if chosen.is_some() {
            // A project has no say about a backpack that the user chose.
            found.retain(|section| section.place == SettingSource::User);
        }
        // Weakest first, so the last section is that of the project, or else that of the user.
        let section = found.pop();
        let backpack = chosen.cloned().or_else(|| section.as_ref().map(backpack_of));
        let Some(backpack) = backpack else { return Ok(None) };
        let section = section.map(|section| section.value);
        let permissions = section.as_ref().and_then(StateSection::permissions);
        let agent = section.and_then(|section| section.agent);
        let shared = runtime.shared_backpacks.get(&backpack, ports);
        let mut attached = Attached::new(shared, permissions);
        attached.agent = agent;
        Ok(Some(attached))
    }
}

/// Name of an agent that neither the configuration nor the client names.
const NOBODY: &str = "agent";

/// The identity that a call acts under, and the workflow step that it acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerScope {
    pub agent: String,
    /// The step that the call is recorded for.
    pub provenance: Option<Provenance>,
    /// The only keys that the step grants, if it narrows them.
    pub narrowed: Option<StateAccess>,
}

impl CallerScope {
    /// Uses the agent that the configuration names, or else the name that the client gives itself. No call may act as
    /// the runner of flows, which keeps the data it needs to resume a run under its own name.
    pub fn new(configured: Option<&NodeId>, client: Option<String>, standing: &CallBasis) -> Self {
        let client = client.map(|name| plain(&name)).filter(|name| !name.is_empty());
        let named = configured.map(ToString::to_string).or(client);
        let agent = named
            // The client chooses its own name, so the reserved one is filtered from both sources.
            .filter(|name| name != NodeIdentity::FLOW_RUNNER)
            .unwrap_or_else(|| NOBODY.to_owned());
        let narrowed = standing.access.as_ref().and_then(|access| access.state.clone());
        Self { agent, provenance: standing.provenance.clone(), narrowed }
    }

    /// True if the step grants reading of `key`.
    pub(super) fn leaves_reading(&self, key: &Key) -> bool {
        self.leaves(key, |access| &access.read)
    }

    /// True if the step grants writing of `key`.
    pub(super) fn leaves_writing(&self, key: &Key) -> bool {
        self.leaves(key, |access| &access.write)
    }

    fn leaves(&self, key: &Key, list: impl Fn(&StateAccess) -> &Vec<String>) -> bool {
        let named = |access| list(access).iter().any(|named| named == key.as_str());
        // A step that does not mention state leaves everything that the configuration grants.
        self.narrowed.as_ref().is_none_or(named)
    }
}

/// Reduces a client-supplied name to one that a backpack accepts.
fn plain(name: &str) -> String {
    // A backpack refuses names with control characters, or that are too long. A client is not turned away for that.
    let kept: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let kept = kept.trim();
    kept[..kept.floor_char_boundary(NODE_BYTES_MAX)].to_owned()
}
