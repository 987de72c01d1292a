//! The same call again.

use std::time::Duration;

use piton_core::Code;
use piton_store::StreamId;
use piton_workflow::event::PreferenceChange;
use piton_workflow::session::{Prefer, Reply, ReplyNotice};
use piton_workflow::{Autonomy, PreferenceSource};
use serde_json::json;

use super::rig::{Rig, ack, body, pending, strict_step};
use crate::engine::samples::{step, workflow};

// shows: WR-247, WR-430, WR-547
#[tokio::test]
async fn a_hundred_replays_are_one_answer_and_one_record() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let blocked = rig.notes(&first, "done").await;
    let good = "```\nls\n```\nIt lists what is there.";
    let advanced = rig.notes(&blocked, good).await;
    rig.notes(&advanced, "Two.").await;
    let session = first.body.run.session_id;
    let count = rig.event_count(session).await;
    rig.clock.advance(Duration::from_mins(1));
    for process in [&rig, &rig.again()] {
        for _ in 0..50 {
            assert_eq!(body(&process.notes(&first, "done").await), body(&blocked));
            assert_eq!(body(&process.notes(&blocked, good).await), body(&advanced));
        }
    }
    assert_eq!(rig.event_count(session).await, count);
}

// shows: WR-255, WR-257
#[tokio::test]
async fn a_replay_needs_no_lock_and_a_new_output_does() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let other = Rig::local(dir.path(), 2);
    let stream = StreamId::from(first.body.run.session_id);
    let held = other.journal.lease(&stream).await.unwrap();
    assert_eq!(body(&rig.notes(&first, "One.").await), body(&second));
    let error = rig.sessions.proceed(ack(&second, "Two.", vec![])).await.unwrap_err();
    assert_eq!(error.code(), Code::TokenSessionLocked);
    drop(held);
    assert!(rig.notes(&second, "Two.").await.body.is_complete);
}

fn fresh_token(reply: &Reply) -> &str {
    let [ReplyNotice::OutputNotRecorded { ack_token, .. }] = reply.notices.as_slice() else {
        panic!("{:?}", reply.notices)
    };
    ack_token
}

// shows: D77
// shows in part: WR-247 (another output)
#[tokio::test]
async fn another_output_under_a_used_token_is_not_recorded_and_that_is_said() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.submit(&first, "One.", vec![json!({"kind": "k", "a": 1})]).await.unwrap();
    for (notes, artifacts) in [
        ("One!", vec![json!({"kind": "k", "a": 1})]),
        ("One.", vec![]),
        ("One.", vec![json!({"kind": "k", "a": 2})]),
        ("One.", vec![json!({"kind": "k", "a": 1}), json!({"kind": "k", "a": 2})]),
        ("", vec![]),
    ] {
        let again = rig.submit(&first, notes, artifacts.clone()).await.unwrap();
        assert_eq!(body(&again), body(&second));
        let token = fresh_token(&again);
        assert!(ReplyNotice::text_of(&again.notices).unwrap().contains(token));
    }
    let same = rig.submit(&first, "One.", vec![json!({"kind": "k", "a": 1.0})]).await.unwrap();
    assert_eq!(same.notices, [], "the same, written in another way");
    let again = rig.notes(&first, "One, better.").await;
    let mut request = ack(&first, "One, better.", vec![]);
    request.ack_token = Some(fresh_token(&again).to_owned());
    let forked = rig.sessions.proceed(request).await.unwrap();
    assert_eq!((pending(&forked), forked.notices.len()), ("two", 0));
    assert_ne!(body(&forked), body(&second));
}

// shows: WR-249
#[tokio::test]
async fn a_replayed_block_names_another_output_too() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let blocked = rig.notes(&first, "done").await;
    let mended = "```\nls\n```\nIt lists what is there.";
    let again = rig.notes(&first, mended).await;
    assert_eq!(body(&again), body(&blocked), "the recorded block stands");
    let mut request = ack(&first, mended, vec![]);
    request.ack_token = Some(fresh_token(&again).to_owned());
    assert_eq!(pending(&rig.sessions.proceed(request).await.unwrap()), "two");
}

// shows in part: WR-292 (what a reply said stays what it said)
#[tokio::test]
async fn preferences_that_change_later_do_not_change_what_was_answered() {
    let rig = Rig::memory();
    let mut confirmed = step("two");
    confirmed["requireConfirmation"] = json!(true);
    let compiled = workflow(&[step("one"), confirmed, step("three")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let run = &second.body.run;
    let change = Prefer {
        session: run.session_id,
        run: run.run_id,
        source: PreferenceSource::User,
        changes: vec![PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop)],
    };
    let effective = rig.sessions.prefer(change).await.unwrap();
    assert_eq!(effective.autonomy, Autonomy::FullAutoNeverStop);
    assert_eq!(body(&rig.notes(&first, "One.").await), body(&second));
    let now = rig.sessions.reader().rehydrate(&second.body.state_token).await.unwrap();
    assert_eq!(now.body.preferences.autonomy, Autonomy::FullAutoNeverStop);
    assert_ne!(now.body.next_intent, second.body.next_intent);
    let third = rig.notes(&second, "").await;
    assert_eq!(pending(&third), "three", "it does not stop for missing notes");
}
