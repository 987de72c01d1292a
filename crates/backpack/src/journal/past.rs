//! Time travel with a journal: back to the first commit, and with every value.
//!
//! States in memory are answered from there. Older ones are read from the journal, at the cost of replaying it.

use std::sync::Arc;

use piton_core::TimestampMs;
use piton_store::port::BlobReader;

use super::backpack::JournaledBackpack;
use super::event::BackpackEvent;
use super::replay::{ReplayStep, Replayed, large_values};
use crate::backpack::Backpack;
use crate::error::Error;
use crate::history::commit::Commit;
use crate::history::commit_id::CommitId;
use crate::history::commits::{Filter, History, Past};
use crate::names::NodeId;
use crate::options::Options;
use crate::record::{CommitRecord, Replay};

impl JournaledBackpack {
    /// Returns the state after a commit, as an in-memory backpack of its own.
    pub async fn snapshot_at_commit(&self, id: CommitId) -> Result<Backpack, Error> {
        let found = self.in_memory(|history| history.at_commit(id));
        let past = match found {
            // The commit left memory, or never existed: only a replay of the journal can tell.
            Err(Error::BeforeHistory { .. }) => {
                // Stops before the commit after the wanted one. If there is none, the replay ends with the wanted one.
                let past = self.on_disk(|_, replay| last(replay) == Some(id)).await?;
                if past.commit != Some(id) {
                    return Err(Error::UnknownCommit { id });
                }
                past
            }
            found => found?,
        };
        self.backpack_of(past).await
    }

    /// Returns the state before a node's first commit, as an in-memory backpack of its own.
    pub async fn snapshot_before_node(&self, node: &NodeId) -> Result<Backpack, Error> {
        let found = self.in_memory(|history| history.before_node(node));
        let past = match found {
            Err(Error::BeforeHistory { .. }) => self.on_disk(|next, _| next.by.id == *node).await?,
            found => found?,
        };
        self.backpack_of(past).await
    }

    /// Returns the state at a time, as an in-memory backpack of its own. All commits of that millisecond are included.
    pub async fn snapshot_at(&self, time: TimestampMs) -> Result<Backpack, Error> {
        let found = self.in_memory(|history| history.at_time(time));
        let past = match found {
            Err(Error::BeforeHistory { .. }) => {
                self.on_disk(|next, _| next.timestamp_ms > time).await?
            }
            found => found?,
        };
        self.backpack_of(past).await
    }

    /// Returns the commits that a filter selects, oldest first, including those that left memory. Large values stay in
    /// the store; a snapshot returns them.
    pub async fn history(&self, filter: &Filter) -> Result<Vec<Commit>, Error> {
        if self.backpack.inner.lock().history.is_whole() {
            return self.backpack.debug().history(filter);
        }
        let (mut commits, mut known) = (Vec::new(), Vec::new());
        let look = |_: &CommitRecord, _: &Replay| ReplayStep::GoOn;
        self.replay(look, |commit| {
            known.push(commit.id());
            if filter.selects(commit) {
                commits.push(commit.clone());
            }
        })
        .await?;
        // Ids sort in commit order, and the replay visits commits in that order.
        for id in [filter.from, filter.until].into_iter().flatten() {
            if known.binary_search(&id).is_err() {
                return Err(Error::UnknownCommit { id });
            }
        }
        Ok(commits)
    }

    fn in_memory(&self, find: impl FnOnce(&History) -> Result<Past, Error>) -> Result<Past, Error> {
        find(&self.backpack.inner.lock().history)
    }

    /// Returns the state before the first commit for which `is_end` returns true.
    async fn on_disk(
        &self,
        mut is_end: impl FnMut(&CommitRecord, &Replay) -> bool + Send,
    ) -> Result<Past, Error> {
        let look = |next: &CommitRecord, replay: &Replay| {
            if is_end(next, replay) { ReplayStep::Stop } else { ReplayStep::GoOn }
        };
        let Replayed { replay, .. } = self.replay(look, |_| {}).await?;
        let commit = last(&replay);
        Ok(Past::whole(replay.state, commit))
    }

    async fn replay(
        &self,
        look: impl FnMut(&CommitRecord, &Replay) -> ReplayStep + Send,
        done: impl FnMut(&Commit) + Send,
    ) -> Result<Replayed, Error> {
        // The wanted commits left memory, so they are on disk or about to be written.
        self.flush().await?;
        let id = self.backpack.id();
        let events: Vec<BackpackEvent> = self.ports.journal.load(id.stream()).await?.events;
        // Only the final state or single commits are needed, so keep as little history as possible.
        let narrow = Options { max_history: 0, ..Options::default() }.clamped();
        Replayed::new(id, events, &narrow, look, done)
    }

    async fn backpack_of(&self, past: Past) -> Result<Backpack, Error> {
        let blobs: Arc<dyn BlobReader> = Arc::clone(&self.ports.blobs);
        let past = past.folded();
        // A value that was packed a moment ago may not have reached the store yet.
        if past.base.items.values().any(|item| !item.is_available()) {
            self.flush().await?;
        }
        let large = large_values(&past.base, &*blobs).await?;
        Ok(self.backpack.descend(past, large, self.backpack.declared()))
    }
}

/// Returns the last commit of a replay so far.
fn last(replay: &Replay) -> Option<CommitId> {
    replay.history.newest().map(|commit| commit.id)
}
