//! Observations about the surroundings of a session, by which it can be found again.

use std::fmt;

piton_core::closed_set! {
    /// What was observed.
    pub enum ObservationKey {
        /// The branch that is checked out.
        GitBranch => "git_branch",
        /// The commit that is checked out.
        GitHeadSha => "git_head_sha",
        /// The digest of the repository's path.
        RepoRootHash => "repo_root_hash",
        /// The repository's path, for people.
        RepoRoot => "repo_root",
    }
}

piton_core::closed_set! {
    /// How sure an observation is.
    pub enum Confidence {
        /// A guess.
        Low => "low",
        /// Likely.
        Med => "med",
        /// Read from the thing itself.
        High => "high",
    }
}

/// The number of observations of the same key that a session already holds: 0 for its first.
///
/// It distinguishes a value that returned from the value when it was first observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeOrdinal(pub u64);

impl fmt::Display for ChangeOrdinal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}
