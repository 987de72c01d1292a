//! The commits in memory, within their budget, and the past states that they lead through.
//!
//! Every fourth commit leaves behind a checkpoint of the state, which shares everything that did not change. A past
//! state is the checkpoint before it plus at most three commits, regardless of the length of the history and the number
//! of keys.
//!
//! *Invariants*: commits are numbered consecutively, and their times never decrease. A state is either exact or not
//! returned: asking for a state before the oldest commit in memory is an error that names that commit.

use std::collections::{BTreeMap, VecDeque};

use piton_core::TimestampMs;

use super::commit::{Action, Commit};
use super::commit_id::CommitId;
use crate::backpack::Options;
use crate::bounds::{CHECKPOINT_COMMITS, COMMIT_BYTES, HISTORY_COMMITS_MIN};
use crate::error::Error;
use crate::names::{Key, NodeId};
use crate::observer::Event;
use crate::state::item_state::ItemState;

/// The commits of a backpack that are in memory.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// The state before the oldest commit in memory.
    base: ItemState,
    /// The number of the oldest commit in memory.
    first: u64,
    commits: VecDeque<Commit>,
    checkpoints: VecDeque<Checkpoint>,
    /// Set when the state changed since the last checkpoint.
    is_changed: bool,
    bytes: usize,
    /// The number of every node's first commit.
    nodes: BTreeMap<NodeId, u64>,
    last_timestamp: TimestampMs,
}

#[derive(Clone, Debug)]
struct Checkpoint {
    /// Number of commits that lead to this state.
    count: u64,
    state: ItemState,
}

impl History {
    /// Creates a history that continues from `base` with the commit number `first`.
    pub(crate) fn new(base: ItemState, first: u64) -> Self {
        Self {
            base,
            first,
            commits: VecDeque::new(),
            checkpoints: VecDeque::new(),
            is_changed: false,
            bytes: 0,
            nodes: BTreeMap::new(),
            last_timestamp: TimestampMs(0),
        }
    }

    /// Returns the number of the next commit.
    pub(crate) fn next_number(&self) -> u64 {
        self.first + self.commits.len() as u64
    }

    /// Returns the time for a commit that is made when the clock shows `now`.
    pub(crate) fn timestamp(&self, now: TimestampMs) -> TimestampMs {
        // The clock may jump back; commit times must not, since `at_time` searches them by bisection.
        now.max(self.last_timestamp)
    }

    pub(crate) fn commits(&self) -> &VecDeque<Commit> {
        &self.commits
    }

    /// True if every commit is in memory.
    pub(crate) fn is_whole(&self) -> bool {
        self.first == 0
    }

    /// Returns the number of commits that left memory.
    pub(crate) fn dropped(&self) -> u64 {
        self.first
    }

    /// Returns the number of every node's first commit.
    pub(crate) fn nodes(&self) -> &BTreeMap<NodeId, u64> {
        &self.nodes
    }

    /// Returns the time of the newest commit.
    pub(crate) fn last_timestamp(&self) -> TimestampMs {
        self.last_timestamp
    }

    /// Takes over the facts about commits that are not in memory.
    pub(crate) fn remember(&mut self, nodes: BTreeMap<NodeId, u64>, last_timestamp: TimestampMs) {
        self.nodes = nodes;
        self.last_timestamp = last_timestamp;
    }

    pub(crate) fn newest(&self) -> Option<&Commit> {
        self.commits.back()
    }

    /// Returns how many nodes made a commit, and whether `node` is one of them.
    pub(crate) fn knows(&self, node: &NodeId) -> (usize, bool) {
        (self.nodes.len(), self.nodes.contains_key(node))
    }

