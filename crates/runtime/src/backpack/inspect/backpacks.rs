//! Where backpacks are looked at.

use piton_backpack::journal::{JournalPorts, read, read_at};
use piton_backpack::{Action, Backpack, BackpackId, CommitId, Key, NodeId};
use piton_core::Envelope;

use super::reference::BackpackReference;

/// Backpacks, for whoever owns them.
pub struct Backpacks {
    pub(super) ports: JournalPorts,
}

/// Whether protected values are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reveal {
    /// As their size.
    #[default]
    Nothing,
    /// In full: a person asked for that.
    Protected,
}

/// Which commits are wanted.
#[derive(Clone, Debug, Default)]
pub struct LogFilter {
    /// By this node.
    pub node: Option<NodeId>,
    /// To this key.
    pub key: Option<Key>,
    /// That did this.
    pub action: Option<Action>,
    /// With what the runner of flows noted for itself.
    pub notes: bool,
    /// At most so many, the newest.
    pub limit: usize,
}

impl Backpacks {
    /// Backpacks over these ports.
    pub fn new(ports: JournalPorts) -> Self {
        Self { ports }
    }

    /// Where they are kept.
    pub(crate) fn ports(&self) -> &JournalPorts {
        &self.ports
    }

    /// The backpack that a person means, with its whole history.
    pub(super) async fn open(&self, reference: &BackpackReference) -> Result<Backpack, Envelope> {
        let id = self.meant(reference).await?;
        self.read(&id).await
    }

    pub(super) async fn read(&self, id: &BackpackId) -> Result<Backpack, Envelope> {
        let JournalPorts { journal, blobs, ports } = &self.ports;
        let found = read(&**journal, &**blobs, id, ports.clone()).await;
        Ok(found.map_err(|error| error.envelope())?.0)
    }

    /// The state after a commit, with every value; the state before the first if there is none.
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
