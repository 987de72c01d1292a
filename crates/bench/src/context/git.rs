//! The same work, done by git.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// Runs git in `root`, isolated from this machine's configuration.
pub(super) fn git(root: &Path, arguments: &[&str]) -> Result<()> {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", "/nonexistent")
        .stdout(Stdio::null())
        .status()
        .map_err(Error::io("start git"))?;
    if status.success() { Ok(()) } else { Err(Error::Child(format!("git {arguments:?}"))) }
}

/// Creates an empty repository in `root`, in place of any that exists.
pub(super) fn begin(root: &Path) -> Result<()> {
    let repository = root.join(".git");
    if repository.exists() {
        fs::remove_dir_all(repository).map_err(Error::io("remove a repository"))?;
    }
    git(root, &["init", "-q"])
}

/// Adds everything and writes the tree.
pub(super) fn write_tree(root: &Path) -> Result<()> {
    git(root, &["add", "-A"])?;
    git(root, &["write-tree"])
}
