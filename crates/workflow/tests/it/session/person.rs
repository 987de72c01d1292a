//! Steps that need a person.

use piton_core::Code;
use piton_core::port::Clock as _;
use piton_workflow::projection::{SessionState, status};
use piton_workflow::session::{PersonVerdict, Reply, RunLine, SettleRequest};
use piton_workflow::{Autonomy, BlockerCode, NextIntent, RunStatus, UserOnlyDependency};
use serde_json::{Value, json};

use super::rig::{Rig, pending, start_with, state};
use crate::engine::samples::{source, step, workflow};
use crate::source::compile_value;

pub(crate) fn needing(id: &str, reason: &str) -> Value {
    let mut step = step(id);
    step["needsUser"] = json!({"reason": reason, "question": "May the table be dropped?"});
    if reason == "needs_user_choice" {
        step["needsUser"]["choice"] = json!("irreversible_action");
    }
    step
}

fn verdict(reply: &Reply, verdict: PersonVerdict) -> SettleRequest {
    let RunLine { session_id: session, run_id: run, .. } = reply.body.run;
    SettleRequest::new(session, run, verdict)
}

// shows: WR-284, WR-288
// shows in part: WR-277 (user only), WR-280 (user only), WR-442 (user only)
#[tokio::test]
async fn a_step_that_needs_a_person_waits_for_them_in_each_way_that_there_is() {
    for reason in UserOnlyDependency::ALL {
        let rig = Rig::memory();
        let compiled = workflow(&[needing("drop", reason.as_str()), step("end")]);
        let first = rig.start(&compiled).await;
        assert!(first.text().contains("May the table be dropped?"), "{}", first.text());
        let blocked = rig.notes(&first, "They will surely agree.").await;
        let report = blocked.body.blockers.as_ref().unwrap().blockers();
        assert_eq!((report.len(), report[0].code), (1, BlockerCode::UserOnlyDependency));
        assert!(report[0].message.as_str().contains("May the table be dropped?"));
        let session = first.body.run.session_id;
        let projected = SessionState::of(&rig.events(session).await);
        assert_eq!(status(&projected.runs()[0], false), RunStatus::Blocked);

        let no = verdict(&first, PersonVerdict::Refused("make a backup first".to_owned()));
        assert_eq!(rig.sessions.record_verdict(no).await.unwrap().reason, *reason);
        let again = rig.sessions.proceed(state(&blocked)).await.unwrap();
        assert!(again.text().contains("refused: make a backup first"), "{}", again.text());
        let still = rig.notes(&again, "There is a backup now.").await;
        assert_eq!(still.body.blockers.as_ref().unwrap().blockers().len(), 1);

        let yes = verdict(&first, PersonVerdict::Answered("yes, after Friday".to_owned()));
        rig.sessions.record_verdict(yes).await.unwrap();
        let told = rig.sessions.proceed(state(&still)).await.unwrap();
        assert!(told.text().contains("answered: yes, after Friday"), "{}", told.text());
        let end = rig.notes(&told, "Dropped on Saturday.").await;
        assert_eq!(pending(&end), "end");
        let projected = SessionState::of(&rig.events(session).await);
        assert_eq!(projected.runs()[0].gaps.open_critical(), 0);
    }
}

#[tokio::test]
async fn a_run_that_never_stops_goes_on_without_a_person_and_records_that() {
    let rig = Rig::memory();
    let compiled = workflow(&[needing("drop", "needs_user_approval"), step("end")]);
    let first =
        rig.sessions.start(start_with(&compiled, Autonomy::FullAutoNeverStop)).await.unwrap();
    let end = rig.notes(&first, "Dropped.").await;
    assert_eq!(pending(&end), "end");
    assert_eq!(end.body.gaps_recorded.len(), 1);
    let last = rig.notes(&end, "Done.").await;
    let projected = SessionState::of(&rig.events(last.body.run.session_id).await);
    assert_eq!(status(&projected.runs()[0], true), RunStatus::CompleteWithGaps);
}

#[tokio::test]
async fn a_person_may_speak_before_the_agent_does_and_only_where_somebody_is_asked() {
    let rig = Rig::memory();
    let mut confirmed = step("end");
    confirmed["requireConfirmation"] = json!(true);
    let compiled = workflow(&[needing("drop", "needs_user_approval"), step("between"), confirmed]);
    let first = rig.start(&compiled).await;
    rig.sessions.record_verdict(verdict(&first, PersonVerdict::Approved)).await.unwrap();
    let between = rig.notes(&first, "Dropped.").await;
    assert_eq!(pending(&between), "between");
    let error =
        rig.sessions.record_verdict(verdict(&first, PersonVerdict::Approved)).await.unwrap_err();
    assert_eq!(error.code(), Code::ValidationError);
    let end = rig.notes(&between, "Between.").await;
    assert_eq!(end.body.next_intent, NextIntent::AwaitUserConfirmation);
    rig.sessions.record_verdict(verdict(&first, PersonVerdict::Approved)).await.unwrap();
    let now = rig.sessions.proceed(state(&end)).await.unwrap();
    assert_eq!(now.body.next_intent, NextIntent::PerformPendingThenContinue, "they said yes");
    let long = verdict(&first, PersonVerdict::Answered("x".repeat(513)));
    assert_eq!(rig.sessions.record_verdict(long).await.unwrap_err().code(), Code::ValidationError);
}

