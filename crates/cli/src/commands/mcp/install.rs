//! Writes and removes Piton's entry in the configuration of a client.
//!
//! *Invariants*: a changed file is backed up first. A file that would stay the same is not touched.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::client::{ClientScope, McpClient};
use super::entry::{with_entry, without_entry};
use crate::app::{App, Outcome};
use crate::bounds::CLIENT_FILE_BYTES_MAX;
use crate::failure::Failure;
use crate::files;
use crate::messages::CHOOSE_DATA_DIR;

/// The configuration to change.
#[derive(Args)]
pub(super) struct Target {
    /// The client
    #[arg(long)]
    client: McpClient,
    /// The configuration to change
    #[arg(long, default_value = "user")]
    scope: ClientScope,
    /// Print the changed file without writing it
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
pub(super) struct Install {
    #[command(flatten)]
    target: Target,
    /// Accept a program in a cargo build directory, although the next build replaces it
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallOutcome {
    client: McpClient,
    scope: ClientScope,
    file: PathBuf,
    /// Set if the file differs, or would differ, from before.
    is_changed: bool,
    is_rehearsal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    /// The file as it would be; set in a dry run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Install {
    pub(super) fn run(self, app: &App) -> Outcome {
        let program = program(self.target.client, self.force)?;
        let file = self.target.file(app)?;
        let before = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX)?;
        let client = self.target.client;
        let data_dir = data_dir(app)?;
        let text = before.as_deref().unwrap_or_default();
        let after = with_entry(client, &file, text, &program, data_dir.as_deref())?;
        let changed = self.target.apply(file, before.as_deref(), after)?;
        let (name, shown) = (client.name(), app.display_path(&changed.file));
        changed.print(
            app,
            &format!("{name} now starts {program}: {shown}."),
            &format!("{name} is already configured: {shown}."),
        );
        if !changed.is_rehearsal {
            writeln!(
                app.output,
                "Restart {name}, then ask it: \"Use piton to investigate why the login test is flaky.\""
            );
        }
        app.output.finish("piton.mcp.install/1", &changed)
    }
}

pub(super) fn uninstall(app: &App, target: &Target) -> Outcome {
    let file = target.file(app)?;
    let before = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX)?;
    let client = target.client;
    let text = before.clone().unwrap_or_default();
    let after = if before.is_some() { without_entry(client, &file, &text)? } else { None };
    let changed = target.apply(file, before.as_deref(), after.unwrap_or(text))?;
    let (name, shown) = (client.name(), app.display_path(&changed.file));
    changed.print(
        app,
        &format!("{name} no longer starts Piton: {shown}."),
        &format!("{name} is not configured to start Piton: {shown}."),
    );
    app.output.finish("piton.mcp.uninstall/1", &changed)
}

impl Target {
    fn file(&self, app: &App) -> Result<PathBuf, Failure> {
        let base = match self.scope {
            ClientScope::User => app.environment.home(),
            ClientScope::Project => app.environment.working_dir.as_deref(),
        };
        let base = base.ok_or_else(|| {
            let what = "There is no home directory with the configuration of the client.";
            Failure::refused(what, "Set HOME, or use --scope project.")
        })?;
        let user_dir = app.environment.user_dir();
        let config = user_dir.as_deref().and_then(Path::parent).unwrap_or(base);
        Ok(self.client.file(self.scope, base, config))
    }

    fn apply(
        &self,
        file: PathBuf,
        before: Option<&str>,
        after: String,
    ) -> Result<InstallOutcome, Failure> {
        let is_changed = before.unwrap_or_default() != after;
        let mut changed = InstallOutcome {
            client: self.client,
            scope: self.scope,
            file,
            is_changed,
            is_rehearsal: self.dry_run,
            backup: None,
            text: None,
        };
        if self.dry_run {
            changed.text = Some(after);
        } else if is_changed {
            // The file belongs to another program: the user must be able to get it back whatever is wrong with the
            // edit.
            if before.is_some() {
                changed.backup = Some(files::back_up(&changed.file)?);
            }
            files::write(&changed.file, after.as_bytes(), true)?;
        }
        Ok(changed)
    }
}

impl InstallOutcome {
    fn print(&self, app: &App, done: &str, already: &str) {
        match (&self.text, self.is_changed) {
            (Some(text), _) => {
                writeln!(
                    app.output,
                    "{} would be:\n\n{}",
                    app.display_path(&self.file),
                    text.trim_end()
                );
            }
            (None, true) => app.output.print(done),
            (None, false) => app.output.print(already),
        }
        if let Some(backup) = &self.backup {
            writeln!(app.output, "Backup: {}", app.display_path(backup));
        }
    }
}

/// Returns the path of this program, as clients start it.
fn program(client: McpClient, force: bool) -> Result<String, Failure> {
    let program = env::current_exe().map_err(Failure::io("find this program"))?;
    let text = program.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::refused(
            "The path of this program is not text.",
            "Install it elsewhere with `piton install --to DIRECTORY`.",
        )
    })?;
    if !force && is_in_build_directory(&program) {
        return Err(Failure::refused(
            format!("{text} is in a cargo build directory, and the next build replaces it."),
            format!(
                "Run `piton install`, then ~/.local/bin/piton mcp install --client {}; or add --force.",
                client.word()
            ),
        ));
    }
    Ok(text)
}

/// Returns the data directory of the command line as an absolute path, since a client starts Piton elsewhere.
fn data_dir(app: &App) -> Result<Option<String>, Failure> {
    let Some(chosen) = &app.chosen_dir else { return Ok(None) };
    let base = app.environment.working_dir.as_deref().unwrap_or(Path::new("/"));
    let absolute: PathBuf = base.join(chosen).components().collect();
    absolute.into_os_string().into_string().map(Some).map_err(|_| {
        Failure::refused("The path of the data directory is not text.", CHOOSE_DATA_DIR)
    })
}

/// True if a program lies in a build directory of cargo, which cargo marks with `CACHEDIR.TAG`.
fn is_in_build_directory(program: &Path) -> bool {
    // Other tools write `CACHEDIR.TAG` as well; only cargo puts `.rustc_info.json` beside it.
    program.ancestors().skip(1).any(|above| {
        files::exists(&above.join("CACHEDIR.TAG")) && files::exists(&above.join(".rustc_info.json"))
    })
}
