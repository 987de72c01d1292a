//! The configuration of a process: finds, reads and writes its files.
#![expect(clippy::disallowed_methods, reason = "the adapter that reads configuration files")]

use std::fs::{self, File as OsFile};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_core::error::sentence;
use piton_core::{Code, Envelope};

use super::change_check;
use super::edit::{self, EditError};
use super::environment::Environment;
use super::file::{ConfigFile, ConfigProblem};
use super::section::{self, FoundSection, Section};
use super::settings::{SettingSource, Settings};
use super::shown::SettingsShown;
use super::table::SettingKey;
use super::value::Base;
use crate::bounds::{ANCESTORS_MAX, CONFIG_BYTES_MAX};

/// Name of a project's configuration file.
pub const PROJECT_FILE: &str = "piton.toml";

/// Name of a user's configuration file, in the user's configuration directory.
pub const USER_FILE: &str = "config.toml";

/// The settings of the user and the environment, and access to those of projects.
#[derive(Clone, Debug)]
pub struct Configuration {
    environment: Environment,
    user: Settings,
    variables: Settings,
    user_dir: Option<PathBuf>,
}

impl Configuration {
    /// Reads the user's file and the environment.
    pub fn load(environment: Environment) -> Result<Self, Vec<ConfigProblem>> {
        let user_dir = environment.user_dir();
        let (variables, mut problems) = environment.settings();
        let mut user = Settings::default();
        if let Some(dir) = &user_dir {
            let file = dir.join(USER_FILE);
            (user, _) = load(&file, SettingSource::User, environment.home(), &mut problems);
        }
        if problems.is_empty() {
            Ok(Self { environment, user, variables, user_dir })
        } else {
            Err(problems)
        }
    }

    /// Returns the same settings for a process that belongs to no project.
    #[must_use]
    pub fn outside_projects(mut self) -> Self {
        self.environment.working_dir = None;
        self
    }

    /// Reads the user's file again.
    pub fn reload(&self) -> Result<Self, Vec<ConfigProblem>> {
        Self::load(self.environment.clone())
    }

    /// Returns the settings for the project that the process was started in, if it was started in one.
    pub fn settings_here(&self) -> Result<Settings, Vec<ConfigProblem>> {
        match &self.environment.working_dir {
            Some(directory) => self.settings_for(directory),
            None => Ok(self.settings()),
        }
    }

    /// Returns the settings outside of any project.
    pub fn settings(&self) -> Settings {
        self.join(&Settings::default())
    }

    /// Returns the settings for a project. The `piton.toml` in `directory`, or the nearest one above it, counts.
    pub fn settings_for(&self, directory: &Path) -> Result<Settings, Vec<ConfigProblem>> {
        let Some(file) = find_up(directory, PROJECT_FILE) else { return Ok(self.settings()) };
        let mut problems = Vec::new();
        let home = self.environment.home();
        let (project, _) = load(&file, SettingSource::Project, home, &mut problems);
        if problems.is_empty() { Ok(self.join(&project)) } else { Err(problems) }
    }

    /// Returns a section of the user's file and of a project's file, weakest first. The files are read again, so recent
    /// changes count.
    pub fn sections_for<T: Section>(
        &self,
        directory: Option<&Path>,
    ) -> Result<Vec<FoundSection<T>>, Vec<ConfigProblem>> {
        let user = self.user_file().map(|file| (file, SettingSource::User));
        let project = directory.and_then(|directory| find_up(directory, PROJECT_FILE));
        let project = project.map(|file| (file, SettingSource::Project));
        let (mut sections, mut problems) = (Vec::new(), Vec::new());
        for (file, place) in user.into_iter().chain(project) {
            // The section comes from the text that was checked: a file that changes meanwhile is seen whole, or not yet.
            let (_, text) = load(&file, place, self.environment.home(), &mut problems);
            if let Some(value) = section::take(&text) {
                sections.push(FoundSection { value, place, file });
            }
        }
        if problems.is_empty() { Ok(sections) } else { Err(problems) }
    }

    /// Returns the environment that the configuration was read from.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the user's configuration directory.
    pub fn user_dir(&self) -> Option<&Path> {
        self.user_dir.as_deref()
    }

    /// Returns the user's configuration file.
    pub fn user_file(&self) -> Option<PathBuf> {
        self.user_dir.as_ref().map(|dir| dir.join(USER_FILE))
    }

    /// Shows every setting of a project, or outside of any, beside those in force. The files are read again.
    pub fn shown(&self, directory: Option<&Path>, applied: &Settings) -> SettingsShown {
        let project_file = directory.and_then(|directory| find_up(directory, PROJECT_FILE));
        let (mut problems, mut sections) = (Vec::new(), Vec::new());
        let home = self.environment.home();
        let mut sources = Vec::new();
        let user = self.user_file().map(|file| (file, SettingSource::User));
        let project = project_file.clone().map(|file| (file, SettingSource::Project));
        for (file, place) in user.into_iter().chain(project) {
            let (settings, text) = load(&file, place, home, &mut problems);
            sections.extend(section::places(&text, &file, place));
            sources.push(settings);
        }
        sources.push(self.variables.clone());
        let desired = Settings::of(&sources);
        let desired = if problems.is_empty() { &desired } else { applied };
        let user_file = self.user_file();
        SettingsShown {
            user_file,
            project_file,
            sections,
            problems,
            ..SettingsShown::of(desired, applied)
        }
    }

