//! The kernel sandbox around a server, or around a flow that names no servers of its own. Whatever its code does, it
//! changes no files but those of its data directory and of the writable workspaces, and it starts no program.
//!
//! *Limitations*: reading stays possible, because a client may name its project directory at any time. The workspaces
//! alone decide what an agent may read.
#![expect(clippy::disallowed_methods, reason = "a thread of its own tries the wall out")]

use std::path::{Path, PathBuf};
use std::thread;

use piton_runtime::workspaces::{
    AccessScope, AllowedDirectory, FileWorld, JoinedWorkspaces, KernelSandbox, enclose,
};

use crate::adapters::{DataDir, runs_as_root};
use crate::app::App;
use crate::failure::Failure;
use crate::output;

/// Note for a user who runs this as root.
pub(crate) const AS_ROOT: &str = "Piton runs as root, so file permissions do not restrict it; only the Workspaces and the kernel's sandbox do";

/// Puts up the sandbox around the console, which also writes what a person edits: `editable` directories, as far as they
/// exist. No thread may have been started yet.
pub(crate) fn put_up_console(
    root: &Path,
    declared: &[JoinedWorkspaces],
    editable: Vec<PathBuf>,
) -> Result<KernelSandbox, Failure> {
    DataDir::open(root).map_err(|error| Failure::data_dir(root, &error))?;
    let editable = editable.into_iter().filter(|directory| directory.is_dir());
    let editable =
        editable.map(|directory| AllowedDirectory { directory, scope: AccessScope::ReadWrite });
    let declared = declared.iter().flat_map(|declared| openings(root, declared));
    enclose(&declared.chain(editable).collect::<Vec<_>>()).map_err(not_enclosed)
}

/// Puts up the sandbox around this process, if it has workspaces. No thread may have been started yet.
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
    // The sandbox can only admit directories that exist, so the data directory is created first.
    DataDir::open(&root).map_err(|error| Failure::data_dir(&root, &error))?;
    enclose(&openings(&root, declared)).map(Some).map_err(not_enclosed)
}

fn not_enclosed(why: &str) -> Failure {
    Failure::refused(
        format!("Nothing was begun: {why}."),
        "Check that every directory of a Workspace exists; `piton workspace map` names what is wrong.",
    )
}

/// Returns the sandbox that this machine offers, tried out on a thread that ends.
pub(crate) fn report_sandbox(
    root: &Path,
    declared: &JoinedWorkspaces,
) -> Result<KernelSandbox, &'static str> {
    let openings = openings(root, declared);
    // The sandbox cannot be taken down again, but it holds for the thread that enters it and so ends with that thread.
    let tried = thread::spawn(move || enclose(&openings)).join();
    tried.unwrap_or(Err("the kernel's sandbox could not be tried"))
}

fn openings(root: &Path, declared: &JoinedWorkspaces) -> Vec<AllowedDirectory> {
    let everything = AllowedDirectory { directory: "/".into(), scope: AccessScope::ReadOnly };
    let data = AllowedDirectory { directory: root.to_owned(), scope: AccessScope::ReadWrite };
    let mounts = FileWorld::openings(declared);
    // Missing directories are reported when the workspaces are opened, together with all other problems.
    let mounts = mounts.into_iter().filter(|opening| opening.directory.is_dir());
    [everything, data].into_iter().chain(mounts).collect()
}
