//! Steps that are refused again and again, until the person is asked.

use piton_core::Code;
use piton_workflow::projection::{SessionState, status};
use piton_workflow::session::{PersonVerdict, Question, Reply, ReplyKind, RunLine, SettleRequest};
use piton_workflow::{
    Autonomy, BlockerCode, NextIntent, PreferenceSource, RunStatus, UserOnlyDependency,
};

use super::person::needing;
use super::rig::{Rig, ack, body, pending, start_with, state, strict_step};
use crate::engine::samples::{step, workflow};

const GOOD: &str = "```\ncargo test login\n```\nObserved: it fails 3 of 50 times.";

/// True if the person is among what is missing.
fn asks(reply: &Reply) -> bool {
    let report = reply.body.blockers.as_ref().expect("it is refused").blockers();
    report.iter().any(|blocker| blocker.code == BlockerCode::UserOnlyDependency)
}

async fn refused(rig: &Rig, first: &Reply, times: usize) -> Reply {
    let mut reply = first.clone();
    for _ in 0..times {
        reply = rig.notes(&reply, "done").await;
    }
    reply
}

async fn question(rig: &Rig, reply: &Reply) -> Option<Question> {
    let RunLine { session_id, run_id, .. } = reply.body.run;
    rig.sessions.reader().question(session_id, run_id).await.unwrap()
}

async fn say(rig: &Rig, reply: &Reply, verdict: PersonVerdict) {
    let RunLine { session_id, run_id, .. } = reply.body.run;
    let request = SettleRequest::new(session_id, run_id, verdict);
    let settled = rig.sessions.record_verdict(request).await.unwrap();
    assert_eq!((settled.reason, settled.is_held), (UserOnlyDependency::Approval, true));
}

// shows: WR-565 (with refusals_add_one_question_where_something_is_missing_and_change_nothing_else, advice_reaches_the_agent_and_starts_the_count_anew, an_approval_accepts_one_output_as_it_is_and_records_what_it_lacks, a_rejected_step_stays_stopped_whatever_is_submitted, the_limit_is_that_of_the_call)
// shows in part: WR-286 (too many refusals)
#[tokio::test]
async fn the_third_refusal_of_a_step_asks_the_person_and_says_so() {
    for autonomy in [Autonomy::Guided, Autonomy::FullAutoStopOnUserDeps] {
        let rig = Rig::memory();
        let compiled = workflow(&[strict_step("one"), step("two")]);
        let first = rig.sessions.start(start_with(&compiled, autonomy)).await.unwrap();
        let second = refused(&rig, &first, 2).await;
        assert!(!asks(&second));
        assert_eq!(question(&rig, &second).await, None);
        let third = rig.notes(&second, "done").await;
        assert!(asks(&third));
        assert_eq!(third.body.blockers.as_ref().unwrap().blockers().len(), 2, "the reasons stay");
        assert!(third.text().contains("refused 3 times in a row"), "{}", third.text());
        let asked = question(&rig, &third).await.unwrap();
        let words = asked.words.unwrap();
        assert!(words.contains("refused 3 times in a row"), "{words}");
        assert!(words.contains("Show the command in a code block."), "{words}");
        assert_eq!(asked.notes.as_deref(), Some("done"));
        let again = rig.sessions.proceed(ack(&second, "done", vec![])).await.unwrap();
        assert_eq!(body(&again), body(&third), "a repeated call is answered from the record");
        // Nobody has to wait for the person to submit what was asked for.
        let next = rig.notes(&third, GOOD).await;
        assert_eq!(pending(&next), "two");
        assert_eq!(question(&rig, &next).await, None);
        let projected = SessionState::of(&rig.events(first.body.run.session_id).await);
        assert_eq!(status(&projected.runs()[0], false), RunStatus::InProgress);
        assert_eq!(projected.runs()[0].gaps.open().count(), 0);
    }
}

// shows in part: WR-565 (advice)
#[tokio::test]
async fn advice_reaches_the_agent_and_starts_the_count_anew() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let third = refused(&rig, &first, 3).await;
    say(&rig, &third, PersonVerdict::Answered("put the command into a fence".to_owned())).await;
    assert_eq!(question(&rig, &third).await, None);
    let told = rig.sessions.proceed(state(&third)).await.unwrap();
    assert!(told.text().contains("put the command into a fence"), "{}", told.text());
    let fifth = refused(&rig, &told, 2).await;
    assert!(!asks(&fifth));
    let sixth = rig.notes(&fifth, "done").await;
    assert!(asks(&sixth));
    assert!(question(&rig, &sixth).await.is_some());
}

