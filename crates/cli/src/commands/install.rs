//! `piton install`: copies this program to where a shell finds it.
#![expect(clippy::disallowed_methods, reason = "copies the program")]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;

use crate::{app::App, exit::CommandEnding, failure::Failure, messages};

#[derive(Args)]
pub(crate) struct Install {
    /// The directory to copy it to [default: ~/.local/bin]
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Installed {
    program: PathBuf,
    is_on_path: bool,
}

impl Install {
    pub(super) fn run(self, app: &App) -> Result<CommandEnding, Failure> {
        let home = app.environment.home().map(|home| home.join(".local/bin"));
        let directory = self.to.or(home).ok_or_else(|| {
            Failure::refused("There is no home directory to install into.", "Say where with --to.")
        })?;
        let program = directory.join("piton");
        copy(&program)?;
        let path = app.environment.variable("PATH").unwrap_or_default();
        let is_on_path = env::split_paths(path).any(|one| one == directory);
        app.output.print(format_args!("Installed {}.", app.display_path(&program)));
        if is_on_path {
            app.output.advise(messages::CONNECT);
        } else {
            app.output.print(format_args!(
                "Your shell does not look there yet: add {} to PATH.",
                app.display_path(&directory)
            ));
        }
        app.output.reply("piton.install/1", &Installed { program, is_on_path })?;
        Ok(CommandEnding::Done)
    }
}

/// Copies this program to `target` atomically: a program that is running from there keeps its old file.
fn copy(target: &Path) -> Result<(), Failure> {
    let told = || Failure::io(format!("install {}", target.display()));
    let from = env::current_exe().map_err(told())?;
    // Installing the installed program onto itself is a success with nothing to do.
    let is_same = |path: &Path| fs::canonicalize(path).ok();
    if is_same(&from) == is_same(target) && is_same(target).is_some() {
        return Ok(());
    }
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(told())?;
    // Writing in place would fail while the program runs (the file is busy), and a crash would leave half a program.
    let temporary = tempfile::NamedTempFile::new_in(directory).map_err(told())?;
    fs::copy(&from, temporary.path()).map_err(told())?;
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o755)).map_err(told())?;
    temporary.persist(target).map_err(|error| told()(error.error))?;
    Ok(())
}
