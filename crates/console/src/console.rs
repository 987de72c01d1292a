//! What the console works with: the use cases, the effects that it needs itself, and the stream of changes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::port::{Clock, Entropy};
use piton_core::{Code, Digest, Envelope};
use piton_runtime::backpack::inspect::Backpacks;
use piton_runtime::context::{AgentContext, ProjectContext};
use piton_runtime::provenance::Worlds;
use piton_runtime::request::GetArtifact;
use piton_runtime::workspaces::FileWorld;
use piton_runtime::{Changes, Connection, Runtime, Table, Whereabouts};

use crate::change_feed::ChangeFeed;
use crate::demo::Demo;
use crate::entrance::{Entrance, Person};
use crate::request::ConsoleStatus;

/// Everything that a console is made of. The code that constructs this chooses the adapters.
pub struct ConsolePorts {
    pub runtime: Arc<Runtime>,
    pub backpacks: Backpacks,
    /// The Workspaces of the project, if it has any.
    pub files: Option<Arc<FileWorld>>,
    /// The context of the project, if it has any.
    pub frames: Option<ProjectContext>,
    /// Keeps who is signed in.
    pub table: Arc<dyn Table>,
    pub changes: Arc<dyn Changes>,
    /// The scripted agent, if there is one.
    pub demo: Option<Arc<dyn Demo>>,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    /// The project directory of requests that name none.
    pub project: Option<PathBuf>,
    /// The name for decisions of people who give none.
    pub person: Person,
    /// The identity of this program: replies of another one are not taken for those of this one.
    pub program: Digest,
}

/// The console.
pub struct Console {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) backpacks: Backpacks,
    pub(crate) files: Option<Arc<FileWorld>>,
    pub(crate) frames: Option<ProjectContext>,
    pub(crate) entrance: Entrance,
    pub(crate) feed: ChangeFeed,
    pub(crate) demo: Option<Arc<dyn Demo>>,
    pub(crate) person: Person,
    pub(crate) program: Digest,
    project: Option<PathBuf>,
}

impl fmt::Debug for Console {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Console").finish_non_exhaustive()
    }
}

impl Console {
    /// Creates the console.
    pub fn new(ports: ConsolePorts) -> Arc<Self> {
        let ConsolePorts { runtime, backpacks, files, frames, table, changes, .. } = ports;
        Arc::new(Self {
            feed: ChangeFeed::new(changes, Arc::clone(&runtime), &*ports.entropy),
            entrance: Entrance::new(table, ports.clock, ports.entropy),
            runtime,
            backpacks,
            files,
            frames,
            demo: ports.demo,
            person: ports.person,
            program: ports.program,
            project: ports.project,
        })
    }

    /// Returns the text that follows the address in a link which lets one browser in.
    pub async fn link_fragment(&self) -> Result<String, Envelope> {
        Ok(format!("/#{}", self.entrance.issue_key().await?.reveal()))
    }

    /// Returns the use cases that depend on the project.
    pub(crate) fn connect(&self) -> Connection {
        let working_dir = self.project.clone();
        self.runtime.connect(Whereabouts { working_dir, ..Whereabouts::default() })
    }

    /// Returns the console as a signed-in person sees it.
    pub(crate) fn status(&self, person: &Person) -> ConsoleStatus {
        ConsoleStatus {
            person: person.name().to_owned(),
            project: self.project.as_ref().map(|project| project.display().to_string()),
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Reads a whole artifact.
    pub(crate) async fn artifact(&self, digest: String) -> Result<Vec<u8>, Envelope> {
        let (connection, mut text, mut offset) = (self.connect(), String::new(), None);
        loop {
            let part =
                connection.get_artifact(&GetArtifact { digest: digest.clone(), offset }).await?;
            text.push_str(&part.text);
            offset = part.next_offset;
            if offset.is_none() {
                return Ok(text.into_bytes());
            }
        }
    }

    /// Returns the project directory.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// Returns the Workspaces of the project.
    pub(crate) fn files(&self) -> Result<&FileWorld, Envelope> {
        self.files.as_deref().ok_or_else(|| {
            Envelope::new(Code::WorkspaceConfig, "This project declares no Workspaces.")
                .with_suggestion(
                    "Add a `[[workspaces]]` table to piton.toml, then start the console again.",
                )
        })
    }

    /// Returns the context of the project, as a person reads it.
    pub(crate) fn context(&self) -> Result<AgentContext, Envelope> {
        let frames = self.frames.as_ref().ok_or_else(|| {
            Envelope::new(Code::ContextUnreadable, "This project has no context.")
                .with_suggestion("Run `piton context scan` in it, then start the console again.")
        })?;
        frames.act_as(None)
    }

    /// Returns everything that can be compared.
    pub(crate) fn worlds(&self) -> Worlds<'_> {
        Worlds {
            backpacks: &self.backpacks,
            files: self.files.as_deref(),
            frames: self.frames.as_ref(),
        }
    }
}
