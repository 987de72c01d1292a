//! Observations about a checkout.
//!
//! *Invariants*: a value that does not fit is left out. Half of a branch name would be another branch.

use piton_core::digest::FileBytes;
use piton_core::{BoundedText, Digest};
use piton_workflow::event::{ObservationRecorded, ObservedValue};
use piton_workflow::{Confidence, ObservationKey};

use super::checkout::Checkout;

/// Returns the observations about the environment that a session records.
pub fn observations(checkout: &Checkout) -> Vec<ObservationRecorded> {
    let Checkout { root, branch, head } = checkout;
    let branch = branch.as_deref().and_then(|name| BoundedText::new(name).ok());
    let head = head.as_deref().and_then(|commit| commit.parse().ok());
    let path = root.to_str().and_then(|path| BoundedText::new(path).ok());
    let digest = Digest::of(&FileBytes(root.as_os_str().as_encoded_bytes()));
    let observed = [
        (ObservationKey::GitBranch, branch.map(ObservedValue::ShortString)),
        (ObservationKey::GitHeadSha, head.map(ObservedValue::GitSha1)),
        (ObservationKey::RepoRootHash, Some(ObservedValue::Sha256(digest))),
        (ObservationKey::RepoRoot, path.map(ObservedValue::Path)),
    ];
    let record = |(key, value): (ObservationKey, Option<ObservedValue>)| {
        Some(ObservationRecorded { key, value: value?, confidence: Confidence::High })
    };
    observed.into_iter().filter_map(record).collect()
}
