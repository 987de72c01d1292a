//! Reads git's files without git.
//!
//! *Limitations*: a repository that keeps its refs in reftables has neither branch nor commit here.
#![expect(clippy::disallowed_methods, reason = "the adapter that reads the files of git")]

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::checkout::{self, Checkout, CheckoutHead};
use crate::bounds::{ANCESTORS_MAX, GIT_FILE_BYTES_MAX, PACKED_REFS_BYTES_MAX};

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
    Some(root.join(checkout::git_dir(&text)?))
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
        return checkout::commit(&text).map(str::to_owned);
    }
    let packed = read(&common.join("packed-refs"), PACKED_REFS_BYTES_MAX)?;
    checkout::packed(&packed, name).map(str::to_owned)
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