    /// Adds a commit that led to `state`. Returns an event if the oldest commits had to leave.
    pub(crate) fn push(
        &mut self,
        commit: Commit,
        state: &ItemState,
        options: &Options,
    ) -> Option<Event> {
        let number = self.next_number();
        // Looked up first, because `entry` would clone the id of a node that is usually known.
        if !self.nodes.contains_key(&commit.author.id) {
            self.nodes.insert(commit.author.id.clone(), number);
        }
        self.last_timestamp = commit.timestamp;
        self.is_changed |= commit.is_change();
        self.bytes += COMMIT_BYTES + commit.held_bytes();
        self.commits.push_back(commit);
        let count = number + 1;
        // Reads and denials leave the state as it is; a checkpoint after nothing else would repeat the one before.
        if count.is_multiple_of(CHECKPOINT_COMMITS) && self.is_changed {
            self.checkpoints.push_back(Checkpoint { count, state: state.clone() });
            self.is_changed = false;
        }
        self.prune(options)
    }

    /// Drops the oldest commits once a budget is exceeded, down to four fifths of it.
    fn prune(&mut self, options: &Options) -> Option<Event> {
        let Options { max_history, history_bytes, .. } = *options;
        // The byte budget yields to the minimum number of commits, so that there is always a recent past.
        let is_short = self.commits.len() <= HISTORY_COMMITS_MIN / 4 * 5;
        if self.commits.len() <= max_history && (self.bytes <= history_bytes || is_short) {
            return None;
        }
        // Dropping a fifth at once keeps the cost of pruning per commit constant on average.
        let (goal, goal_bytes) = (max_history / 5 * 4, history_bytes / 5 * 4);
        let (mut leaving, mut bytes) = (0, self.bytes);
        for commit in &self.commits {
            let left = self.commits.len() - leaving;
            if left <= HISTORY_COMMITS_MIN || left <= goal && bytes <= goal_bytes {
                break;
            }
            bytes -= COMMIT_BYTES + commit.held_bytes();
            leaving += 1;
        }
        let oldest = self.commits.get(leaving)?.id;
        if leaving == 0 {
            return None;
        }
        // The new base is computed while the commits that lead to it are still there.
        let first = self.first + leaving as u64;
        self.base = self.state_after(first);
        self.commits.drain(..leaving);
        self.checkpoints.retain(|checkpoint| checkpoint.count > first);
        (self.first, self.bytes) = (first, bytes);
        let left = self.commits.len();
        Some(Event::Pruned { commits: leaving, oldest, left, left_bytes: bytes })
    }

    /// Returns the state after the first `count` commits, which must not lie before the base.
    pub(crate) fn state_after(&self, count: u64) -> ItemState {
        let (checkpoint, ahead) = self.way_to(count);
        let mut state = checkpoint.clone();
        ahead.for_each(|commit| state.apply(commit));
        state
    }

