//! `preferences_changed`: the preferences of a node changed.
//!
//! *Invariants*: a change changes something, and each preference at most once. What is effective
//! afterwards is whole, and agrees with the change.

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

/// How many preferences there are to change.
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
    /// Which preference it changes.
    pub const fn key(self) -> PreferenceKey {
        match self {
            Self::Autonomy(_) => PreferenceKey::Autonomy,
            Self::RiskPolicy(_) => PreferenceKey::RiskPolicy,
        }
    }
}

impl Preferences {
    /// The preferences that go well with a level of autonomy. Who lets a run go on without people is not
    /// asked about risks either, so that run takes the careful way.
    pub const fn preset(autonomy: Autonomy) -> Self {
        let risk_policy = match autonomy {
            Autonomy::Guided | Autonomy::FullAutoNeverStop => RiskPolicy::Conservative,
            Autonomy::FullAutoStopOnUserDeps => RiskPolicy::Balanced,
        };
        Self { autonomy, risk_policy }
    }

    /// These preferences after `changes`.
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
    /// `delta` over `previous`.
    pub fn new(
        change: ChangeId,
        source: PreferenceSource,
        previous: Preferences,
        delta: Vec<PreferenceChange>,
    ) -> Result<Self, PayloadError> {
        let effective = previous.after(&delta);
        UncheckedPreferences { change_id: change, source, delta: Few::new(delta)?, effective }
            .try_into()
    }

    /// The change.
    pub const fn change(&self) -> ChangeId {
        self.change_id
    }

    /// Who made it.
    pub const fn source(&self) -> PreferenceSource {
        self.source
    }

    /// What changed.
    pub fn delta(&self) -> &[PreferenceChange] {
        self.delta.as_slice()
    }

    /// Every preference after it.
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
            if effective.after(&[*change]) != effective {
                return Err(PayloadError::EffectivePreference { key });
            }
        }
        Ok(Self { change_id, source, delta, effective })
    }
}
