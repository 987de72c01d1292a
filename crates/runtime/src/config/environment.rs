//! Settings from the environment of the process.
//!
//! *Invariants*: pure. The composition root reads the environment once and passes it in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use piton_core::nearest;

use super::file::ConfigProblem;
use super::settings::{EffectiveSetting, SettingSource, Settings};
use super::table::{SettingKey, SettingRow};
use super::value::Base;

/// Prefix of all variables of Piton.
const PREFIX: &str = "PITON_";

/// Variables of Piton's own tests and benchmarks, which are not settings.
const OTHERS: [&str; 2] = ["PITON_BENCH_DIR", "PITON_LONG"];

/// The relevant part of a process's environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Variables. Those that are not UTF-8 may be left out if they do not begin with `PITON_`.
    pub variables: BTreeMap<String, String>,
    /// The directory that the process was started in.
    pub working_dir: Option<PathBuf>,
}

impl Environment {
    /// Returns a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the home directory.
    pub fn home(&self) -> Option<&Path> {
        self.variable("HOME").map(Path::new)
    }

    /// Returns Piton's directory in the user's configuration. As the XDG specification requires, relative paths are
    /// ignored.
    pub fn user_dir(&self) -> Option<PathBuf> {
        let xdg = self.variable("XDG_CONFIG_HOME").map(Path::new);
        let xdg = xdg.filter(|path| path.is_absolute()).map(Path::to_path_buf);
        xdg.or_else(|| Some(self.home()?.join(".config"))).map(|config| config.join("piton"))
    }

    /// Returns the settings of the variables, and their problems.
    ///
    /// An unknown variable is a problem only if its name is close to a known one: others may use the prefix as well.
    pub(super) fn settings(&self) -> (Settings, Vec<ConfigProblem>) {
        let (mut settings, mut problems) = (Settings::default(), Vec::new());
        let directory = self.working_dir.as_deref().unwrap_or(Path::new("/"));
        let base = Base { directory, home: self.home() };
        // An empty variable counts as unset.
        for key in SettingKey::ALL {
            let SettingRow { variable, form, .. } = key.row();
            let Some(text) = self.variable(variable) else { continue };
            match form.of_text(text, base) {
                Ok(value) => {
                    let (place, at) = (SettingSource::Environment, Some(variable.to_owned()));
                    settings.0.insert(*key, EffectiveSetting { value, place, at });
                }
                Err(reason) => {
                    let fix = format!("set it to {}", form.describe());
                    problems.push(ConfigProblem::of(variable, reason, fix));
                }
            }
        }
        let known = || SettingKey::ALL.iter().map(|key| key.row().variable);
        let strange = self.variables.keys().filter(|name| name.starts_with(PREFIX));
        let strange = strange.filter(|name| !OTHERS.contains(&name.as_str()));
        for name in strange.filter(|name| !known().any(|known| known == *name)) {
            // Every name shares the prefix, so it is left out of the comparison.
            let ends = known().map(|known| &known[PREFIX.len()..]);
            let similar = nearest(&name[PREFIX.len()..], ends);
            if let Some(close) = similar.first() {
                let reason = "there is no such variable";
                let fix = format!("set {PREFIX}{close}, or unset it");
                problems.push(ConfigProblem::of(name.as_str(), reason, fix));
            }
        }
        (settings, problems)
    }
}