#[test]
fn what_a_step_needs_of_a_person_is_read_strictly() {
    let problems = |need: Value| {
        let mut step = step("drop");
        step["needsUser"] = need;
        let found = compile_value(&source(&[step])).unwrap_err();
        found.iter().map(|problem| format!("{} {}", problem.path, problem.code)).collect::<Vec<_>>()
    };
    let question = "Which?";
    for (need, expected) in [
        (
            json!({"reason": "needs_user_choice", "question": question}),
            "/steps/0/needsUser missing_field",
        ),
        (
            json!({"reason": "needs_user_approval", "choice": "scope_boundary", "question": question}),
            "/steps/0/needsUser/choice unknown_field",
        ),
        (
            json!({"reason": "needs_rest", "question": question}),
            "/steps/0/needsUser/reason unknown_name",
        ),
        (json!({"reason": "needs_user_approval"}), "/steps/0/needsUser missing_field"),
    ] {
        assert_eq!(problems(need), [expected]);
    }
}

#[tokio::test]
async fn a_person_is_asked_once_for_each_attempt_and_their_answer_counts_where_they_were_asked() {
    let rig = Rig::memory();
    let mut confirmed = step("end");
    confirmed["requireConfirmation"] = json!(true);
    let compiled = workflow(&[needing("drop", "needs_user_choice"), confirmed, step("last")]);
    let first = rig.start(&compiled).await;
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let question = || async { rig.sessions.reader().question(session, run).await.unwrap() };
    assert_eq!(question().await, None, "the agent has to do its part first");

    let blocked = rig.notes(&first, "They will surely agree.").await;
    let asked = question().await.unwrap();
    assert_eq!(asked.words.as_deref(), Some("May the table be dropped?"));
    assert_eq!(asked.reason, UserOnlyDependency::Choice);
    let at = |node, verdict| SettleRequest {
        node: Some(node),
        ..SettleRequest::new(session, run, verdict)
    };
    let no = PersonVerdict::Refused("not today".to_owned());
    rig.sessions.record_verdict(at(asked.node, no.clone())).await.unwrap();
    assert_eq!(question().await, None, "no is an answer");
    let again = rig.notes(&blocked, "They still agree.").await;
    let asked_again = question().await.unwrap();
    assert_eq!(asked_again.node, asked.node);
    rig.sessions.record_verdict(at(asked.node, no)).await.unwrap();
    assert_eq!(question().await, None, "the same words again are another answer");
    let projected = SessionState::of(&rig.events(session).await);
    assert_eq!(projected.runs()[0].decisions_on(asked.node).len(), 2, "both are in the history");
    let again = rig.notes(&again, "And now?").await;
    assert!(question().await.is_some());
    let yes = PersonVerdict::Answered("drop it".to_owned());
    rig.sessions.record_verdict(at(asked.node, yes)).await.unwrap();
    assert_eq!(question().await, None);

    let end = rig.notes(&again, "Dropped.").await;
    assert_eq!(end.body.next_intent, NextIntent::AwaitUserConfirmation);
    let confirm = question().await.unwrap();
    assert_eq!((confirm.reason, confirm.words), (UserOnlyDependency::Approval, None));
    let late =
        rig.sessions.record_verdict(at(asked.node, PersonVerdict::Approved)).await.unwrap_err();
    assert_eq!(late.code(), Code::ValidationError, "the run is elsewhere by now");
    assert!(question().await.is_some(), "nothing was recorded");
    rig.sessions.record_verdict(at(confirm.node, PersonVerdict::Approved)).await.unwrap();
    assert_eq!(question().await, None);
}

#[tokio::test]
async fn of_two_persons_who_decide_at_once_one_is_told_what_the_other_decided() {
    let rig = Rig::memory();
    let compiled = workflow(&[needing("drop", "needs_user_approval"), step("end")]);
    let first = rig.start(&compiled).await;
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let blocked = rig.notes(&first, "They will surely agree.").await;
    let asked = rig.sessions.reader().question(session, run).await.unwrap().unwrap();
    assert_eq!(asked.since, rig.clock.now_ms());
    let verdict = |by: &str, verdict| SettleRequest {
        node: Some(asked.node),
        by: Some(by.parse().unwrap()),
        ..SettleRequest::new(session, run, verdict)
    };
    let other = rig.again();
    let (anna, bert) = tokio::join!(
        rig.sessions.record_verdict(verdict("Anna", PersonVerdict::Approved)),
        other.sessions.record_verdict(verdict("Bert", PersonVerdict::Refused("no".to_owned()))),
    );
    let (won, lost) = match (anna, bert) {
        (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
        both => panic!("exactly one counts: {both:?}"),
    };
    let winner = if won.summary.contains("Anna") { "Anna approved" } else { "Bert refused" };
    let lost = lost.envelope();
    assert!(lost.message.contains(winner), "{}", lost.message);
    let details = serde_json::to_value(lost.details.unwrap()).unwrap();
    assert_eq!(details["by"], winner[..4]);
    let events = rig.events(session).await;
    let state = SessionState::of(&events);
    let decisions = state.runs()[0].decisions_on(asked.node);
    assert_eq!(decisions.len(), 1, "nothing of the other was recorded");
    assert_eq!(decisions[0].by.as_ref().unwrap().as_str(), &winner[..4]);
    assert_eq!(details["event"], serde_json::to_value(decisions[0].index).unwrap());

    // Whoever has seen that decision may overrule it, once.
    let again = |by| SettleRequest {
        replaces: Some(decisions[0].index),
        ..verdict(by, PersonVerdict::Approved)
    };
    rig.sessions.record_verdict(again("Clara")).await.unwrap();
    let late = rig.sessions.record_verdict(again("Dora")).await.unwrap_err();
    assert!(late.to_string().contains("Clara approved"), "{late}");
    // The run goes on, and the question is gone with it.
    rig.notes(&blocked, "Dropped.").await;
    let late = verdict("Dora", PersonVerdict::Approved);
    let late = rig.sessions.record_verdict(late).await.unwrap_err();
    assert!(late.to_string().contains("Clara approved"), "{late}");
}
