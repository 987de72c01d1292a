//! Decides which sets a connection gets.

use std::fmt;
use std::sync::Arc;

use piton_core::{Digest, FileBytes};
use piton_runtime::backpack::BackpackId;
use piton_runtime::workspaces::FileWorld;
use piton_runtime::{Connection, Runtime};

use super::backpack::BackpackTools;
use super::context::ContextTools;
use super::tool_set::ToolSet;
use super::workflow::WorkflowTools;
use super::workspaces::WorkspaceTools;
use crate::log::CallLog;
use crate::server::listed;

/// Creates the set of one connection, if that connection gets it.
type SetFactory = dyn Fn(&Arc<Connection>) -> Option<Arc<dyn ToolSet>> + Send + Sync;

/// The offer to agents: the use cases, and the sets of tools that lead to them.
#[derive(Clone)]
pub struct ServerBuilder {
    pub(crate) runtime: Arc<Runtime>,
    more: Vec<Arc<SetFactory>>,
    backpack: Option<BackpackId>,
    pub(crate) log: Option<Arc<dyn CallLog>>,
    /// The Workspaces, as they were declared.
    workspaces: Vec<String>,
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerBuilder")
            .field("more", &self.more.len())
            .finish_non_exhaustive()
    }
}

impl From<Arc<Runtime>> for ServerBuilder {
    /// Offers the built-in sets.
    fn from(runtime: Arc<Runtime>) -> Self {
        Self { runtime, more: Vec::new(), backpack: None, log: None, workspaces: Vec::new() }
    }
}

impl From<&Arc<Runtime>> for ServerBuilder {
    fn from(runtime: &Arc<Runtime>) -> Self {
        Arc::clone(runtime).into()
    }
}

impl ServerBuilder {
    /// Appends the set that `give` creates for a connection.
    #[must_use]
    pub fn with(
        mut self,
        give: impl Fn(&Arc<Connection>) -> Option<Arc<dyn ToolSet>> + Send + Sync + 'static,
    ) -> Self {
        self.more.push(Arc::new(give));
        self
    }

    /// Attaches agents to this backpack, whatever is configured.
    #[must_use]
    pub fn backpack(self, backpack: Option<BackpackId>) -> Self {
        Self { backpack, ..self }
    }

    /// Adds the tools that these Workspaces allow.
    #[must_use]
    pub fn with_workspaces(mut self, world: Arc<FileWorld>) -> Self {
        self.workspaces.extend(world.configs().map(|config| format!("{config:?}")));
        self.with(move |connection| {
            let set = WorkspaceTools::new(Arc::clone(connection), Arc::clone(&world))?;
            Some(Arc::new(set) as Arc<dyn ToolSet>)
        })
    }

    /// Writes a line to `log` for each call.
    #[must_use]
    pub fn logged(self, log: Arc<dyn CallLog>) -> Self {
        Self { log: Some(log), ..self }
    }

    /// Returns the digest of everything that a remote agent can reach. Servers with the same setup have the same
    /// digest.
    pub(crate) fn digest(&self) -> Digest {
        let connection = Arc::new(self.runtime.connect_once());
        let catalogue = |set: &Arc<dyn ToolSet>| {
            let catalogue = set.catalogue();
            (catalogue.instructions.clone(), listed(catalogue))
        };
        let sets: Vec<_> = self.sets(&connection).iter().map(catalogue).collect();
        let attachment = connection.attachment(self.backpack.as_ref());
        let agents = format!("{:?} {attachment:?} {:?}", self.backpack, connection.context_agent());
        let settings = self.runtime.applied().digest();
        let offered = (settings, agents, sets, &self.workspaces);
        let bytes = serde_json::to_vec(&offered).expect("texts and tools have a JSON form");
        Digest::of(&FileBytes(&bytes))
    }

    /// Returns the sets that a connection gets, in the order in which its agent reads them.
    pub(crate) fn sets(&self, connection: &Arc<Connection>) -> Vec<Arc<dyn ToolSet>> {
        let sets: Vec<_> = make_sets(connection, self.backpack.as_ref())
            .into_iter()
            .chain(self.more.iter().filter_map(|give| give(connection)))
            .collect();
        let mut names: Vec<_> =
            sets.iter().flat_map(|set| &set.catalogue().tools).map(|tool| tool.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "a tool is in one set");
        sets
    }
}

/// Creates the built-in sets that a connection gets: `workflow` always, any other if it is configured.
fn make_sets(connection: &Arc<Connection>, backpack: Option<&BackpackId>) -> Vec<Arc<dyn ToolSet>> {
    let mut sets: Vec<Arc<dyn ToolSet>> =
        vec![Arc::new(WorkflowTools::new(Arc::clone(connection)))];
    if let Some(attachment) = connection.attachment(backpack).transpose() {
        sets.push(Arc::new(BackpackTools::new(Arc::clone(connection), attachment)));
    }
    sets.extend(ContextTools::of(connection).map(|set| Arc::new(set) as Arc<dyn ToolSet>));
    sets
}
