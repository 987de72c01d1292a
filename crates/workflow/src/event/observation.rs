//! `observation_recorded`: a fact about the surroundings was observed.
//!
//! *Limitations*: any key may have any type of value; choosing a fitting one is up to the observer.

use std::fmt;

use piton_core::{BoundedText, CanonicalBytes, Digest, canonical};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::PayloadError;
use crate::bounds::{OBSERVED_PATH_BYTES_MAX, SHORT_STRING_BYTES_MAX};

const GIT_SHA1_DIGITS: usize = 40;

/// Something about the surroundings was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationRecorded {
    /// What was observed.
    pub key: ObservationKey,
    /// What was seen.
    pub value: ObservedValue,
    /// How sure that is.
    pub confidence: Confidence,
}

/// What was seen. A value over its budget is refused: half of a path is another path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "snake_case", deny_unknown_fields)]
pub enum ObservedValue {
    /// A name.
    ShortString(BoundedText<SHORT_STRING_BYTES_MAX>),
    /// A commit.
    GitSha1(GitSha1),
    /// A digest.
    Sha256(Digest),
    /// A path.
    Path(BoundedText<OBSERVED_PATH_BYTES_MAX>),
}

impl ObservedValue {
    /// Returns the canonical form. Its digest is part of the dedupe key.
    pub fn canonical(&self) -> CanonicalBytes {
        canonical::encode(self).expect("two strings have a canonical form")
    }
}

piton_core::checked_text! {
    /// A git commit: 40 lowercase hex digits.
    pub struct GitSha1: PayloadError, "a commit of 40 hex digits", "^[0-9a-f]{40}$", GIT_SHA1_DIGITS,
    |text| is_git_sha1(text).then_some(()).ok_or(PayloadError::GitSha1)
}

fn is_git_sha1(text: &str) -> bool {
    let digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == GIT_SHA1_DIGITS && text.bytes().all(digit)
}

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
