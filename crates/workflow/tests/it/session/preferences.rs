//! What a person wants, and how it is changed.

use piton_core::Code;
use piton_workflow::event::{PreferenceChange, Preferences};
use piton_workflow::session::{Checkpoint, Prefer, Reply, Start};
use piton_workflow::{Autonomy, EventKind, PreferenceSource, RiskPolicy};

use serde_json::{Value, json};

use super::person::needing;
use super::rig::{Rig, ack, body, start, state, strict_step};
use crate::engine::samples::{control, decision, looped, source, step, workflow};
use crate::source::compile_value;

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

/// Everything that a run with these preferences says and records, but for the preferences themselves. The same outputs
/// are submitted whatever they are, with the same entropy and the same keys.
async fn transcript(preferences: Preferences) -> String {
    let rig = Rig::memory();
    let mut file = source(&[
        strict_step("one"),
        needing("drop", "needs_user_approval"),
        looped("rounds", 1, &[decision("decide")]),
        step("end"),
    ]);
    file["capabilities"] = json!({"web_browsing": "required"});
    let compiled = compile_value(&file).unwrap();
    let first = rig.sessions.start(Start { preferences, ..start(&compiled) }).await.unwrap();
    let session = first.body.run.session_id;
    let observed = |result: &str| {
        let mut artifact = json!({"kind": "wr.capability_observation",
                                  "capability": "web_browsing", "result": result});
        if result == "failure" {
            artifact["failureCode"] = json!("tool_missing");
        }
        artifact
    };
    let mut replies = vec![first];
    for (notes, artifacts) in [
        ("Not there.", vec![observed("failure")]),
        ("There.", vec![observed("success")]),
        ("done", vec![]),
        ("```\nls\n```\nIt lists what is there.", vec![]),
        ("They will surely agree.", vec![]),
        ("", vec![control("rounds", "continue")]),
        ("", vec![control("rounds", "stop")]),
        ("", vec![]),
        ("The end.", vec![]),
    ] {
        let last = replies.last().expect("the run began");
        if last.body.ack_token.is_some() {
            replies.push(rig.sessions.proceed(ack(last, notes, artifacts)).await.unwrap());
        }
    }
    // From the first step again, twice: what was done before is a replay, what is new is a fork.
    let again = ack(&replies[0], "Not there.", vec![observed("failure")]);
    replies.push(rig.sessions.proceed(again).await.unwrap());
    let here = rig.sessions.proceed(state(&replies[0])).await.unwrap();
    replies.push(rig.sessions.proceed(ack(&here, "", vec![observed("success")])).await.unwrap());
    let checkpoint_token = here.body.checkpoint_token.clone().unwrap();
    let bookmark = Checkpoint { checkpoint_token, output: None, label: None };
    let made = rig.sessions.checkpoint(bookmark).await.unwrap();
    replies.push(here);
    let mut lines = vec![serde_json::to_string(&made.body).unwrap()];
    for reply in &replies {
        let mut said: Value = serde_json::from_str(&body(reply)).unwrap();
        said["preferences"] = Value::Null;
        lines.push(format!("{said}\n{}", reply.text()));
    }
    for event in rig.events(session).await {
        let mut line = serde_json::to_value(&event).unwrap();
        if event.body().kind() == EventKind::PreferencesChanged {
            line["data"] = Value::Null;
        }
        lines.push(line.to_string());
    }
    lines.join("\n")
}

// shows: WR-290 (with a_run_that_never_stops_never_blocks_and_the_risk_policy_changes_nothing)
// shows: WR-291
#[tokio::test]
async fn the_risk_policy_changes_no_block_no_gap_no_fork_and_no_token() {
    for autonomy in Autonomy::ALL.iter().copied() {
        let mut told = Vec::new();
        for risk_policy in RiskPolicy::ALL.iter().copied() {
            told.push(transcript(Preferences { autonomy, risk_policy }).await);
        }
        // Contracts, capabilities, what a person is needed for, disclosure, forks: each comes up.
        let blocks =
            ["REQUIRED_CAPABILITY_UNAVAILABLE", "INVALID_REQUIRED_OUTPUT", "USER_ONLY_DEPENDENCY"];
        let gaps =
            ["required_capability_unavailable", "invalid_required_output", "needs_user_approval"];
        let is_stopped = autonomy != Autonomy::FullAutoNeverStop;
        for (code, gap) in blocks.into_iter().zip(gaps) {
            assert_eq!(told[0].contains(code), is_stopped, "{autonomy} {code}");
            assert!(told[0].contains(gap), "{autonomy} {gap}");
        }
        assert!(told[0].contains("detected_non_tip_advance"), "{autonomy}");
        assert!(told.iter().all(|other| *other == told[0]), "{autonomy}");
    }
}
