//! The context that every command works with: the environment, the user's choices, and the output.
#![expect(clippy::disallowed_methods, reason = "the composition root reads the environment")]

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use piton_core::TimestampMs;
use piton_core::port::Clock as _;
use piton_runtime::config::{Configuration, Environment, Settings};
use piton_runtime::project_env::{ProjectDir, project_dir};
use piton_runtime::redaction::MachinePaths;

use crate::adapters::SystemClock;
use crate::data_dir;
use crate::exit::CommandEnding;
use crate::failure::Failure;
use crate::log::CallLogger;
use crate::open::Open;
use crate::output::Output;

/// What a command returns.
pub(crate) type Outcome = Result<CommandEnding, Failure>;

/// The context that every command works with.
pub(crate) struct App {
    pub(crate) environment: Environment,
    pub(crate) output: Output,
    /// The command as typed, such as `session list`; the logs name it.
    pub(crate) command: String,
    /// The data directory that `--data-dir` names.
    pub(crate) chosen_dir: Option<PathBuf>,
    /// The logger; set once a data directory is open.
    pub(crate) log: OnceLock<CallLogger>,
}

impl App {
    /// Loads the configuration of the user and of the environment.
    pub(crate) fn configuration(&self) -> Result<Configuration, Failure> {
        Configuration::load(self.environment.clone()).map_err(Failure::Configuration)
    }

    /// Returns the data directory that these settings and the command line choose.
    pub(crate) fn data_dir(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        let chosen = self.chosen_dir.as_deref();
        data_dir::data_dir(chosen, settings, &self.environment).ok_or_else(|| {
            Failure::refused(
                "There is no home directory to keep data in.",
                "Choose a data directory with --data-dir or PITON_DATA_DIR.",
            )
        })
    }

    /// Returns the project that a process started here works on, if there is one.
    pub(crate) fn project(&self, settings: &Settings) -> Result<Option<ProjectDir>, Failure> {
        let claude = self.environment.variable("CLAUDE_PROJECT_DIR").map(Path::new);
        // The first of these that is an existing directory wins: a setting beats the client's variable.
        let here = [settings.project_dir(), claude, self.environment.working_dir.as_deref()];
        Ok(project_dir(None, here.into_iter().flatten())?)
    }

    /// Opens the data directory and creates it if necessary.
    pub(crate) fn open(&self) -> Result<Open, Failure> {
        Open::new(self, None)
    }

    /// Returns the directories of this machine that nothing which leaves it may name. `root` is the data directory.
    pub(crate) fn machine_paths(&self, root: &Path) -> MachinePaths {
        let (home, user_dir) = (self.environment.home(), self.environment.user_dir());
        let working_dir = self.environment.working_dir.as_deref();
        // A path may have been recorded as it is typed, or with its links resolved.
        let resolved = |path: Option<&Path>| path.and_then(|path| path.canonicalize().ok());
        MachinePaths::default()
            .home(home)
            .home(resolved(home).as_deref())
            .directory(user_dir.as_deref())
            .directory(working_dir)
            .directory(Some(root))
            .directory(resolved(Some(root)).as_deref())
    }

    /// Formats a path as a person writes it.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        data_dir::display_path(path, &self.environment)
    }

    /// Formats a path as a single word of a shell command.
    pub(crate) fn shell_word(&self, path: &Path) -> String {
        data_dir::shell_path(path, &self.environment)
    }

    /// Returns the current time.
    pub(crate) fn now() -> TimestampMs {
        SystemClock.now_ms()
    }
}

/// Returns the environment of this process. Variables that are not valid Unicode are left out.
pub(crate) fn process_environment() -> Environment {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let variables = env::vars_os().filter_map(text).collect();
    Environment { variables, working_dir: env::current_dir().ok() }
}
