//! The entry point for inspecting backpacks.

use piton_backpack::journal::{JournalPorts, read, read_at};
use piton_backpack::{Action, Backpack, BackpackId, CommitId, Key, NodeId};
use piton_core::Envelope;

use super::reference::BackpackReference;

/// Backpacks as their owner sees them.
pub struct Backpacks {
    pub(super) ports: JournalPorts,
}

/// Visibility of protected values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reveal {
    /// Only their size is shown.
    #[default]
    Nothing,
    /// They are shown in full, because a person asked for it.
    Protected,
}

/// Selects the commits that a log shows.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    pub node: Option<NodeId>,
    pub key: Option<Key>,
    pub action: Option<Action>,
    /// Set to include the notes that the runner of flows keeps for itself.
    pub notes: bool,
    /// Maximum number of commits; the newest are kept.
    pub limit: usize,
}

impl Backpacks {
    /// Inspects the backpacks behind these ports.
    pub fn new(ports: JournalPorts) -> Self {
        Self { ports }
    }

    /// Returns the ports that the backpacks are read through.
    pub(crate) fn ports(&self) -> &JournalPorts {
        &self.ports
    }

    /// Reads the backpack that a person refers to, with its whole history.
    pub(super) async fn open(&self, reference: &BackpackReference) -> Result<Backpack, Envelope> {
        let id = self.meant(reference).await?;
        self.read(&id).await
    }

    pub(super) async fn read(&self, id: &BackpackId) -> Result<Backpack, Envelope> {
        let JournalPorts { journal, blobs, ports } = &self.ports;
        let found = read(&**journal, &**blobs, id, ports.clone()).await;
        Ok(found.map_err(|error| error.envelope())?.0)
    }

    /// Returns the state after a commit, with every value loaded. Without a commit, the backpack is taken as it is: it
    /// has none yet.
    pub(super) async fn at_commit(
        &self,
        backpack: &Backpack,
        commit: Option<CommitId>,
    ) -> Result<Backpack, Envelope> {
        let Some(commit) = commit else { return Ok(backpack.fork()) };
        let found = read_at(backpack, commit, &*self.ports.blobs).await;
        found.map_err(|error| error.envelope())
    }
}
