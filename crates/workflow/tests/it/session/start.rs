//! Beginning a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use piton_core::{BoundedText, Code};
use piton_store::local::{DataDir, RealDisk};
use piton_store::port::BlobNamespace;
use piton_store::testing::{DiskCall, Recorder};
use piton_workflow::event::{EventBody, ObservationRecorded, ObservedValue, Preferences};
use piton_workflow::session::{Error, Start, StartKey};
use piton_workflow::{Autonomy, Confidence, EventKind, NextIntent, ObservationKey, RiskPolicy};
use serde_json::json;

use super::rig::{Rig, body, object, pending, start};
use crate::classic::samples::{compiled as classic, file, looped};
use crate::engine::samples::{step, workflow};

// shows: WR-414
// shows in part: WR-262, WR-266, D65 (the order of events), WR-412 (that it is an event)
#[tokio::test]
async fn a_start_pins_its_workflow_records_what_it_was_told_and_asks_for_the_first_step() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let branch = ObservationRecorded {
        key: ObservationKey::GitBranch,
        value: ObservedValue::ShortString(BoundedText::new("main").unwrap()),
        confidence: Confidence::High,
    };
    let request = Start {
        goal: Some("find the flaky test".to_owned()),
        context: object(json!({"ticket": "A-1"})),
        observations: vec![branch],
        ..start(&compiled)
    };
    let reply = rig.sessions.start(request).await.unwrap();
    assert_eq!(pending(&reply), "one");
    assert_eq!(reply.body.next_intent, NextIntent::PerformPendingThenContinue);
    assert!(reply.body.ack_token.as_ref().unwrap().starts_with("ack.v1."));
    assert!(reply.body.checkpoint_token.as_ref().unwrap().starts_with("chk.v1."));
    let session = reply.body.run.session_id;
    assert_eq!(
        rig.kinds(session).await,
        [
            EventKind::SessionCreated,
            EventKind::RunStarted,
            EventKind::NodeCreated,
            EventKind::PreferencesChanged,
            EventKind::ContextSet,
            EventKind::ObservationRecorded,
            EventKind::DecisionTraceAppended,
        ]
    );
    let events = rig.events(session).await;
    let EventBody::ContextSet(_, set) = events[4].body() else { panic!() };
    let told = serde_json::to_value(&set.context).unwrap();
    assert_eq!(told, json!({"goal": "find the flaky test", "ticket": "A-1"}));
    let hash = compiled.workflow_hash().digest();
    assert!(rig.blobs.get(BlobNamespace::PinnedWorkflows, hash).await.unwrap().is_some());
    assert!(!body(&reply).contains("A-1"), "nothing of the context comes back");
}

// shows: WR-359
#[tokio::test]
async fn a_workflow_lies_among_the_pinned_ones_before_its_run_is_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let compiled = workflow(&[step("one"), step("two")]);
    let hex = compiled.workflow_hash().digest().hex();
    let file = dir.path().join("workflows/pinned").join(&hex[..2]).join(&hex[2..]);
    let (pinned, recorded) = (file.clone(), Arc::new(AtomicUsize::new(0)));
    let writes = Arc::clone(&recorded);
    let listener = move |call: &DiskCall| {
        // A segment counts from when the control file attests it.
        if call.operation == "write" && call.path.ends_with("manifest.jsonl") {
            assert!(pinned.exists(), "the run is recorded first");
            writes.fetch_add(1, Ordering::Relaxed);
        }
    };
    let disk = Recorder::with_listener(Arc::new(RealDisk), Arc::new(listener));
    assert!(!file.exists());
    let rig = Rig::on(DataDir::on(Arc::new(disk), dir.path()).unwrap(), 1);
    let reply = rig.start(&compiled).await;
    assert!(recorded.load(Ordering::Relaxed) > 0);
    assert_eq!(std::fs::read(&file).unwrap(), compiled.canonical().as_bytes());
    let session = reply.body.run.session_id;
    assert_eq!(rig.kinds(session).await[1], EventKind::RunStarted);
}

