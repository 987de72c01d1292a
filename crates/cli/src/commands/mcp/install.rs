//! Writes and removes Piton's entry in the configuration of a client, and the permission to call its tools.
//!
//! *Invariants*: a changed file is backed up first. A file that would stay the same is not touched. A file for everybody
//! names nothing of this machine.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use piton_core::visible;
use piton_runtime::text_diff::unified;
use serde::Serialize;

use super::client::{ClientDirectories, ClientScope, McpClient};
use super::entry::{NewEntry, with_entry, without_entry};
use super::permission::{Permission, with_item, without_item};
use crate::app::{App, Outcome};
use crate::bounds::CLIENT_FILE_BYTES_MAX;
use crate::failure::Failure;
use crate::files;
use crate::messages::CHOOSE_DATA_DIR;
use crate::style::{Tone, styled};

/// Name of the program in a shell.
const PROGRAM: &str = "piton";

/// The configuration to change.
#[derive(Args)]
pub(super) struct Target {
    /// The client
    #[arg(long)]
    client: McpClient,
    /// The configuration to change
    #[arg(long, default_value = "user")]
    scope: ClientScope,
    /// Show what would change without writing it
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
pub(super) struct Install {
    #[command(flatten)]
    target: Target,
    /// Let the client call Piton's tools without asking, by a permission in its own configuration
    #[arg(long)]
    allow: bool,
    /// Accept a program in a cargo build directory, although the next build replaces it
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallOutcome {
    client: McpClient,
    scope: ClientScope,
    is_rehearsal: bool,
    #[serde(flatten)]
    configuration: FileOutcome,
    /// The file with the permission, if it is another one and concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<FileOutcome>,
}

/// What happened to a file, or would happen.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileOutcome {
    file: PathBuf,
    /// Set if the file differs, or would differ, from before.
    is_changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    /// The file as it would be; set in a dry run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The difference in the unified format; set in a dry run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// A file, its text if it exists, and the text that it should have.
struct FileChange {
    file: PathBuf,
    before: Option<String>,
    after: String,
}

impl Install {
    pub(super) fn run(self, app: &App) -> Outcome {
        let Target { client, scope, .. } = self.target;
        let name = client.name();
        let directories = ClientDirectories::new(app, scope)?;
        let permission = Permission::new(client, scope, &directories.base);
        if let (true, Permission::ByHand(instead)) = (self.allow, &permission) {
            let what = format!(
                "No file can allow the tools in {name} with --scope {}. Nothing was changed.",
                scope.word()
            );
            return Err(Failure::refused(what, format!("Leave out --allow; {instead}.")));
        }
        let program = program(client, scope, self.force)?;
        let data_dir = data_dir(app, scope)?;
        let setting = match &permission {
            Permission::Setting(name, value) if self.allow => Some((*name, *value)),
            _ => None,
        };
        let entry = NewEntry { program: &program, data_dir: data_dir.as_deref(), setting };
        let configuration = FileChange::read(directories.file(client, scope), |file, text| {
            with_entry(client, file, text, entry)
        })?;
        let permitted = match &permission {
            Permission::Item { file, list, item } if self.allow => {
                Some(FileChange::read(file.clone(), |file, text| {
                    with_item(file, text, *list, item)
                })?)
            }
            _ => None,
        };
        let is_allowed =
            self.allow || permission.is_given(&configuration.file, &configuration.after)?;
        let outcome = self.target.apply(configuration, permitted)?;
        outcome.report(app, &program);
        outcome.report_permission(app, &permission, is_allowed);
        if outcome.is_rehearsal {
            app.output.print("Nothing was written.");
        } else {
            writeln!(
                app.output,
                "Restart {name}, then ask it: \"Use piton to investigate why the login test is flaky.\" \
                 Check it: piton mcp status"
            );
        }
        app.output.finish("piton.mcp.install/1", &outcome)
    }
}

impl InstallOutcome {
    /// Reports the entry.
    fn report(&self, app: &App, program: &str) {
        let (name, shown) = (self.client.name(), app.display_path(&self.configuration.file));
        self.configuration.print(
            app,
            &format!("{name} now starts {program}: {shown}."),
            &format!("{name} is already configured: {shown}."),
        );
        if self.scope == ClientScope::Project {
            app.output.print(
                "The file names no path of this machine: everybody who works here starts `piton` from their PATH.",
            );
            if !is_on_path(app) {
                app.output.print("Your PATH has no `piton` yet: piton install");
            }
            if let Some(condition) = self.client.project_condition() {
                app.output.print(condition);
            }
        }
    }

