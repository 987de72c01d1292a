//! Every setting as a person sees it: what files and environment ask for, what is in force, and what a change takes.
//!
//! *Invariants*: nothing secret is shown, since no setting holds a secret. A configuration with problems is shown too:
//! the problems, and what is in force.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::file::ConfigProblem;
use super::section::SectionKey;
use super::settings::{EffectiveSetting, SettingSource, Settings};
use super::table::{Effect, SettingKey};
use super::value::Value;

/// The settings, and the files that they come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingsShown {
    /// The data directory in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    /// The user's file, which need not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_file: Option<PathBuf>,
    /// The file of the project, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_file: Option<PathBuf>,
    /// All settings, in the order of their sections.
    pub settings: Vec<SettingShown>,
    /// Lists and tables of the files, such as `[[workspaces]]`. `piton config check` examines them.
    pub sections: Vec<SectionShown>,
    /// Set if a changed setting takes effect only after a restart.
    pub restart_needed: bool,
    /// Everything that is wrong with the files. Then the values are those in force.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ConfigProblem>,
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingShown {
    pub key: SettingKey,
    /// The value that files and environment ask for; none if nothing sets it and it has no default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The value in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Value>,
    /// Set if the value is in force.
    pub is_applied: bool,
    pub place: SettingSource,
    /// The file with line and column, or the variable; nothing for a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// What holds while nobody sets it, if it has no default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_unset: Option<&'static str>,
    /// The accepted values, in words.
    pub accepts: String,
    /// The accepted values, if they are names.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub names: &'static [&'static str],
    /// The variable of the environment that sets it, which is stronger than any file.
    pub variable: &'static str,
    /// Set if the file of a project may set it.
    pub in_project: bool,
    /// What a change takes.
    pub effect: Effect,
    pub meaning: &'static str,
}

/// A section of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionShown {
    pub section: SectionKey,
    pub place: SettingSource,
    /// The file with the line.
    pub at: String,
    pub meaning: &'static str,
}

impl SettingsShown {
    /// Shows the desired settings beside those in force. Settings that need no restart are in force at once.
    pub(super) fn of(desired: &Settings, applied: &Settings) -> Self {
        let applied = applied.with_live(desired);
        let settings: Vec<SettingShown> =
            SettingKey::ALL.iter().map(|key| SettingShown::of(*key, desired, &applied)).collect();
        Self {
            data_dir: None,
            user_file: None,
            project_file: None,
            restart_needed: settings.iter().any(|setting| !setting.is_applied),
            settings,
            sections: Vec::new(),
            problems: Vec::new(),
        }
    }
}

impl SettingShown {
    fn of(key: SettingKey, desired: &Settings, applied: &Settings) -> Self {
        let row = key.row();
        let value = |settings: &Settings| settings.get(key).map(|held| held.value.clone());
        let held = desired.get(key);
        Self {
            key,
            is_applied: value(desired) == value(applied),
            value: value(desired),
            applied: value(applied),
            place: held.map_or(SettingSource::Default, |held| held.place),
            at: held.and_then(|held: &EffectiveSetting| held.at.clone()),
            accepts: row.form.describe(),
            names: row.form.names(),
            default: row.default,
            if_unset: key.if_unset(),
            variable: row.variable,
            in_project: key.may_stand_in(SettingSource::Project),
            effect: key.effect(),
            meaning: key.meaning(),
        }
    }
}
