//! Desired settings against those in force.

use std::collections::BTreeSet;

use piton_core::Digest;
use serde::Serialize;

use super::key::{Effect, SettingKey};
use super::settings::Settings;

/// What is set against what is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The digest of what files and environment ask for now.
    pub desired_config_hash: Digest,
    /// The digest of what this process goes by.
    pub applied_config_hash: Digest,
    /// The settings that differ.
    pub differences: Vec<SettingDifference>,
    /// Whether one of them takes a restart.
    pub restart_needed: bool,
}

/// A setting that is asked for and not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettingDifference {
    /// The setting.
    pub key: SettingKey,
    /// What it takes for it to be in force.
    pub effect: Effect,
}

impl Status {
    /// Compares the desired settings with the applied ones.
    pub fn of(desired: &Settings, applied: &Settings) -> Self {
        let keys: BTreeSet<SettingKey> =
            desired.iter().chain(applied.iter()).map(|(key, _)| key).collect();
        let value = |settings: &Settings, key| settings.get(key).map(|held| held.value.clone());
        let differences: Vec<SettingDifference> = keys
            .into_iter()
            .filter(|key| value(desired, *key) != value(applied, *key))
            .map(|key| SettingDifference { key, effect: key.effect() })
            .collect();
        Self {
            desired_config_hash: desired.digest(),
            applied_config_hash: applied.digest(),
            restart_needed: differences.iter().any(|found| found.effect == Effect::Restart),
            differences,
        }
    }

    /// Returns a message for a person; `None` if no restart is needed.
    pub fn text(&self) -> Option<String> {
        let keys: Vec<&str> = self
            .differences
            .iter()
            .filter(|found| found.effect == Effect::Restart)
            .map(|found| found.key.as_str())
            .collect();
        self.restart_needed.then(|| {
            format!(
                "The configuration changed since this program was started: {}. Start it again to use it.",
                keys.join(", ")
            )
        })
    }
}
