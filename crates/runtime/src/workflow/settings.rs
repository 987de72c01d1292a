//! Shows and changes settings.

use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::runtime::Runtime;
use crate::config::{ChangedFile, SettingKey, SettingShown, SettingSource, SettingsShown};

/// Changes a setting in the user's file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetSetting {
    pub key: SettingKey,
    /// The value as a variable of the environment would have it, with paths separated by colons. Left out, the setting is
    /// removed from the file.
    pub value: Option<String>,
    /// Set once a person has read what the change of `data.dir` leads to. Other settings need no confirmation.
    #[serde(default)]
    pub is_confirmed: bool,
}

/// A setting that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingChanged {
    /// The file that was written.
    pub file: PathBuf,
    /// The setting as it is now.
    pub setting: SettingShown,
    /// Reason that the value in the file does not count, if another source is stronger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden: Option<String>,
    /// What a person should know about the new value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Runtime {
    /// Shows every setting of a project, or of the project that the process was started in.
    pub fn settings_shown(&self, project: Option<&Path>) -> SettingsShown {
        let here = self.configuration.environment().working_dir.as_deref();
        let is_elsewhere = |project: &&Path| here.is_none_or(|here| !here.starts_with(project));
        // What is in force in another project follows from its file as it is now: each call there reads it.
        let applied = match project.filter(is_elsewhere) {
            Some(project) => self.settings_for(Some(project)).ok(),
            None => None,
        };
        let applied = applied.as_ref().unwrap_or_else(|| self.applied());
        let shown = self.configuration.shown(project.or(here), applied);
        SettingsShown { data_dir: self.data_dir.clone(), ..shown }
    }

    /// Changes a setting in the user's file.
    pub fn set_setting(&self, request: &SetSetting) -> Result<SettingChanged, Envelope> {
        let SetSetting { key, value, is_confirmed } = request;
        if *key == SettingKey::DataDir && !is_confirmed {
            return Err(self.confirm_data_dir());
        }
        let written = self.configuration.change(*key, value.as_deref());
        let ChangedFile { file, warnings } = written.map_err(|error| error.envelope())?;
        let shown = self.settings_shown(None);
        let setting = shown.settings.into_iter().find(|setting| setting.key == *key);
        let setting = setting.ok_or_else(|| {
            Envelope::new(Code::InternalError, format!("The setting `{key}` is not listed."))
        })?;
        let overridden = match (value, setting.place) {
            (Some(_), SettingSource::Environment | SettingSource::Project) => {
                let at = setting.at.as_deref().unwrap_or(setting.place.as_str());
                Some(format!("{at} sets it too, and is stronger than {}", file.display()))
            }
            _ => None,
        };
        Ok(SettingChanged { file, setting, overridden, warnings })
    }

    /// Returns the refusal of a change that hides every run from a person who did not expect it.
    fn confirm_data_dir(&self) -> Envelope {
        let now = self.data_dir.as_ref().map(|path| format!("in {}", path.display()));
        let message = format!(
            "Your runs stay {}. With another data directory, Piton shows what is in that one: nothing, if it is new.",
            now.as_deref().unwrap_or("where they are")
        );
        Envelope::new(Code::ValidationError, message).with_suggestion(
            "To change it all the same, confirm the change. To keep your runs, move the directory.",
        )
    }
}
