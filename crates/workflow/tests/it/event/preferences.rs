//! Changes of preferences.

use piton_core::ChangeId;
use piton_workflow::event::{
    PayloadError, PreferenceChange, PreferenceKey, Preferences, PreferencesChanged,
};
use piton_workflow::{Autonomy, PreferenceSource, RiskPolicy};
use serde_json::{Value, json};

use super::sample::{AT_ROOT, GUIDED, data, preferences, with_data};

fn check(delta: &Value, effective: &Value, fine: bool) {
    let never_stop = PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop);
    let body = preferences(AT_ROOT, 1, GUIDED, vec![never_stop]);
    let mut whole = data(&body);
    whole["delta"] = delta.clone();
    whole["effective"] = effective.clone();
    assert_eq!(with_data(&body, &whole).is_ok(), fine, "{delta} {effective}");
}

// shows: WR-163, WR-164, WR-165
#[test]
fn a_delta_changes_known_preferences_to_known_values_and_each_once() {
    let effective = json!({"autonomy": "guided", "riskPolicy": "balanced"});
    let autonomy = json!({"key": "autonomy", "value": "guided"});
    let risk = json!({"key": "riskPolicy", "value": "balanced"});
    check(&json!([autonomy]), &effective, true);
    check(&json!([risk]), &effective, true);
    check(&json!([risk, autonomy]), &effective, true);
    check(&json!([]), &effective, false);
    check(&json!([autonomy, autonomy]), &effective, false);
    check(&json!([{"key": "speed", "value": "fast"}]), &effective, false);
    check(&json!([{"key": "autonomy", "value": "balanced"}]), &effective, false);
    check(&json!([{"key": "riskPolicy", "value": "guided"}]), &effective, false);
}

// shows in part: WR-166 (the snapshot is full, and agrees with the delta)
#[test]
fn what_is_effective_is_whole_and_holds_what_changed() {
    let delta = json!([{"key": "autonomy", "value": "guided"}]);
    check(&delta, &json!({"autonomy": "guided", "riskPolicy": "aggressive"}), true);
    check(&delta, &json!({"autonomy": "guided"}), false);
    check(&delta, &json!({"riskPolicy": "aggressive"}), false);
    let other = json!({"autonomy": "full_auto_never_stop", "riskPolicy": "aggressive"});
    check(&delta, &other, false);
}

#[test]
fn a_change_is_made_over_what_was_there() {
    let new = |delta| {
        let change = ChangeId::from_bytes([1; 16]);
        PreferencesChanged::new(change, PreferenceSource::User, GUIDED, delta)
    };
    let bold = PreferenceChange::RiskPolicy(RiskPolicy::Aggressive);
    let expected = Preferences { risk_policy: RiskPolicy::Aggressive, ..GUIDED };
    assert_eq!(new(vec![bold]).unwrap().effective(), expected);
    assert_eq!(new(vec![]), Err(PayloadError::Count { found: 0, max: 2 }));
    let twice = PayloadError::RepeatedPreference { key: PreferenceKey::RiskPolicy };
    assert_eq!(new(vec![bold, bold]), Err(twice));
}
