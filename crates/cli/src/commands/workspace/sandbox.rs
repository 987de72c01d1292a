//! The kernel's own wall around a server, or a flow that names no servers of its own: whatever its code does, it
//! changes no file but those of its data directory and of the Workspaces that may be written, and it starts no program.
//!
//! *Limitations*: reading stays possible, because a client may name its project directory at any time. What an agent
//! may read is decided by the Workspaces alone.
#![expect(clippy::disallowed_methods, reason = "a thread of its own tries the wall out")]

use std::{path::Path, thread};

use piton_runtime::workspaces::{
    AccessScope, AllowedDirectory, FileWorld, JoinedWorkspaces, KernelSandbox, enclose,
};
use piton_store::local::{DataDir, runs_as_root};

use crate::{app::App, failure::Failure, output};

/// What somebody should know who runs this as root.
pub(crate) const AS_ROOT: &str = "Piton runs as root, whom no permission of a file stops: only the Workspaces and the kernel's wall do";

/// Puts the wall up around this process, if it has Workspaces. No thread may have been started yet.
pub(crate) fn put_up(
    app: &App,
    declared: &JoinedWorkspaces,
) -> Result<Option<KernelSandbox>, Failure> {
    if declared.is_empty() {
        return Ok(None);
    }
    if runs_as_root() {
        output::warn(format_args!("Note: {AS_ROOT}."));
    }
    let settings = app.configuration()?.settings();
    let root = app.data_dir(&settings)?;
    let at_root = |source| Failure::DataDir { path: root.clone(), source };
    // The wall can only be open for what exists.
    DataDir::open(&root).map_err(at_root)?;
    enclose(&openings(&root, declared)).map(Some).map_err(|why| {
        Failure::refused(
            format!("Nothing was begun: {why}."),
            "Look whether every directory of a Workspace exists; `piton workspace map` names what is wrong.",
        )
    })
}

/// Which wall this machine has, tried out on a thread that ends.
pub(crate) fn report_sandbox(
    root: &Path,
    declared: &JoinedWorkspaces,
) -> Result<KernelSandbox, &'static str> {
    let openings = openings(root, declared);
    let tried = thread::spawn(move || enclose(&openings)).join();
    tried.unwrap_or(Err("the kernel's wall could not be tried out"))
}

fn openings(root: &Path, declared: &JoinedWorkspaces) -> Vec<AllowedDirectory> {
    let everything = AllowedDirectory { directory: "/".into(), scope: AccessScope::ReadOnly };
    let data = AllowedDirectory { directory: root.to_owned(), scope: AccessScope::ReadWrite };
    let mounts = FileWorld::openings(declared);
    // What does not exist is told when the Workspaces are opened, with every other problem.
    let mounts = mounts.into_iter().filter(|opening| opening.directory.is_dir());
    [everything, data].into_iter().chain(mounts).collect()
}
