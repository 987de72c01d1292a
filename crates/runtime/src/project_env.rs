//! The environment of a call: the project directory, and its git state, which is read without git.
//!
//! A caller may name a project directory. Otherwise it comes from the configuration, or else from what the front end
//! knows: the root reported by the client, `CLAUDE_PROJECT_DIR`, the working directory. The first that exists counts.
//!
//! *Invariants*: anything that cannot be read is left out; no call fails because of it. A value that does not fit into
//! an observation is left out as well. Half of a branch name would be another branch.
//!
//! *Limitations*: a repository that keeps its refs in reftables has neither branch nor commit here.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the files of git, and asks where directories are"
)]

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use piton_core::digest::FileBytes;
use piton_core::{BoundedText, Code, Digest, Envelope, truncate};
use piton_workflow::event::{ObservationRecorded, ObservedValue};
use piton_workflow::{Confidence, ObservationKey};

use crate::bounds::{
    ANCESTORS_MAX, GIT_FILE_BYTES_MAX, PACKED_REFS_BYTES_MAX, PATH_QUOTED_BYTES_MAX,
};
use crate::config::PROJECT_FILE;

/// Marks at the top of a project: its configuration, its workflows, or a repository.
const MARKS: [&str; 3] = [PROJECT_FILE, ".piton", ".git"];

/// The project directory of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectDir(PathBuf);

impl ProjectDir {
    /// Returns the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the directory as text.
    pub fn text(&self) -> String {
        self.0.display().to_string()
    }
}

/// Returns the project directory: the one `asked` for, or the first of `known` that exists. Either is taken as a place
/// inside a project: the nearest directory at or above it that looks like the top of a project counts, or else the
/// place itself.
pub fn project_dir<'a>(
    asked: Option<&str>,
    known: impl IntoIterator<Item = &'a Path>,
) -> Result<Option<ProjectDir>, Envelope> {
    if let Some(asked) = asked {
        let path = Path::new(asked);
        let problem = if !path.is_absolute() {
            "is not an absolute path"
        } else if !path.is_dir() {
            "is not a directory here"
        } else {
            return Ok(Some(top_of(path)));
        };
        let message = format!("projectDir `{}` {problem}.", truncate(asked, PATH_QUOTED_BYTES_MAX));
        return Err(Envelope::new(Code::ValidationError, message).with_suggestion(
            "Send the absolute path of the directory that you work in, or leave projectDir out.",
        ));
    }
    let exists = |path: &&Path| path.is_absolute() && path.is_dir();
    Ok(known.into_iter().find(exists).map(top_of))
}

fn top_of(path: &Path) -> ProjectDir {
    // Removes `.` and doubled slashes, so that one directory has one name.
    let plain: PathBuf = path.components().collect();
    let has_mark = |dir: &&Path| MARKS.iter().any(|mark| dir.join(mark).exists());
    let above = plain.ancestors().take(ANCESTORS_MAX).find(has_mark);
    ProjectDir(above.map_or_else(|| plain.clone(), Path::to_path_buf))
}

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
enum CheckoutHead {
    /// A ref, such as `refs/heads/main`.
    Ref(String),
    Commit(String),
}

const BRANCHES: &str = "refs/heads/";

impl CheckoutHead {
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().next()?.trim();
        match line.strip_prefix("ref:") {
            Some(name) => Some(Self::Ref(ref_name(name.trim())?.to_owned())),
            None => commit(line).map(|commit| Self::Commit(commit.to_owned())),
        }
    }

    fn branch(&self) -> Option<String> {
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
fn commit(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (matches!(text.len(), 40 | 64) && is_hex).then_some(text)
}

/// Returns the directory that the `.git` file of a worktree names.
fn named_git_dir(text: &str) -> Option<&str> {
    text.lines().next()?.strip_prefix("gitdir:").map(str::trim).filter(|path| !path.is_empty())
}

/// Returns the commit of a ref in `packed-refs`.
fn packed_commit<'a>(text: &'a str, name: &str) -> Option<&'a str> {
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

/// Returns the checkout at `directory`, or at the nearest directory above it that is a repository.
pub fn checkout(directory: &Path) -> Option<Checkout> {
    let above = directory.ancestors().take(ANCESTORS_MAX);
    above.map(Path::to_path_buf).find_map(|root| {
        let git = git_dir(&root)?;
        let head = CheckoutHead::parse(&read(&git.join("HEAD"), GIT_FILE_BYTES_MAX)?)?;
        let commit = commit_of(&head, &git);
        Some(Checkout { branch: head.branch(), head: commit, root })
    })
}

/// Returns the git directory of the checkout at `root`: `.git`, or the directory that a file of that name points to.
fn git_dir(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read(&git, GIT_FILE_BYTES_MAX)?;
    Some(root.join(named_git_dir(&text)?))
}

fn commit_of(head: &CheckoutHead, git: &Path) -> Option<String> {
    let name = match head {
        CheckoutHead::Commit(commit) => return Some(commit.clone()),
        CheckoutHead::Ref(name) => name,
    };
    // A worktree shares most refs with the repository that it was made from.
    let common = read(&git.join("commondir"), GIT_FILE_BYTES_MAX);
    let common = common.map_or_else(|| git.to_path_buf(), |path| git.join(path.trim()));
    // A loose ref overrides a packed one, so the loose files are read first.
    let loose = [git, common.as_path()]
        .into_iter()
        .find_map(|dir| read(&dir.join(name), GIT_FILE_BYTES_MAX));
    if let Some(text) = loose {
        return commit(&text).map(str::to_owned);
    }
    let packed = read(&common.join("packed-refs"), PACKED_REFS_BYTES_MAX)?;
    packed_commit(&packed, name).map(str::to_owned)
}

/// Returns the beginning of a file as text; `None` if it cannot be read.
fn read(path: &Path, bytes_max: u64) -> Option<String> {
    // Asked before the file is opened: opening a pipe waits until somebody writes to it.
    if !path.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(bytes_max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{CheckoutHead, commit, named_git_dir, packed_commit};

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
        assert_eq!(packed_commit(&text, "refs/heads/main"), Some(SHA));
        assert_eq!(packed_commit(&text, "refs/heads/mai"), None);
    }

    #[test]
    fn other_texts_are_no_commit_and_no_directory() {
        assert_eq!(commit("0123"), None);
        assert_eq!(commit(&SHA.to_uppercase()), None);
        assert_eq!(named_git_dir("gitdir: ../.git/worktrees/a\n"), Some("../.git/worktrees/a"));
        assert_eq!(named_git_dir("gitdir: \n"), None);
        assert_eq!(named_git_dir("nothing"), None);
    }
}
