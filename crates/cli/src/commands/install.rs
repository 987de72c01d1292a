//! `piton install`: copies this program to where a shell finds it.
#![expect(clippy::disallowed_methods, reason = "copies the program")]

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::app::{App, Outcome};
use crate::failure::Failure;
use crate::messages;

#[derive(Args)]
pub(crate) struct Install {
    /// The directory to install into [default: ~/.local/bin]
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
    pub(crate) fn run(self, app: &App) -> Outcome {
        let home = app.environment.home().map(|home| home.join(".local/bin"));
        let directory = self.to.or(home).ok_or_else(|| {
            Failure::refused(
                "There is no home directory to install into.",
                "Choose a directory with --to.",
            )
        })?;
        let program = directory.join("piton");
        copy(&program)?;
        let path = app.environment.variable("PATH").unwrap_or_default();
        let is_on_path = env::split_paths(path).any(|one| one == directory);
        writeln!(app.output, "Installed {}.", app.display_path(&program));
        if is_on_path {
            app.output.advise(messages::CONNECT);
        } else {
            writeln!(
                app.output,
                "Your shell does not find it yet: add {} to PATH.",
                app.display_path(&directory)
            );
        }
        app.output.finish("piton.install/1", &Installed { program, is_on_path })
    }
}

/// Copies this program to `target` atomically: a program that is running from there keeps its old file.
fn copy(target: &Path) -> Result<(), Failure> {
    let failed = || Failure::io(format!("install {}", target.display()));
    let from = env::current_exe().map_err(failed())?;
    // Installing the installed program onto itself is a success with nothing to do.
    let is_same = |path: &Path| fs::canonicalize(path).ok();
    if is_same(&from) == is_same(target) && is_same(target).is_some() {
        return Ok(());
    }
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(failed())?;
    // Writing in place would fail while the program runs (the file is busy), and a crash would leave half a program.
    let temporary = tempfile::NamedTempFile::new_in(directory).map_err(failed())?;
    fs::copy(&from, temporary.path()).map_err(failed())?;
    fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o755)).map_err(failed())?;
    temporary.persist(target).map_err(|error| failed()(error.error))?;
    Ok(())
}
