//! What a person wants, and how it is changed.

use piton_core::Code;
use piton_workflow::event::{PreferenceChange, Preferences};
use piton_workflow::session::{Prefer, Reply, Start};
use piton_workflow::{Autonomy, EventKind, PreferenceSource, RiskPolicy};

use super::rig::{Rig, start, state};
use crate::engine::samples::{step, workflow};

// shows: WR-294
#[test]
fn each_level_of_autonomy_has_a_preset() {
    let presets = Autonomy::ALL.iter().map(|autonomy| {
        let preset = Preferences::preset(*autonomy);
        (preset.autonomy.as_str(), preset.risk_policy.as_str())
    });
    assert_eq!(
        presets.collect::<Vec<_>>(),
        [
            ("guided", "conservative"),
            ("full_auto_stop_on_user_deps", "balanced"),
            ("full_auto_never_stop", "conservative"),
        ]
    );
}

fn change(reply: &Reply, changes: Vec<PreferenceChange>) -> Prefer {
    let run = &reply.body.run;
    let source = PreferenceSource::User;
    Prefer { session: run.session_id, run: run.run_id, source, changes }
}

// shows: WR-292, WR-293
#[tokio::test]
async fn what_was_set_on_a_node_comes_before_the_start_and_that_before_the_default() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two"), step("three")]);
    let global = Preferences {
        autonomy: Autonomy::FullAutoStopOnUserDeps,
        risk_policy: RiskPolicy::Balanced,
    };
    let first = Start { preferences: global, ..start(&compiled) };
    let first = rig.sessions.start(first).await.unwrap();
    let second = rig.notes(&first, "One.").await;
    assert_eq!(second.body.preferences, global, "what the run began with");
    let bold = vec![PreferenceChange::RiskPolicy(RiskPolicy::Aggressive)];
    let changed = rig.sessions.prefer(change(&second, bold.clone())).await.unwrap();
    assert_eq!(changed, Preferences { risk_policy: RiskPolicy::Aggressive, ..global });
    let count = rig.event_count(first.body.run.session_id).await;
    assert_eq!(rig.sessions.prefer(change(&second, bold)).await.unwrap(), changed);
    assert_eq!(rig.event_count(first.body.run.session_id).await, count, "nothing changed");
    let third = rig.notes(&second, "Two.").await;
    assert_eq!(third.body.preferences, changed, "inherited from the node before");
    let rewound = rig.sessions.proceed(state(&first)).await.unwrap();
    assert_eq!(rewound.body.preferences, global, "the first node has what it had");
    let kinds = rig.kinds(first.body.run.session_id).await;
    let recorded = kinds.iter().filter(|kind| **kind == EventKind::PreferencesChanged);
    assert_eq!(recorded.count(), 2);
}

#[tokio::test]
async fn a_change_that_cannot_be_made_is_refused() {
    let rig = Rig::memory();
    let first = rig.start(&workflow(&[step("one")])).await;
    let twice = vec![
        PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop),
        PreferenceChange::Autonomy(Autonomy::FullAutoStopOnUserDeps),
    ];
    let mut elsewhere = change(&first, vec![]);
    elsewhere.run = piton_core::RunId::from_bytes([1; 16]);
    for request in [change(&first, vec![]), change(&first, twice), elsewhere] {
        let error = rig.sessions.prefer(request).await.unwrap_err();
        assert_eq!(error.code(), Code::ValidationError, "{error}");
    }
}