#[tokio::test]
async fn the_same_start_key_gives_the_same_run_in_any_process() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let key = StartKey { key: "A-1".to_owned(), project_dir: "/work".to_owned() };
    let request = Start { goal: Some("fix it".into()), key: Some(key), ..start(&compiled) };
    let first = rig.sessions.start(request.clone()).await.unwrap();
    rig.notes(&first, "It is done.").await;
    let count = rig.event_count(first.body.run.session_id).await;
    for other in [&rig, &rig.again()] {
        let again = other.sessions.start(request.clone()).await.unwrap();
        assert_eq!(body(&again), body(&first));
    }
    assert_eq!(rig.event_count(first.body.run.session_id).await, count);
    let other_goal = Start { goal: Some("another".into()), ..request.clone() };
    let error = rig.sessions.start(other_goal).await.unwrap_err();
    assert_eq!(error.code(), Code::ValidationError);
    let label = first.body.run.label.to_string();
    assert!(error.to_string().contains(&label), "{error}");
    let elsewhere = StartKey { key: "A-1".to_owned(), project_dir: "/other".to_owned() };
    let other = rig.sessions.start(Start { key: Some(elsewhere), ..request }).await.unwrap();
    assert_ne!(other.body.run.session_id, first.body.run.session_id);
}

#[tokio::test]
async fn a_deleted_session_frees_its_start_key() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one")]);
    let key = StartKey { key: "k".to_owned(), project_dir: "/work".to_owned() };
    let request = Start { key: Some(key), ..start(&compiled) };
    let first = rig.sessions.start(request.clone()).await.unwrap();
    let stream = first.body.run.session_id.into();
    rig.journal.delete(rig.journal.lease(&stream).await.unwrap()).await.unwrap();
    let other = workflow(&[step("other")]);
    let second = rig.sessions.start(Start { workflow: start(&other).workflow, ..request });
    let second = second.await.unwrap();
    assert_eq!(second.body.run.session_id, first.body.run.session_id);
    assert_ne!(second.body.run.run_id, first.body.run.run_id);
    assert_eq!(pending(&second), "other");
}

#[tokio::test]
async fn a_start_that_cannot_be_recorded_is_refused_and_leaves_nothing() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one")]);
    let large = "x".repeat(262_144);
    for (request, code, says) in [
        (
            Start { context: object(json!({"a": large})), ..start(&compiled) },
            Code::ValidationError,
            "262144",
        ),
        (
            Start { context: object(json!({"a": {"__proto__": 1}})), ..start(&compiled) },
            Code::ValidationError,
            "__proto__",
        ),
        (
            Start {
                key: Some(StartKey { key: String::new(), project_dir: "/".into() }),
                ..start(&compiled)
            },
            Code::ValidationError,
            "start key",
        ),
    ] {
        let error: Error = rig.sessions.start(request).await.unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.envelope().message.contains(says), "{}", error.envelope().message);
    }
    assert!(rig.journal.streams().await.unwrap().is_empty());
}

// shows in part: WR-428 (at the start)
#[tokio::test]
async fn a_run_that_lacks_what_its_first_loop_turns_by_is_refused_or_begins_with_a_gap() {
    let rig = Rig::memory();
    let turning = json!({"type": "forEach", "items": "files", "maxIterations": 3});
    let body = json!([step("look")]);
    let compiled = classic(&file(&json!([looped("each", &turning, &body), step("end")])));
    let error = rig.sessions.start(start(&compiled)).await.unwrap_err();
    assert_eq!(error.code(), Code::ValidationError);
    assert_eq!(
        error.to_string(),
        "the run cannot begin: The loop `each` turns by `files` of the context, which must be a list; it is not \
         there."
    );
    let told = Start { context: object(json!({"files": ["a"]})), ..start(&compiled) };
    assert_eq!(pending(&rig.sessions.start(told).await.unwrap()), "look");
    let preferences = Preferences {
        autonomy: Autonomy::FullAutoNeverStop,
        risk_policy: RiskPolicy::Conservative,
    };
    let bold = Start { preferences, ..start(&compiled) };
    let reply = rig.sessions.start(bold).await.unwrap();
    assert_eq!(pending(&reply), "end");
    let kinds = rig.kinds(reply.body.run.session_id).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKind::GapRecorded).count(), 1);
}
