//! The settings of one source.

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

/// The value of a setting in one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerValue {
    pub value: Value,
    /// Position of the value: `piton.toml:3:1`, or the name of a variable.
    pub at: String,
}

/// The settings of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer(pub BTreeMap<SettingKey, LayerValue>);
