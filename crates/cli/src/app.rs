//! What every command works with: the environment, the choices of the person, and where to speak to.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use piton_core::{TimestampMs, port::Clock as _};
use piton_runtime::{
    config::{Configuration, Environment, Settings},
    project_env::{ProjectDir, project_dir},
};
use piton_store::local::SystemClock;

use crate::{data_dir, failure::Failure, log::CallLogger, open::Open, output::Output};

/// What every command works with.
pub(crate) struct App {
    pub(crate) environment: Environment,
    pub(crate) output: Output,
    /// What is called, as `session list`, for the logs.
    pub(crate) command: String,
    /// The data directory that was chosen on the command line.
    pub(crate) chosen_dir: Option<PathBuf>,
    /// The logs, once a data directory was opened.
    pub(crate) log: OnceLock<CallLogger>,
}

impl App {
    /// What the user and the environment configure.
    pub(crate) fn configuration(&self) -> Result<Configuration, Failure> {
        Configuration::load(self.environment.clone()).map_err(Failure::Configuration)
    }

    /// Where data is kept.
    pub(crate) fn data_dir(&self, settings: &Settings) -> Result<PathBuf, Failure> {
        data_dir::data_dir(self.chosen_dir.as_deref(), settings, &self.environment)
    }

    /// The project that a process works on which is started here.
    pub(crate) fn project(&self, settings: &Settings) -> Result<Option<ProjectDir>, Failure> {
        let claude = self.environment.variable("CLAUDE_PROJECT_DIR").map(Path::new);
        let here = [settings.project_dir(), claude, self.environment.working_dir.as_deref()];
        Ok(project_dir(None, here.into_iter().flatten())?)
    }

    /// Opens the data directory, making it if need be.
    pub(crate) fn open(&self) -> Result<Open, Failure> {
        Open::new(self)
    }

    /// A path as a person writes it.
    pub(crate) fn display_path(&self, path: &Path) -> String {
        data_dir::display_path(path, &self.environment)
    }

    /// A path as one word of a command that a person types.
    pub(crate) fn shell_word(&self, path: &Path) -> String {
        data_dir::shell_path(path, &self.environment)
    }

    /// The time.
    pub(crate) fn now() -> TimestampMs {
        SystemClock.now_ms()
    }
}
