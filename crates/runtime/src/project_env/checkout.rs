//! Parsing of git's own files, and the observations that a session records from them.
//!
//! *Invariants*: a value that does not fit into an observation is left out. Half of a branch name would be another
//! branch.

use std::path::PathBuf;

use piton_core::digest::FileBytes;
use piton_core::{BoundedText, Digest};
use piton_workflow::event::{ObservationRecorded, ObservedValue};
use piton_workflow::{Confidence, ObservationKey};

/// The checkout of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Top directory of the checkout.
    pub root: PathBuf,
    /// The branch; `None` if no branch is checked out.
    pub branch: Option<String>,
    /// The commit; `None` if the branch has none yet.
    pub head: Option<String>,
}

/// The target of `HEAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CheckoutHead {
    /// A ref, such as `refs/heads/main`.
    Ref(String),
    Commit(String),
}

const BRANCHES: &str = "refs/heads/";

impl CheckoutHead {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let line = text.lines().next()?.trim();
        match line.strip_prefix("ref:") {
            Some(name) => Some(Self::Ref(ref_name(name.trim())?.to_owned())),
            None => commit(line).map(|commit| Self::Commit(commit.to_owned())),
        }
    }

    pub(super) fn branch(&self) -> Option<String> {
        match self {
            Self::Ref(name) => name.strip_prefix(BRANCHES).map(str::to_owned),
            Self::Commit(_) => None,
        }
    }
}

/// Accepts a name that stays below the directory of refs. Reftables show `refs/heads/.invalid` to older readers.
fn ref_name(name: &str) -> Option<&str> {
    let is_sound = |part: &str| !part.is_empty() && !part.starts_with('.');
    let is_ref = name.starts_with("refs/") && name.split('/').all(is_sound);
    is_ref.then_some(name)
}

/// Accepts a commit hash of either length.
pub(super) fn commit(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (matches!(text.len(), 40 | 64) && is_hex).then_some(text)
}

/// Returns the directory that the `.git` file of a worktree names.
pub(super) fn git_dir(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("gitdir:").map(str::trim).filter(|path| !path.is_empty())
}

/// Returns the commit of a ref in `packed-refs`.
pub(super) fn packed<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (hash, found) = line.split_once(' ')?;
        if found.trim_end() == name { commit(hash) } else { None }
    })
}

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

#[cfg(test)]
mod tests {
    use super::{CheckoutHead, commit, git_dir, packed};

    const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn head_names_a_branch_another_ref_or_a_commit() {
        let branch = |text: &str| CheckoutHead::parse(text).and_then(|head| head.branch());
        assert_eq!(branch("ref: refs/heads/main\n").as_deref(), Some("main"));
        assert_eq!(branch("ref: refs/heads/fix/login\n").as_deref(), Some("fix/login"));
        assert_eq!(branch("ref: refs/remotes/origin/main\n"), None);
        assert_eq!(CheckoutHead::parse(SHA), Some(CheckoutHead::Commit(SHA.to_owned())));
        for strange in
            ["", "ref:", "ref: refs/heads/../../x", "ref: refs/heads/.invalid", "main", "ABC"]
        {
            assert_eq!(CheckoutHead::parse(strange), None, "{strange}");
        }
    }

    #[test]
    fn a_ref_is_found_among_packed_ones_by_its_whole_name() {
        let other = "f".repeat(40);
        let text = format!(
            "# pack-refs with: peeled\n{other} refs/heads/main2\n{SHA} refs/heads/main\n^{other}\n"
        );
        assert_eq!(packed(&text, "refs/heads/main"), Some(SHA));
        assert_eq!(packed(&text, "refs/heads/mai"), None);
    }

    #[test]
    fn other_texts_are_no_commit_and_no_directory() {
        assert_eq!(commit("0123"), None);
        assert_eq!(commit(&SHA.to_uppercase()), None);
        assert_eq!(git_dir("gitdir: ../.git/worktrees/a\n"), Some("../.git/worktrees/a"));
        assert_eq!(git_dir("gitdir: \n"), None);
        assert_eq!(git_dir("nothing"), None);
    }
}
