//! Time travel with a journal: back to the first commit, and with every value.
//!
//! States in memory are answered from there. Older ones are read from the journal, at the cost of replaying it.

use std::sync::Arc;

use piton_core::TimestampMs;
use piton_store::port::BlobReader;

use super::backpack::JournaledBackpack;
use super::event::BackpackEvent;
use super::replay::{ReplayStep, Replayed, large_values};
use crate::backpack::{Backpack, Options};
use crate::error::Error;
use crate::history::commit::Commit;
use crate::history::commit_id::CommitId;
use crate::history::commits::{Filter, History, Past};
use crate::names::NodeId;
use crate::record::{CommitRecord, Replay};

impl JournaledBackpack {
    /// Returns the state after a commit, as an in-memory backpack of its own.
    pub async fn snapshot_at_commit(&self, id: CommitId) -> Result<Backpack, Error> {
        // Stops before the commit after the wanted one. If there is none, the replay ends with the wanted one.
        let is_end = |_: &CommitRecord, replay: &Replay| last(replay) == Some(id);
        let past = self.past(|history| history.at_commit(id), is_end).await?;
        // The commit left memory, or never existed: only the replay could tell.
        if past.commit != Some(id) {
            return Err(Error::UnknownCommit { id });
        }
        self.backpack_of(past).await
    }

    /// Returns the state before a node's first commit, as an in-memory backpack of its own.
    pub async fn snapshot_before_node(&self, node: &NodeId) -> Result<Backpack, Error> {
        let is_end = |next: &CommitRecord, _: &Replay| next.by.id == *node;
        let past = self.past(|history| history.before_node(node), is_end).await?;
        self.backpack_of(past).await
    }

    /// Returns the state at a time, as an in-memory backpack of its own. All commits of that millisecond are included.
    pub async fn snapshot_at(&self, time: TimestampMs) -> Result<Backpack, Error> {
        let is_end = |next: &CommitRecord, _: &Replay| next.timestamp_ms > time;
        let past = self.past(|history| history.at_time(time), is_end).await?;
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

    /// Finds a state in memory. If it lies before that, replays the journal up to the first commit for which `is_end`
    /// returns true.
    async fn past(
        &self,
        find: impl FnOnce(&History) -> Result<Past, Error>,
        mut is_end: impl FnMut(&CommitRecord, &Replay) -> bool + Send,
    ) -> Result<Past, Error> {
        let found = find(&self.backpack.inner.lock().history);
        let Err(Error::BeforeHistory { .. }) = found else { return found };
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
