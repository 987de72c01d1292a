//! `preferences_changed`: the preferences of a node changed.
//!
//! *Invariants*: a change changes something, and each preference at most once. The effective preferences are
//! complete and agree with the change.

use piton_core::ChangeId;
use serde::{Deserialize, Serialize};

use super::few::Few;
use super::payload_error::PayloadError;
use crate::preference::{Autonomy, PreferenceSource, RiskPolicy};

piton_core::closed_set! {
    /// Which preference.
    pub enum PreferenceKey {
        /// When a run waits for a person.
        Autonomy => "autonomy",
        /// Which of several correct ways is taken by default.
        RiskPolicy => "riskPolicy",
    }
}

/// Number of preferences that can be changed.
const KEYS: usize = PreferenceKey::ALL.len();

/// Every preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preferences {
    /// When a run waits for a person.
    pub autonomy: Autonomy,
    /// Which of several correct ways is taken by default.
    pub risk_policy: RiskPolicy,
}

/// A new value of one preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "key", content = "value", rename_all = "camelCase", deny_unknown_fields)]
pub enum PreferenceChange {
    /// When a run waits for a person.
    Autonomy(Autonomy),
    /// Which of several correct ways is taken by default.
    RiskPolicy(RiskPolicy),
}

/// The preferences of a node changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", try_from = "UncheckedPreferences")]
pub struct PreferencesChanged {
    change_id: ChangeId,
    source: PreferenceSource,
    delta: Few<PreferenceChange, KEYS>,
    effective: Preferences,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedPreferences {
    change_id: ChangeId,
    source: PreferenceSource,
    delta: Few<PreferenceChange, KEYS>,
    effective: Preferences,
}

impl PreferenceChange {
    /// Returns the preference that it changes.
    pub const fn key(self) -> PreferenceKey {
        match self {
            Self::Autonomy(_) => PreferenceKey::Autonomy,
            Self::RiskPolicy(_) => PreferenceKey::RiskPolicy,
        }
    }
}

impl Preferences {
    /// Returns the preferences that go well with a level of autonomy. A run that continues without people
    /// cannot ask about risks either, so it takes the careful path.
    pub const fn preset(autonomy: Autonomy) -> Self {
        let risk_policy = match autonomy {
            Autonomy::Guided | Autonomy::FullAutoNeverStop => RiskPolicy::Conservative,
            Autonomy::FullAutoStopOnUserDeps => RiskPolicy::Balanced,
        };
        Self { autonomy, risk_policy }
    }

    /// Returns these preferences after `changes`.
    #[must_use]
    pub fn after(mut self, changes: &[PreferenceChange]) -> Self {
        for change in changes {
            match *change {
                PreferenceChange::Autonomy(autonomy) => self.autonomy = autonomy,
                PreferenceChange::RiskPolicy(risk_policy) => self.risk_policy = risk_policy,
            }
        }
        self
    }
}

impl PreferencesChanged {
    /// Creates the change that applies `delta` to `previous`.
    pub fn new(
        change: ChangeId,
        source: PreferenceSource,
        previous: Preferences,
        delta: Vec<PreferenceChange>,
    ) -> Result<Self, PayloadError> {
        let effective = previous.after(&delta);
        // New changes go through the same checks as those that are read.
        UncheckedPreferences { change_id: change, source, delta: Few::new(delta)?, effective }
            .try_into()
    }

    /// Returns the id of the change.
    pub const fn change(&self) -> ChangeId {
        self.change_id
    }

    /// Returns the author of the change.
    pub const fn source(&self) -> PreferenceSource {
        self.source
    }

    /// Returns the changed preferences.
    pub fn delta(&self) -> &[PreferenceChange] {
        self.delta.as_slice()
    }

    /// Returns every preference after the change.
    pub const fn effective(&self) -> Preferences {
        self.effective
    }
}

impl TryFrom<UncheckedPreferences> for PreferencesChanged {
    type Error = PayloadError;

    fn try_from(unchecked: UncheckedPreferences) -> Result<Self, PayloadError> {
        let UncheckedPreferences { change_id, source, delta, effective } = unchecked;
        let changes = delta.as_slice();
        for (position, change) in changes.iter().enumerate() {
            let key = change.key();
            if changes[..position].iter().any(|earlier| earlier.key() == key) {
                return Err(PayloadError::RepeatedPreference { key });
            }
            // The previous preferences are not known here. Applying a change that is already in effect must
            // change nothing, which is all that can be checked without them.
            if effective.after(&[*change]) != effective {
                return Err(PayloadError::EffectivePreference { key });
            }
        }
        Ok(Self { change_id, source, delta, effective })
    }
}
