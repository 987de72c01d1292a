//! The preferences of a person about how a run continues, and `preferences_changed`.
//!
//! *Invariants*: a preference changes when a run stops and what it warns about. It never changes what counts
//! as missing, and never what must be recorded. A change changes something, and each preference at most once.
//! The effective preferences are complete and agree with the change.

use piton_core::ChangeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::payload::{BoundedList, PayloadError};

piton_core::closed_set! {
    /// When a run waits for a person.
    pub enum Autonomy {
        /// It stops for whatever blocks it, and where a step asks for confirmation.
        Guided => "guided",
        /// It asks for no confirmation, and still stops for whatever blocks it, above all for what only
        /// a person can give.
        FullAutoStopOnUserDeps => "full_auto_stop_on_user_deps",
        /// It never stops: what is missing is recorded as a critical gap.
        FullAutoNeverStop => "full_auto_never_stop",
    }
}

piton_core::closed_set! {
    /// Which of several correct ways is taken by default, and how early a warning is given.
    pub enum RiskPolicy {
        /// The safer way; warns early.
        Conservative => "conservative",
        /// Weighs safety against effort.
        Balanced => "balanced",
        /// The faster way; warns late.
        Aggressive => "aggressive",
    }
}

piton_core::closed_set! {
    /// Who changed the preferences of a node.
    pub enum PreferenceSource {
        /// A person.
        User => "user",
        /// The workflow, as its author recommends.
        WorkflowRecommendation => "workflow_recommendation",
        /// Piton itself, when a run starts.
        System => "system",
    }
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preferences {
    /// When a run waits for a person.
    pub autonomy: Autonomy,
    /// Which of several correct ways is taken by default.
    pub risk_policy: RiskPolicy,
}

/// A new value of one preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "key", content = "value", rename_all = "camelCase", deny_unknown_fields)]
pub enum PreferenceChange {
    /// When a run waits for a person.
    Autonomy(Autonomy),
    /// Which of several correct ways is taken by default.
    RiskPolicy(RiskPolicy),
}

/// The preferences of a node changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "UncheckedPreferences")]
pub struct PreferencesChanged {
    change_id: ChangeId,
    source: PreferenceSource,
    delta: BoundedList<PreferenceChange, KEYS>,
    effective: Preferences,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct UncheckedPreferences {
    change_id: ChangeId,
    source: PreferenceSource,
    delta: BoundedList<PreferenceChange, KEYS>,
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
        UncheckedPreferences {
            change_id: change,
            source,
            delta: BoundedList::new(delta)?,
            effective,
        }
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
