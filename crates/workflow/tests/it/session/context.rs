//! The context of a run.

use std::sync::Arc;

use piton_core::Code;
use piton_store::port::Blobs;
use piton_workflow::EventKind;
use piton_workflow::projection::SessionState;
use piton_workflow::session::{Continue, Reader, Start};
use serde_json::{Value, json};

use super::rig::{Rig, ack, body, object, start, state};
use crate::engine::samples::{decision, looped, step, workflow};
use crate::recall::counted::counted;

// shows: WR-415..419, WR-421, WR-426
#[tokio::test]
async fn a_change_of_context_is_laid_over_what_the_branch_knew() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two"), step("three"), step("four")]);
    let told = object(json!({"a": {"x": 1, "y": 2}, "list": [1, 2], "kept": true}));
    let first = rig.sessions.start(Start { context: told, ..start(&compiled) }).await.unwrap();
    let change = object(json!({"a": {"x": 3}, "list": null, "secret": "MARKER"}));
    let request = Continue { context: Some(change), ..ack(&first, "One.", vec![]) };
    let second = rig.sessions.proceed(request).await.unwrap();
    assert!(!body(&second).contains("MARKER"));
    rig.notes(&second, "Two.").await;
    let other = rig.sessions.proceed(state(&first)).await.unwrap();
    assert!(!body(&other).contains("MARKER"));
    let request = Continue {
        context: Some(object(json!({"branch": 2}))),
        ..ack(&other, "One, again.", vec![])
    };
    rig.sessions.proceed(request).await.unwrap();
    let state = SessionState::of(&rig.events(first.body.run.session_id).await);
    let run = &state.runs()[0];
    let knows = |ordinal: usize| -> Value {
        let node = run.graph.nodes().nth(ordinal).unwrap().id;
        serde_json::to_value(run.contexts.effective(node)).unwrap()
    };
    assert_eq!(knows(0), json!({"a": {"x": 1, "y": 2}, "list": [1, 2], "kept": true}));
    let after = json!({"a": {"x": 3}, "kept": true, "secret": "MARKER"});
    assert_eq!((knows(1), knows(2)), (after.clone(), after));
    let forked = json!({"a": {"x": 1, "y": 2}, "list": [1, 2], "kept": true, "branch": 2});
    assert_eq!(knows(3), forked, "a branch does not see what another was told");
}

// shows: WR-429
#[tokio::test]
async fn however_long_a_run_is_what_it_was_told_is_found_without_reading_its_log_again() {
    const TURNS: usize = 1_000;
    let rig = Rig::memory();
    let compiled = workflow(&[looped("rounds", 1_000, &[decision("go")])]);
    let mut reply = rig.start(&compiled).await;
    for turn in 1..TURNS {
        let go_on = json!({"kind": "wr.loop_control", "loopId": "rounds", "decision": "continue"});
        let told = object(json!({ "turn": turn }));
        let request = Continue { context: Some(told), ..ack(&reply, "", vec![go_on]) };
        reply = rig.sessions.proceed(request).await.unwrap();
    }
    let (journal, counts) = counted(&rig.journal);
    let fresh = || {
        let blobs = Arc::<dyn Blobs>::clone(&rig.blobs);
        Reader::new(Arc::clone(&journal) as _, blobs as _, Arc::clone(&rig.keys))
    };
    let reader = fresh();
    let token = &reply.body.state_token;
    let first = body(&reader.rehydrate(token).await.unwrap());
    assert_eq!(counts.take().0, 1, "a process that knows nothing reads the log once");
    for _ in 0..3 {
        assert_eq!(body(&reader.rehydrate(token).await.unwrap()), first);
        assert_eq!(counts.take().0, 0, "one that knows it reads nothing of it");
    }
    // What is kept is derived: one that lost it says the same.
    assert_eq!(body(&fresh().rehydrate(token).await.unwrap()), first);
    let state = SessionState::of(&rig.events(reply.body.run.session_id).await);
    let run = &state.runs()[0];
    for (ordinal, node) in run.graph.nodes().enumerate().skip(1) {
        let told = serde_json::to_value(run.contexts.effective(node.id)).unwrap();
        assert_eq!(told, json!({ "turn": ordinal }));
    }
}

// shows: WR-430
#[tokio::test]
async fn a_context_that_changes_nothing_is_not_recorded_and_neither_is_one_of_a_blocked_output() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let told = object(json!({"a": 1}));
    let first = rig.sessions.start(Start { context: told, ..start(&compiled) }).await.unwrap();
    let with = |reply: &_, notes: &str, context: Value| Continue {
        context: Some(object(context)),
        ..ack(reply, notes, vec![])
    };
    let session = first.body.run.session_id;
    let count = async || {
        let kinds = rig.kinds(session).await;
        kinds.iter().filter(|kind| **kind == EventKind::ContextSet).count()
    };
    let blocked = rig.sessions.proceed(with(&first, "", json!({"a": 2}))).await.unwrap();
    assert_eq!(count().await, 1);
    rig.sessions.proceed(with(&blocked, "One.", json!({"a": 1, "b": null}))).await.unwrap();
    assert_eq!(count().await, 1);
}

// shows: WR-420, WR-424, WR-425, D40, D42, D43
#[tokio::test]
async fn a_context_that_cannot_be_kept_is_refused_before_anything_is_written() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let most = "x".repeat(262_144 - r#"{"a":""}"#.len());
    let told = object(json!({ "a": most }));
    let first = rig.sessions.start(Start { context: told, ..start(&compiled) }).await.unwrap();
    let session = first.body.run.session_id;
    let count = rig.event_count(session).await;
    for (context, says) in [
        (json!({"b": 1}), "context after the change"),
        (json!({"a": null, "b": "y".repeat(262_144)}), "too large"),
        (json!({"constructor": 1}), "constructor"),
        (json!({"a": [{"prototype": 1}]}), "prototype"),
        (json!({"a": 9_007_199_254_740_993_u64}), "context is refused"),
    ] {
        let request = Continue { context: Some(object(context)), ..ack(&first, "One.", vec![]) };
        let error = rig.sessions.proceed(request).await.unwrap_err();
        let envelope = error.envelope();
        assert_eq!(envelope.code, Code::ValidationError);
        assert!(envelope.message.contains(says), "{}", envelope.message);
        assert!(!envelope.suggestion.is_empty());
        if says == "context after the change" {
            let details = serde_json::to_value(&envelope.details).unwrap();
            assert_eq!(details["maxBytes"], 262_144);
            assert_eq!(details["measuredBytes"], 262_150);
            assert_eq!(details["method"], "canonical_json_bytes");
        }
    }
    let request = Continue { context: Some(object(json!({"b": 1}))), ..state(&first) };
    let error = rig.sessions.proceed(request).await.unwrap_err();
    assert_eq!(error.code(), Code::ValidationError);
    assert_eq!(rig.event_count(session).await, count);
}
