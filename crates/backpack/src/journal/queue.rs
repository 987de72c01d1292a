//! Commits that are made but not yet on disk.

use std::collections::VecDeque;
use std::sync::Arc;

use piton_store::bounds::{PLAN_BLOBS_MAX, PLAN_EVENTS_MAX};

use crate::bounds::PLAN_BYTES;
use crate::commit::Commit;
use crate::record::weight;

/// A waiting commit, with its value if that is kept beside the history.
#[derive(Clone)]
pub(super) struct QueuedCommit {
    pub(super) commit: Commit,
    pub(super) large: Option<Arc<str>>,
}

/// The waiting commits, in order.
#[derive(Default)]
pub(super) struct CommitQueue {
    waiting: VecDeque<QueuedCommit>,
    /// Number of commits that left the queue because they are on disk.
    durable: u64,
}

impl CommitQueue {
    /// Creates a queue that continues after `durable` commits.
    pub(super) fn new(durable: u64) -> Self {
        Self { waiting: VecDeque::new(), durable }
    }

    pub(super) fn push(&mut self, commit: &Commit, large: Option<&Arc<str>>) {
        self.waiting.push_back(QueuedCommit { commit: commit.clone(), large: large.cloned() });
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the total number of commits, on disk or waiting.
    pub(super) fn last_number(&self) -> u64 {
        self.durable + self.waiting.len() as u64
    }

    /// True if the commit with this number is on disk.
    pub(super) fn is_durable(&self, number: u64) -> bool {
        number < self.durable
    }

    /// Returns the next commits that fit into one plan, or exactly `count` of them.
    pub(super) fn batch(&self, count: Option<usize>) -> Vec<QueuedCommit> {
        // An append that was cut off is repeated with the same commits, or the journal would not recognize the plan.
        if let Some(count) = count {
            return self.waiting.iter().take(count).cloned().collect();
        }
        let (mut bytes, mut blobs) = (0, 0);
        // Limits are checked before the commit is counted: a plan has room for one commit beyond them.
        let fits = |waiting: &&QueuedCommit| {
            let is_room = bytes < PLAN_BYTES && blobs < PLAN_BLOBS_MAX;
            bytes += weight::of_commit(&waiting.commit);
            blobs += usize::from(waiting.large.is_some());
            is_room
        };
        self.waiting.iter().take(PLAN_EVENTS_MAX).take_while(fits).cloned().collect()
    }

    /// Removes the first `count` commits, which are on disk now.
    pub(super) fn remove_front(&mut self, count: usize) {
        self.waiting.drain(..count);
        self.durable += count as u64;
    }
}
