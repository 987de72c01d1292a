//! Tokens of calls: long, short, crossed and wrong.

use std::time::Duration;

use piton_core::Code;
use piton_workflow::session::{Continue, SubmittedOutput};
use piton_workflow::token::verify;

use super::rig::{Rig, ack, body, pending, state};
use crate::engine::samples::{step, workflow};
use crate::token::samples::mint;

// shows in part: WR-139 (the text of the token)
#[tokio::test]
async fn the_short_token_of_a_reply_goes_on_in_any_process() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two")]);
    for _ in 0..5 {
        rig.start(&compiled).await;
    }
    let first = rig.start(&compiled).await;
    let short = first.body.next_call.clone().unwrap().params.ack_token.unwrap();
    assert!(short.len() <= 40, "{short}");
    assert!(first.text().contains(&short));
    let other = Rig::local(dir.path(), 2);
    let mut request = ack(&first, "One.", vec![]);
    request.ack_token = Some(short);
    let second = other.sessions.proceed(request.clone()).await.unwrap();
    assert_eq!(pending(&second), "two");
    let long = rig.notes(&first, "One.").await;
    assert_eq!(body(&long), body(&second));
}

// shows: WR-139 (with the_short_token_of_a_reply_goes_on_in_any_process)
#[tokio::test]
async fn an_attempt_is_the_same_by_its_id_and_by_nothing_else() {
    let rig = Rig::memory();
    let first = rig.start(&workflow(&[step("one"), step("two")])).await;
    let second = rig.notes(&first, "One.").await;
    let session = first.body.run.session_id;
    let before = rig.event_count(session).await;
    let token = first.body.ack_token.clone().unwrap();
    let payload = verify(&token.parse().unwrap(), &*rig.keys).await.unwrap();
    // Signed with another key, at another time, with another output: the same attempt.
    rig.keys.rotate().await.unwrap();
    rig.clock.advance(Duration::from_hours(24));
    let again = mint(&payload, &*rig.keys).await.unwrap().as_str().to_owned();
    assert_ne!(again, token);
    for (ack_token, notes) in [(&token, "One."), (&again, "One."), (&again, "One, again.")] {
        let request = Continue { ack_token: Some(ack_token.clone()), ..ack(&first, notes, vec![]) };
        let reply = rig.sessions.proceed(request).await.unwrap();
        assert_eq!(reply.body.run, second.body.run);
        assert_eq!(reply.body.pending, second.body.pending);
        assert_eq!(rig.event_count(session).await, before);
    }
    // Another id, at the same node, with the same output, signed with the same key: another attempt.
    let here = rig.sessions.proceed(state(&first)).await.unwrap();
    rig.notes(&here, "One.").await;
    assert!(rig.event_count(session).await > before);
}

// shows: WR-238, WR-562
#[tokio::test]
async fn crossed_tokens_are_refused_and_the_error_leads_both_runs_on() {
    let rig = Rig::memory();
    let one = rig.start(&workflow(&[step("one"), step("two")])).await;
    let one = rig.notes(&one, "One.").await;
    let other = rig.start(&workflow(&[step("alpha")])).await;
    let sessions = [one.body.run.session_id, other.body.run.session_id];
    let before = [rig.event_count(sessions[0]).await, rig.event_count(sessions[1]).await];
    let crossed =
        Continue { state_token: Some(other.body.state_token.clone()), ..ack(&one, "Two.", vec![]) };
    let envelope = rig.sessions.proceed(crossed).await.unwrap_err().envelope();
    assert_eq!(envelope.code, Code::TokenScopeMismatch);
    for reply in [&one, &other] {
        let label = reply.body.run.label.to_string();
        assert!(envelope.message.contains(&label), "{}", envelope.message);
        let short = reply.body.next_call.as_ref().unwrap().params.ack_token.clone().unwrap();
        assert!(envelope.suggestion.contains(&short), "{}", envelope.suggestion);
    }
    assert!(envelope.message.contains("waiting at step 2 \"Title of two\""));
    let after = [rig.event_count(sessions[0]).await, rig.event_count(sessions[1]).await];
    assert_eq!(before, after);
    let paired =
        Continue { state_token: Some(one.body.state_token.clone()), ..ack(&one, "Two.", vec![]) };
    assert!(rig.sessions.proceed(paired).await.unwrap().body.is_complete);
}

// shows in part: WR-238 (within a run)
#[tokio::test]
async fn tokens_of_two_steps_of_one_run_are_refused() {
    let rig = Rig::memory();
    let first = rig.start(&workflow(&[step("one"), step("two")])).await;
    let second = rig.notes(&first, "One.").await;
    let session = first.body.run.session_id;
    let before = rig.event_count(session).await;
    for (acked, stated) in [(&first, &second), (&second, &first)] {
        let state_token = Some(stated.body.state_token.clone());
        let crossed = Continue { state_token, ..ack(acked, "Again.", vec![]) };
        let envelope = rig.sessions.proceed(crossed).await.unwrap_err().envelope();
        assert_eq!(envelope.code, Code::TokenScopeMismatch);
        assert!(envelope.message.contains("different steps"), "{}", envelope.message);
    }
    assert_eq!(rig.event_count(session).await, before);
}

#[tokio::test]
async fn a_wrong_token_is_refused_by_its_code() {
    let rig = Rig::memory();
    let stranger = Rig::seeded(50);
    let compiled = workflow(&[step("one"), step("two")]);
    let reply = rig.start(&compiled).await;
    let foreign = stranger.start(&compiled).await;
    let mut shortened = reply.body.ack_token.clone().unwrap();
    shortened.truncate(shortened.len() - 4);
    let with_ack = |token: &str| Continue {
        ack_token: Some(token.to_owned()),
        output: Some(SubmittedOutput::default()),
        ..Continue::default()
    };
    let short = reply.body.next_call.clone().unwrap().params.ack_token.unwrap();
    let forged = [&short[..short.len() - 1], if short.ends_with('0') { "1" } else { "0" }].concat();
    for (request, code) in [
        (Continue::default(), Code::ValidationError),
        (with_ack("hello"), Code::TokenInvalidFormat),
        (with_ack(&shortened), Code::TokenInvalidFormat),
        (with_ack(&shortened.replace("ack.v1", "ack.v2")), Code::TokenUnsupportedVersion),
        (with_ack(foreign.body.ack_token.as_ref().unwrap()), Code::TokenBadSignature),
        (with_ack(&reply.body.state_token), Code::TokenScopeMismatch),
        (with_ack(&forged), Code::TokenBadSignature),
        (with_ack("ak-00000000-0-0-m3v8c2nq5wp1d6x0"), Code::TokenUnknownNode),
        (
            Continue { output: Some(SubmittedOutput::default()), ..state(&reply) },
            Code::ValidationError,
        ),
    ] {
        let error = rig.sessions.proceed(request.clone()).await.unwrap_err();
        assert_eq!(error.code(), code, "{request:?}: {error}");
    }
}