// shows in part: WR-565 (an approval)
#[tokio::test]
async fn an_approval_accepts_one_output_as_it_is_and_records_what_it_lacks() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), strict_step("two")]);
    let first = rig.start(&compiled).await;
    let third = refused(&rig, &first, 3).await;
    say(&rig, &third, PersonVerdict::Approved).await;
    let told = rig.sessions.proceed(state(&third)).await.unwrap();
    assert_eq!(told.body.next_intent, NextIntent::PerformPendingThenContinue);
    let two = rig.notes(&told, "done").await;
    assert_eq!(pending(&two), "two");
    assert_eq!(two.body.gaps_recorded.len(), 1, "{}", two.text());
    let projected = SessionState::of(&rig.events(first.body.run.session_id).await);
    assert!(projected.runs()[0].gaps.open_critical() > 0);
    let refused_there = rig.notes(&two, "done").await;
    assert_eq!(refused_there.body.kind, ReplyKind::Blocked, "it counts for that step alone");
    let now = rig.sessions.proceed(state(&third)).await.unwrap();
    let branch = rig.notes(&now, "done differently").await;
    assert_eq!(branch.body.kind, ReplyKind::Blocked, "and for one output");
}

// shows in part: WR-565 (a rejection)
#[tokio::test]
async fn a_rejected_step_stays_stopped_whatever_is_submitted() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let third = refused(&rig, &first, 3).await;
    say(&rig, &third, PersonVerdict::Refused("leave it".to_owned())).await;
    let told = rig.sessions.proceed(state(&third)).await.unwrap();
    let fourth = rig.notes(&told, GOOD).await;
    assert!(asks(&fourth));
    assert!(question(&rig, &fourth).await.is_some(), "they may think again");
    say(&rig, &fourth, PersonVerdict::Answered("go on, then".to_owned())).await;
    let next = rig.notes(&fourth, GOOD).await;
    assert_eq!(pending(&next), "two");
}

#[tokio::test]
async fn a_step_that_waits_for_the_person_anyway_asks_one_question() {
    let rig = Rig::memory();
    let mut both = needing("one", "needs_user_approval");
    both["validationCriteria"] = strict_step("one")["validationCriteria"].clone();
    let compiled = workflow(&[both, step("two")]);
    let first = rig.start(&compiled).await;
    let third = refused(&rig, &first, 3).await;
    let report = third.body.blockers.as_ref().unwrap().blockers();
    assert_eq!(report.len(), 2, "{}", third.text());
    let asked = question(&rig, &third).await.unwrap();
    assert_eq!(asked.words.as_deref(), Some("May the table be dropped?"));
    say(&rig, &third, PersonVerdict::Approved).await;
    let fourth = rig.notes(&third, "done").await;
    assert!(!asks(&fourth), "that yes was about the table");
    assert_eq!(fourth.body.kind, ReplyKind::Blocked);
}

// shows in part: WR-287 (too many refusals)
#[tokio::test]
async fn a_run_that_never_stops_asks_nobody() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let third = refused(&rig, &first, 3).await;
    assert!(asks(&third));
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let never = piton_workflow::event::PreferenceChange::Autonomy(Autonomy::FullAutoNeverStop);
    let prefer = piton_workflow::session::Prefer {
        session,
        run,
        source: PreferenceSource::User,
        changes: vec![never],
    };
    rig.sessions.prefer(prefer).await.unwrap();
    let next = rig.notes(&third, "done").await;
    assert_eq!(pending(&next), "two");
    assert_eq!(next.body.gaps_recorded.len(), 1, "{}", next.text());
}

// shows in part: WR-565 (the setting)
#[tokio::test]
async fn the_limit_is_that_of_the_call() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let call = ack(&first, "done", vec![]);
    let call = piton_workflow::session::Continue { ask_after_refusals: Some(1), ..call };
    let blocked = rig.sessions.proceed(call.clone()).await.unwrap();
    assert!(asks(&blocked));
    assert!(blocked.text().contains("it was refused once."), "{}", blocked.text());
    let call = piton_workflow::session::Continue { ask_after_refusals: None, ..call };
    let again = rig.sessions.proceed(call).await.unwrap();
    assert_eq!(body(&again), body(&blocked), "the record decides, not the setting of today");
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let good = rig.notes(&blocked, GOOD).await;
    assert_eq!(pending(&good), "two");
    let late = SettleRequest::new(session, run, PersonVerdict::Approved);
    let late = rig.sessions.record_verdict(late).await.unwrap_err();
    assert_eq!(late.code(), Code::ValidationError, "there is nothing left to settle");
}
