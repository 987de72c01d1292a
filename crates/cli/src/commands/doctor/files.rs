//! The files that agents may touch, and the kernel sandbox around them.

use piton_runtime::workspaces::KernelSandbox;
use piton_store::local::runs_as_root;

use super::finding::{Finding, Health};
use crate::{
    app::App,
    commands::workspace::{Chosen, sandbox},
    failure::Failure,
    messages::count,
    open::Open,
};

/// Checks the workspaces that are configured here.
pub(super) fn finding(app: &App, open: &Open) -> Finding {
    check_files(app, open).unwrap_or_else(|failure| Finding::bad("files", &failure))
}

fn check_files(app: &App, open: &Open) -> Result<Finding, Failure> {
    let declared = Chosen::default().declared(app)?;
    // Tried out on a thread of its own: put up here, it would confine the rest of this command too.
    let wall = sandbox::report_sandbox(open.root(), &declared);
    let Some(world) = Chosen::open(open, declared)? else {
        let found = "no Workspace is configured: agents have no file access through Piton";
        return Ok(Finding::good("files", found));
    };
    let workspaces = count(world.describe().len(), "Workspace");
    Ok(match wall {
        Ok(KernelSandbox::Full) if runs_as_root() => Finding::of(
            "files",
            Health::Note,
            format!("{workspaces}; {}", sandbox::AS_ROOT),
            "Run it as a user of its own, or where nothing else matters",
        ),
        Ok(KernelSandbox::Full) => Finding::good(
            "files",
            format!(
                "{workspaces}; servers can write nowhere else and start no program: the kernel holds it"
            ),
        ),
        Ok(KernelSandbox::Partial) => Finding::of(
            "files",
            Health::Note,
            format!("{workspaces}; the kernel is too old for a part of its wall around servers"),
            "Linux 6.2 or newer has all of it",
        ),
        Ok(KernelSandbox::None) => Finding::of(
            "files",
            Health::Note,
            format!(
                "{workspaces}; this system has no wall around servers, so Piton alone keeps agents inside"
            ),
            "Linux with Landlock has one",
        ),
        Err(why) => {
            Finding::of("files", Health::Bad, format!("{workspaces}; {why}"), "piton workspace map")
        }
    })
}