    /// Reports the permission, or how to give it.
    fn report_permission(&self, app: &App, permission: &Permission, is_allowed: bool) {
        let name = self.client.name();
        if let Some(changed) = &self.permission {
            let shown = app.display_path(&changed.file);
            changed.print(
                app,
                &format!("{name} may call Piton's tools without asking: {shown}."),
                &format!("{name} may already call Piton's tools without asking: {shown}."),
            );
            if self.client == McpClient::Cursor {
                app.output.print(
                    "While that list exists, Cursor uses it instead of the one in its settings.",
                );
            }
        }
        match permission {
            Permission::ByHand(instead) => {
                writeln!(app.output, "To let {name} call Piton's tools without asking: {instead}.");
            }
            _ if !is_allowed => app.output.advise(format_args!(
                "To let {name} call Piton's tools without asking: {} --allow",
                self.client.install_command(self.scope)
            )),
            Permission::Setting(..) if !self.is_rehearsal => {
                writeln!(app.output, "{name} may call Piton's tools without asking.");
            }
            _ => {}
        }
    }
}

pub(super) fn uninstall(app: &App, target: &Target) -> Outcome {
    let Target { client, scope, .. } = *target;
    let directories = ClientDirectories::new(app, scope)?;
    let configuration = FileChange::read(directories.file(client, scope), |file, text| {
        Ok(without_entry(client, file, text)?.unwrap_or_else(|| text.to_owned()))
    })?;
    let permitted = match Permission::new(client, scope, &directories.base) {
        Permission::Item { file, list, item } => {
            let change = FileChange::read(file, |file, text| {
                Ok(without_item(file, text, list, item)?.unwrap_or_else(|| text.to_owned()))
            })?;
            Some(change).filter(FileChange::is_change)
        }
        _ => None,
    };
    let outcome = target.apply(configuration, permitted)?;
    let (name, shown) = (client.name(), app.display_path(&outcome.configuration.file));
    outcome.configuration.print(
        app,
        &format!("{name} no longer starts Piton: {shown}."),
        &format!("{name} is not configured to start Piton: {shown}."),
    );
    if let Some(permission) = &outcome.permission {
        let shown = app.display_path(&permission.file);
        let done = format!("{name} no longer has the permission for Piton's tools: {shown}.");
        permission.print(app, &done, &done);
    }
    app.output.finish("piton.mcp.uninstall/1", &outcome)
}

impl Target {
    fn apply(
        &self,
        configuration: FileChange,
        permission: Option<FileChange>,
    ) -> Result<InstallOutcome, Failure> {
        Ok(InstallOutcome {
            client: self.client,
            scope: self.scope,
            is_rehearsal: self.dry_run,
            configuration: configuration.apply(self.dry_run)?,
            permission: permission.map(|change| change.apply(self.dry_run)).transpose()?,
        })
    }
}

impl FileChange {
    /// Reads a file and makes the text that it should have. One that is not there counts as empty.
    fn read(
        file: PathBuf,
        change: impl FnOnce(&Path, &str) -> Result<String, Failure>,
    ) -> Result<Self, Failure> {
        let before = files::read_if_there(&file, CLIENT_FILE_BYTES_MAX)?;
        let after = change(&file, before.as_deref().unwrap_or_default())?;
        Ok(Self { file, before, after })
    }

    fn is_change(&self) -> bool {
        self.before.as_deref().unwrap_or_default() != self.after
    }

    /// Writes the file if it changes, unless this is a rehearsal.
    fn apply(self, is_rehearsal: bool) -> Result<FileOutcome, Failure> {
        let is_changed = self.is_change();
        let Self { file, before, after } = self;
        let (mut backup, mut text, mut diff) = (None, None, None);
        if is_rehearsal {
            diff = Some(unified(&file.display().to_string(), before.as_deref(), &after));
            text = Some(after);
        } else if is_changed {
            // The file belongs to another program: the user must be able to get it back whatever is wrong with the
            // edit.
            if before.is_some() {
                backup = Some(files::back_up(&file)?);
            }
            files::write(&file, after.as_bytes(), true)?;
        }
        Ok(FileOutcome { file, is_changed, backup, text, diff })
    }
}

impl FileOutcome {
    fn print(&self, app: &App, done: &str, already: &str) {
        match (&self.diff, self.is_changed) {
            (Some(diff), true) => print_diff(app, diff),
            (_, false) => app.output.print(already),
            (None, true) => app.output.print(done),
        }
        if let Some(backup) = &self.backup {
            writeln!(app.output, "Backup: {}", app.display_path(backup));
        }
    }
}

fn print_diff(app: &App, diff: &str) {
    for line in diff.lines() {
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Faint,
            _ => {
                app.output.print(visible(line));
                continue;
            }
        };
        writeln!(app.output, "{}", styled(tone, line));
    }
}

/// True if a shell finds `piton`.
fn is_on_path(app: &App) -> bool {
    let path = app.environment.variable("PATH").unwrap_or_default();
    env::split_paths(path).any(|directory| files::exists(&directory.join(PROGRAM)))
}

/// Returns the program as clients start it: the path of this one, or in a file for everybody its name.
fn program(client: McpClient, scope: ClientScope, force: bool) -> Result<String, Failure> {
    if scope == ClientScope::Project {
        return Ok(PROGRAM.to_owned());
    }
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
fn data_dir(app: &App, scope: ClientScope) -> Result<Option<String>, Failure> {
    let Some(chosen) = &app.chosen_dir else { return Ok(None) };
    if scope == ClientScope::Project {
        return Err(Failure::refused(
            "A data directory of this machine does not belong in a file for everybody. Nothing was changed.",
            "Leave out --data-dir, or use --scope user.",
        ));
    }
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
