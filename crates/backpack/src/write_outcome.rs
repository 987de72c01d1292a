//! What became of a write.

use crate::commit_id::CommitId;

/// What became of a write that was not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a write may have found nothing, or have been refused"]
pub enum WriteOutcome {
    /// It happened, in this commit.
    Done(CommitId),
    /// There was nothing under the key to remove.
    Missing,
    /// It is not allowed, and the backpack is lenient. This commit records the refusal.
    Refused(CommitId),
}

impl WriteOutcome {
    /// The commit that did it, if it happened.
    pub fn done(self) -> Option<CommitId> {
        match self {
            Self::Done(commit) => Some(commit),
            Self::Missing | Self::Refused(_) => None,
        }
    }
}
