//! The outcome of a write.

use crate::commit_id::CommitId;

/// The outcome of a write that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a write may have found nothing, or have been refused"]
pub enum WriteOutcome {
    /// The write happened in this commit. The size is that of the value that was stored or removed, in bytes.
    Done { commit: CommitId, size: u64 },
    /// There was nothing to remove under the key.
    Missing,
    /// The write is not allowed, and the backpack is lenient. This commit records the refusal.
    Refused(CommitId),
}

impl WriteOutcome {
    /// Returns the commit of the write, if it happened.
    pub fn done(self) -> Option<CommitId> {
        match self {
            Self::Done { commit, .. } => Some(commit),
            Self::Missing | Self::Refused(_) => None,
        }
    }
}
