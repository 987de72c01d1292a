//! Shows and changes settings.

use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::runtime::Runtime;
use crate::config::{SettingKey, SettingShown, SettingSource, SettingsShown};

/// Changes a setting in the user's file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetSetting {
    pub key: SettingKey,
    /// The value as a variable of the environment would have it, with paths separated by colons. Left out, the setting is
    /// removed from the file.
    pub value: Option<String>,
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
        self.configuration.shown(project.or(here), applied)
    }

    /// Changes a setting in the user's file.
    pub fn set_setting(&self, request: &SetSetting) -> Result<SettingChanged, Envelope> {
        let SetSetting { key, value } = request;
        let written = self.configuration.change(*key, value.as_deref());
        let file = written.map_err(|error| error.envelope())?;
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
        Ok(SettingChanged { file, setting, overridden })
    }
}
