//! Which sets a connection gets.

use std::fmt;
use std::sync::Arc;

use piton_runtime::files::FileWorld;
use piton_runtime::{Connection, Runtime};

use super::files::Files;
use super::set::ToolSet;
use super::workflow::Workflow;
use crate::log::CallLog;

/// Makes the set of one connection, if that one gets it.
type Give = dyn Fn(&Arc<Connection>) -> Option<Arc<dyn ToolSet>> + Send + Sync;

/// What agents are offered: the use cases, and the sets of tools that lead to them.
#[derive(Clone)]
pub struct Offer {
    runtime: Arc<Runtime>,
    more: Vec<Arc<Give>>,
    log: Option<Arc<dyn CallLog>>,
}

impl fmt::Debug for Offer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Offer").field("more", &self.more.len()).finish_non_exhaustive()
    }
}

impl From<Arc<Runtime>> for Offer {
    /// The sets that come with Piton.
    fn from(runtime: Arc<Runtime>) -> Self {
        Self { runtime, more: Vec::new(), log: None }
    }
}

impl From<&Arc<Runtime>> for Offer {
    fn from(runtime: &Arc<Runtime>) -> Self {
        Arc::clone(runtime).into()
    }
}

impl Offer {
    /// The same, and after it the set that `give` makes of a connection.
    #[must_use]
    pub fn with(
        mut self,
        give: impl Fn(&Arc<Connection>) -> Option<Arc<dyn ToolSet>> + Send + Sync + 'static,
    ) -> Self {
        self.more.push(Arc::new(give));
        self
    }

    /// The same, with the tools that these Workspaces allow.
    #[must_use]
    pub fn with_files(self, world: Arc<FileWorld>) -> Self {
        self.with(move |connection| {
            let set = Files::new(Arc::clone(connection), Arc::clone(&world))?;
            Some(Arc::new(set) as Arc<dyn ToolSet>)
        })
    }

    /// The same, with a line in `log` for each call.
    #[must_use]
    pub fn logged(self, log: Arc<dyn CallLog>) -> Self {
        Self { log: Some(log), ..self }
    }

    pub(crate) fn log(&self) -> Option<Arc<dyn CallLog>> {
        self.log.clone()
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The sets that a connection gets, in the order in which its agent reads them.
    pub(crate) fn sets(&self, connection: &Arc<Connection>) -> Vec<Arc<dyn ToolSet>> {
        let sets: Vec<_> = given(connection)
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

/// The sets that every connection gets.
fn given(connection: &Arc<Connection>) -> Vec<Arc<dyn ToolSet>> {
    vec![Arc::new(Workflow::new(Arc::clone(connection)))]
}
