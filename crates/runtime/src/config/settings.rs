//! The resulting settings, and their digest.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use piton_core::{Digest, canonical};
use piton_workflow::event::Preferences;
use piton_workflow::{Autonomy, RiskPolicy};
use serde::Serialize;

use super::key::{Answers, Effect, LogLevel, RunNeeded, SettingKey};
use super::layer::{Layer, SettingSource};
use super::value::Value;
use crate::bounds::{HTTP_PORT_DEFAULT, RETENTION_DAYS_DEFAULT};

/// A setting that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EffectiveSetting {
    /// What it is set to.
    pub value: Value,
    /// Who set it.
    pub place: SettingSource,
    /// Where that stands; nothing for a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Every setting that has a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<SettingKey, EffectiveSetting>);

impl Settings {
    /// Combines `layers`, which are ordered from weakest to strongest.
    pub fn of<'a>(layers: impl IntoIterator<Item = (SettingSource, &'a Layer)>) -> Self {
        let mut held: BTreeMap<SettingKey, EffectiveSetting> = defaults()
            .map(|(key, value)| {
                (key, EffectiveSetting { value, place: SettingSource::Default, at: None })
            })
            .collect();
        for (place, layer) in layers {
            for (key, said) in &layer.0 {
                let value = said.value.clone();
                held.insert(*key, EffectiveSetting { value, place, at: Some(said.at.clone()) });
            }
        }
        Self(held)
    }

    /// Returns a setting, if it has a value.
    pub fn get(&self, key: SettingKey) -> Option<&EffectiveSetting> {
        self.0.get(&key)
    }

    /// Returns every setting that has a value.
    pub fn iter(&self) -> impl Iterator<Item = (SettingKey, &EffectiveSetting)> {
        self.0.iter().map(|(key, held)| (*key, held))
    }

    /// Returns the digest of the values, regardless of their sources.
    pub fn digest(&self) -> Digest {
        let values: BTreeMap<SettingKey, &Value> =
            self.iter().map(|(key, held)| (key, &held.value)).collect();
        let bytes =
            canonical::encode(&values).expect("texts and whole numbers have a canonical form");
        Digest::of(&bytes)
    }

    /// Returns these settings, with those of `newer` that take effect without a restart.
    #[must_use]
    pub fn with_live(&self, newer: &Self) -> Self {
        let of = |settings: &Self, effect: Effect| {
            let held = settings.0.iter().filter(move |(key, _)| key.effect() == effect);
            held.map(|(key, held)| (*key, held.clone())).collect::<Vec<_>>()
        };
        // Each setting is taken from exactly one side, so one that was removed from the newer file is gone.
        let both = [of(self, Effect::Restart), of(newer, Effect::Live)];
        Self(both.into_iter().flatten().collect())
    }

    /// Returns the data directory, if it is set.
    pub fn data_dir(&self) -> Option<&Path> {
        self.path(SettingKey::DataDir)
    }

    /// Returns the further directories with workflow files, and the source that named them.
    pub fn workflow_dirs(&self) -> (&[PathBuf], SettingSource) {
        match self.get(SettingKey::WorkflowDirs) {
            Some(EffectiveSetting { value: Value::Paths(paths), place, .. }) => (paths, *place),
            _ => (&[], SettingSource::Default),
        }
    }

    /// Returns the project directory, if it is set.
    pub fn project_dir(&self) -> Option<&Path> {
        self.path(SettingKey::ProjectDir)
    }

    /// Returns the preferences of new runs.
    pub fn preferences(&self) -> Preferences {
        let autonomy = self.name(SettingKey::Autonomy).and_then(|name| name.parse().ok());
        let preset = Preferences::preset(autonomy.unwrap_or(Autonomy::Guided));
        let risk: Option<RiskPolicy> =
            self.name(SettingKey::RiskPolicy).and_then(|name| name.parse().ok());
        Preferences { risk_policy: risk.unwrap_or(preset.risk_policy), ..preset }
    }

    /// Returns the number of days that a session is kept.
    pub fn retention_days(&self) -> u32 {
        self.whole(SettingKey::RetentionDays).unwrap_or(RETENTION_DAYS_DEFAULT)
    }

    /// Returns the address and port that the server listens on.
    pub fn http(&self) -> (IpAddr, u16) {
        let address = match self.get(SettingKey::HttpBind) {
            Some(EffectiveSetting { value: Value::Address(address), .. }) => *address,
            _ => IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let port = self.whole(SettingKey::HttpPort).unwrap_or(HTTP_PORT_DEFAULT);
        (address, u16::try_from(port).expect("the form of the setting bounds it"))
    }

    /// Returns the file with the token of the server, if it is set.
    pub fn http_token_file(&self) -> Option<&Path> {
        self.path(SettingKey::HttpTokenFile)
    }

    /// Returns the condition under which a call must name its step.
    pub fn run_needed(&self) -> RunNeeded {
        let needed = self.name(SettingKey::AccessRun).and_then(|name| name.parse().ok());
        needed.unwrap_or(RunNeeded::WhenNarrowed)
    }

    /// Returns the forms in which clients get answers.
    pub fn answers(&self) -> Answers {
        let answers = self.name(SettingKey::McpAnswers).and_then(|name| name.parse().ok());
        answers.unwrap_or(Answers::Auto)
    }

    /// Returns the log level.
    pub fn log_level(&self) -> LogLevel {
        let level = self.name(SettingKey::LogLevel).and_then(|name| name.parse().ok());
        level.unwrap_or(LogLevel::Info)
    }

    fn path(&self, key: SettingKey) -> Option<&Path> {
        match &self.get(key)?.value {
            Value::Path(path) => Some(path),
            _ => None,
        }
    }

    fn name(&self, key: SettingKey) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Name(name) => Some(name),
            _ => None,
        }
    }

    fn whole(&self, key: SettingKey) -> Option<u32> {
        match self.get(key)?.value {
            Value::Whole(number) => Some(number),
            _ => None,
        }
    }
}

fn defaults() -> impl Iterator<Item = (SettingKey, Value)> {
    let name = |name: &str| Value::Name(name.to_owned());
    [
        (SettingKey::Autonomy, name(Autonomy::Guided.as_str())),
        (SettingKey::RetentionDays, Value::Whole(RETENTION_DAYS_DEFAULT)),
        (SettingKey::HttpBind, Value::Address(IpAddr::V4(Ipv4Addr::LOCALHOST))),
        (SettingKey::HttpPort, Value::Whole(HTTP_PORT_DEFAULT)),
        (SettingKey::AccessRun, name(RunNeeded::WhenNarrowed.as_str())),
        (SettingKey::McpAnswers, name(Answers::Auto.as_str())),
        (SettingKey::LogLevel, name(LogLevel::Info.as_str())),
    ]
    .into_iter()
}
