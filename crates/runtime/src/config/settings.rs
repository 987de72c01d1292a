//! Settings: those of one source, those that result from all sources, and those that are not in force yet.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use piton_core::{Digest, canonical};
use piton_workflow::bounds::ASK_AFTER_REFUSALS_DEFAULT;
use piton_workflow::event::Preferences;
use piton_workflow::{Autonomy, RiskPolicy};
use schemars::JsonSchema;
use serde::Serialize;

use super::table::{Answers, Effect, LogLevel, RunNeeded, SettingKey};
use super::value::Value;
use crate::bounds::{CONSOLE_PORT_DEFAULT, HTTP_PORT_DEFAULT, RETENTION_DAYS_DEFAULT};

piton_core::closed_set! {
    /// Where a setting comes from, weakest first.
    pub enum SettingSource {
        /// The built-in value.
        Default => "default",
        /// `config.toml` in the user's configuration directory.
        User => "user",
        /// `piton.toml` of the project.
        Project => "project",
        /// A variable of the environment.
        Environment => "environment",
    }
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveSetting {
    pub value: Value,
    /// The source that set it.
    pub place: SettingSource,
    /// The position of the value; nothing for a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Every setting that has a value: in one source, or in all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub(super) BTreeMap<SettingKey, EffectiveSetting>);

impl Settings {
    /// Combines the settings of several sources, from the weakest to the strongest, with the defaults.
    pub(super) fn of<'a>(sources: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut held: BTreeMap<SettingKey, EffectiveSetting> = BTreeMap::new();
        for key in SettingKey::ALL {
            if let Some(value) = key.row().default {
                let place = SettingSource::Default;
                held.insert(*key, EffectiveSetting { value, place, at: None });
            }
        }
        for source in sources {
            held.extend(source.0.clone());
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

    /// Returns the additional directories with workflow files, and the source that named them.
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
        let autonomy: Option<Autonomy> = self.named(SettingKey::Autonomy);
        let preset = Preferences::preset(autonomy.unwrap_or(Autonomy::Guided));
        let risk: Option<RiskPolicy> = self.named(SettingKey::RiskPolicy);
        Preferences { risk_policy: risk.unwrap_or(preset.risk_policy), ..preset }
    }

    /// Returns the number of refusals of one step in a row with which the person is asked.
    pub fn ask_after_refusals(&self) -> u32 {
        self.whole(SettingKey::AskAfterRefusals).unwrap_or(ASK_AFTER_REFUSALS_DEFAULT)
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

    /// Returns the port that the console listens on.
    pub fn console_port(&self) -> u16 {
        let port = self.whole(SettingKey::ConsolePort).unwrap_or(CONSOLE_PORT_DEFAULT);
        u16::try_from(port).expect("the form of the setting bounds it")
    }

    /// Returns the further address of the console, if it is set.
    pub fn console_public_url(&self) -> Option<&str> {
        match &self.get(SettingKey::ConsolePublicUrl)?.value {
            Value::Name(address) => Some(address),
            _ => None,
        }
    }

    /// Returns the condition under which a call must name its step.
    pub fn run_needed(&self) -> RunNeeded {
        self.named(SettingKey::AccessRun).unwrap_or(RunNeeded::WhenNarrowed)
    }

    /// Returns the form of answers to clients.
    pub fn answers(&self) -> Answers {
        self.named(SettingKey::McpAnswers).unwrap_or(Answers::Auto)
    }

    /// Returns the log level.
    pub fn log_level(&self) -> LogLevel {
        self.named(SettingKey::LogLevel).unwrap_or(LogLevel::Info)
    }

    fn path(&self, key: SettingKey) -> Option<&Path> {
        match &self.get(key)?.value {
            Value::Path(path) => Some(path),
            _ => None,
        }
    }

    fn named<T: FromStr>(&self, key: SettingKey) -> Option<T> {
        match &self.get(key)?.value {
            Value::Name(name) => name.parse().ok(),
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

/// The desired settings against those in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The digest of the settings that files and environment ask for now.
    pub desired_config_hash: Digest,
    /// The digest of the settings in force in this process.
    pub applied_config_hash: Digest,
    /// The settings that differ.
    pub differences: Vec<SettingDifference>,
    /// Set if one of them needs a restart.
    pub restart_needed: bool,
}

/// A desired setting that is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingDifference {
    /// The setting.
    pub key: SettingKey,
    /// The requirement for it to take effect.
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
                "The configuration changed since this program was started: {}. Restart it to apply the change.",
                keys.join(", ")
            )
        })
    }
}
