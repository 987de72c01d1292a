//! What the console works with: the use cases, the effects that it needs itself, and the stream of changes.

use std::fmt;
use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_core::{Digest, Envelope};
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::redaction::MachinePaths;
use piton_runtime::{Changes, Runtime, Table};

use crate::change_feed::ChangeFeed;
use crate::demo::Demo;
use crate::entrance::{Entrance, Person};
use crate::project_view::{ConsoleProject, choices};
use crate::request::ConsoleStatus;

/// Everything that a console is made of. The code that constructs this chooses the adapters.
pub struct ConsolePorts {
    pub runtime: Arc<Runtime>,
    pub backpacks: Backpacks,
    /// The projects that a person can choose from. Requests that name none are about the first.
    pub projects: Vec<ConsoleProject>,
    /// Keeps who is signed in.
    pub table: Arc<dyn Table>,
    pub changes: Arc<dyn Changes>,
    /// The scripted agent, if there is one.
    pub demo: Option<Arc<dyn Demo>>,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    /// The name for decisions of people who give none.
    pub person: Person,
    /// Directories of this machine that no exported run names.
    pub machine: MachinePaths,
    /// The identity of this program: replies of another one are not taken for those of this one.
    pub program: Digest,
}

/// The console.
pub struct Console {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) backpacks: Backpacks,
    pub(crate) projects: Vec<Arc<ConsoleProject>>,
    pub(crate) entrance: Entrance,
    pub(crate) feed: ChangeFeed,
    pub(crate) demo: Option<Arc<dyn Demo>>,
    pub(crate) person: Person,
    pub(crate) program: Digest,
    pub(crate) machine: MachinePaths,
}

impl fmt::Debug for Console {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Console").finish_non_exhaustive()
    }
}

impl Console {
    /// Creates the console.
    pub fn new(ports: ConsolePorts) -> Arc<Self> {
        let ConsolePorts { runtime, backpacks, projects, table, changes, .. } = ports;
        Arc::new(Self {
            feed: ChangeFeed::new(changes, Arc::clone(&runtime), &*ports.entropy),
            entrance: Entrance::new(table, ports.clock, ports.entropy),
            runtime,
            backpacks,
            projects: projects.into_iter().map(Arc::new).collect(),
            demo: ports.demo,
            person: ports.person,
            program: ports.program,
            machine: ports.machine,
        })
    }

    /// Returns the text that follows the address in a link which lets one browser in.
    pub async fn link_fragment(&self) -> Result<String, Envelope> {
        Ok(format!("/#{}", self.entrance.issue_key().await?.reveal()))
    }

    /// Returns the console as a signed-in person sees it.
    pub(crate) fn status(&self, person: &Person) -> ConsoleStatus {
        ConsoleStatus {
            person: person.name().to_owned(),
            projects: choices(self.projects.iter().map(|project| &*project.directory)),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