    /// Returns the nearest checkpoint at or before `count`, and the commits that lead from it to there.
    fn way_to(&self, count: u64) -> (&ItemState, impl Iterator<Item = &Commit>) {
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.count <= count);
        let (from, state) = match after.checked_sub(1).and_then(|last| self.checkpoints.get(last)) {
            Some(checkpoint) => (checkpoint.count, &checkpoint.state),
            None => (self.first, &self.base),
        };
        // A multiple of four without a checkpoint has the state of the checkpoint before, so start from that multiple.
        let from = from.max(count - count % CHECKPOINT_COMMITS);
        (state, (from..count).map(|number| &self.commits[self.place(number)]))
    }

    fn past(&self, count: u64, commit: Option<CommitId>) -> Past {
        let (checkpoint, ahead) = self.way_to(count);
        let changes = ahead.filter(|commit| commit.is_change()).cloned();
        Past { base: checkpoint.clone(), ahead: changes.collect(), commit }
    }

    fn place(&self, number: u64) -> usize {
        usize::try_from(number - self.first).expect("commits in memory are fewer than addresses")
    }

    /// Returns the commit with this id.
    pub(crate) fn find(&self, id: CommitId) -> Result<&Commit, Error> {
        let number = id.number();
        if number < self.first {
            return Err(self.pruned(id));
        }
        // The number may match while the writer's mark differs: a crash lost the commit, and another took its number.
        self.commits
            .get(self.place(number))
            .filter(|commit| commit.id == id)
            .ok_or(Error::UnknownCommit { id })
    }

    fn pruned(&self, wanted: CommitId) -> Error {
        Error::BeforeHistory { wanted: format!("the commit {wanted}"), oldest: self.oldest() }
    }

    fn oldest(&self) -> Option<CommitId> {
        self.commits.front().map(|commit| commit.id)
    }

    /// Returns the state after a commit.
    pub(crate) fn at_commit(&self, id: CommitId) -> Result<Past, Error> {
        self.find(id)?;
        Ok(self.past(id.number() + 1, Some(id)))
    }

    /// Returns the state before a node's first commit.
    pub(crate) fn before_node(&self, node: &NodeId) -> Result<Past, Error> {
        let number =
            *self.nodes.get(node).ok_or_else(|| Error::UnknownNode { node: node.clone() })?;
        if number < self.first {
            let wanted = format!("the first commit of the node {node}");
            return Err(Error::BeforeHistory { wanted, oldest: self.oldest() });
        }
        Ok(self.after_first(number))
    }

    /// Returns the state at a time, including all commits of that time.
    pub(crate) fn at_time(&self, time: TimestampMs) -> Result<Past, Error> {
        let count = self.commits.partition_point(|commit| commit.timestamp <= time);
        // Commits that left memory may lie on either side of that time, so the exact state is unknown.
        if count == 0 && self.first > 0 {
            let wanted = format!("the time {time}");
            return Err(Error::BeforeHistory { wanted, oldest: self.oldest() });
        }
        Ok(self.after_first(self.first + count as u64))
    }

    fn after_first(&self, count: u64) -> Past {
        let commit = count
            .checked_sub(self.first + 1)
            .and_then(|place| self.commits.get(usize::try_from(place).ok()?))
            .map(|commit| commit.id);
        self.past(count, commit)
    }
}

/// A past state and the last commit that it contains.
#[derive(Debug)]
pub(crate) struct Past {
    /// The checkpoint before the state, or the state itself if `ahead` is empty.
    pub(crate) base: ItemState,
    /// Changes after the checkpoint: fewer commits than lie between two checkpoints.
    pub(crate) ahead: Vec<Commit>,
    pub(crate) commit: Option<CommitId>,
}

impl Past {
    /// Wraps a state that is already complete.
    pub(crate) fn whole(state: ItemState, commit: Option<CommitId>) -> Self {
        Self { base: state, ahead: Vec::new(), commit }
    }

    /// Folds all commits into the base.
    pub(crate) fn folded(mut self) -> Self {
        debug_assert!((self.ahead.len() as u64) < CHECKPOINT_COMMITS, "a checkpoint was left out");
        self.ahead.drain(..).for_each(|commit| self.base.apply(&commit));
        self
    }
}

/// Selects commits. An absent field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only commits of this node.
    pub node: Option<NodeId>,
    /// Only commits about this key.
    pub key: Option<Key>,
    /// Only commits with this action.
    pub action: Option<Action>,
    /// Only this commit and later ones.
    pub from: Option<CommitId>,
    /// Only this commit and earlier ones.
    pub until: Option<CommitId>,
}

impl Filter {
    /// True if the filter selects a commit.
    pub(crate) fn selects(&self, commit: &Commit) -> bool {
        self.node.as_ref().is_none_or(|node| *node == commit.author.id)
            && self.key.as_ref().is_none_or(|key| *key == commit.key)
            && self.action.is_none_or(|action| action == commit.action())
            && self.from.is_none_or(|from| from <= commit.id)
            && self.until.is_none_or(|until| commit.id <= until)
    }

    /// Returns the selected commits, oldest first.
    pub(crate) fn select<'a>(
        &'a self,
        history: &'a History,
    ) -> Result<impl Iterator<Item = &'a Commit>, Error> {
        for id in [self.from, self.until].into_iter().flatten() {
            // A bound that is not in memory is an error, so that a partial result never looks complete.
            history.find(id)?;
        }
        Ok(history.commits().iter().filter(|commit| self.selects(commit)))
    }
}