    /// Sets `key` to `value` in the user's file, which is created if necessary, and returns its path.
    ///
    /// The file is replaced atomically: a concurrent reader sees either the old or the new one.
    pub fn set(&self, key: SettingKey, value: &str) -> Result<PathBuf, SetError> {
        self.change(key, Some(value)).map(|changed| changed.file)
    }

    /// Sets `key` in the user's file, or removes it from there. A value that cannot work is refused.
    pub fn change(&self, key: SettingKey, value: Option<&str>) -> Result<ChangedFile, SetError> {
        let file = self.user_file().ok_or(SetError::NoHome)?;
        let io = |error| SetError::Io { file: file.clone(), error: Arc::new(error) };
        let text = read(&file).map_err(io)?.unwrap_or_default();
        // A file with problems is refused here, before anything is written.
        let directory = file.parent().unwrap_or(Path::new("/"));
        let base = Base { directory, home: self.environment.home() };
        let text = edit::change(&text, key, value, base)?;
        // The file may have changed since this process read it.
        let settings = self.reload().map_or_else(|_| self.settings(), |newer| newer.settings());
        let warnings = change_check::check(key, value, &settings, base)?;
        fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).map_err(io)?;
        // A link stays a link, because people keep their configuration elsewhere. The file it points to is replaced.
        let target = fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        // Beside the target, which a link may put on another file system: a rename stays within one.
        let temporary = target.with_extension("toml.new");
        fs::write(&temporary, text).map_err(io)?;
        fs::rename(&temporary, &target).map_err(io)?;
        Ok(ChangedFile { file, warnings })
    }

    fn join(&self, project: &Settings) -> Settings {
        Settings::of([&self.user, project, &self.variables])
    }
}

/// A user's file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub file: PathBuf,
    /// What a person should know about the new value.
    pub warnings: Vec<String>,
}

/// Reasons that a setting could not be written.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    #[error("there is no home directory to keep configuration in")]
    NoHome,
    /// The file cannot be changed as asked.
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("{} cannot be written: {error}", file.display())]
    Io {
        /// The user's configuration file, even if the error is about its temporary copy.
        file: PathBuf,
        error: Arc<io::Error>,
    },
}

impl SetError {
    /// Converts the error for a person to read.
    pub fn envelope(&self) -> Envelope {
        let advice = match self {
            Self::Edit(EditError::Broken(problems)) => return ConfigProblem::envelope(problems),
            Self::NoHome => "Set HOME, or XDG_CONFIG_HOME to a directory of your own.",
            Self::Edit(EditError::NoPlace) => "Write the setting into the file yourself.",
            Self::Edit(EditError::Refused { advice, .. }) => advice,
            Self::Edit(EditError::NotTaken { .. }) => "Write a value of this form.",
            Self::Io { .. } => {
                return Envelope::new(Code::StoreIo, format!("{self}.")).with_suggestion(
                    "Make the file and its directory writable, and repeat the call.",
                );
            }
        };
        Envelope::new(Code::ValidationError, sentence(&self.to_string())).with_suggestion(advice)
    }
}

/// Returns the settings of a file, and its text. A file that does not exist is empty.
fn load(
    path: &Path,
    place: SettingSource,
    home: Option<&Path>,
    problems: &mut Vec<ConfigProblem>,
) -> (Settings, String) {
    let name = path.display().to_string();
    let text = match read(path) {
        Ok(Some(text)) => text,
        Ok(None) => return Default::default(),
        Err(error) => {
            let reason = format!("the file cannot be read: {error}");
            problems.push(ConfigProblem::of(name, reason, "make it readable, or remove it"));
            return Default::default();
        }
    };
    let base = Base { directory: path.parent().unwrap_or(Path::new("/")), home };
    let (settings, found) = ConfigFile { name: &name, place, base, text: &text }.read();
    problems.extend(found);
    (settings, text)
}

/// Returns the text of a file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match OsFile::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut text = String::new();
    // One byte more than allowed is enough to recognise a file that is too large.
    file.take(CONFIG_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > CONFIG_BYTES_MAX {
        let why = format!("it has more than {CONFIG_BYTES_MAX} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(Some(text))
}

/// Returns the file `name` in `directory` or the nearest directory above it.
fn find_up(directory: &Path, name: &str) -> Option<PathBuf> {
    let above = directory.ancestors().take(ANCESTORS_MAX);
    above.map(|directory| directory.join(name)).find(|path| path.is_file())
}
