//! What one place says about settings.

use std::collections::BTreeMap;

use super::key::SettingKey;
use super::value::Value;

piton_core::closed_set! {
    /// Where a setting comes from, weakest first.
    pub enum SettingSource {
        /// Nobody set it.
        Default => "default",
        /// `config.toml` in the user's configuration directory.
        User => "user",
        /// `piton.toml` of the project.
        Project => "project",
        /// A variable of the environment.
        Environment => "environment",
    }
}

/// What a place says about one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerValue {
    /// What it is set to.
    pub value: Value,
    /// Where that stands: `piton.toml:3:1`, or the name of a variable.
    pub at: String,
}

/// What one place says about settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer(pub BTreeMap<SettingKey, LayerValue>);
