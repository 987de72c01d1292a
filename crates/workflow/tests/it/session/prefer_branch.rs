//! A person prefers a branch.

use piton_core::{Code, Envelope, NodeId};
use piton_workflow::event::EventBody;
use piton_workflow::projection::{SessionState, status};
use piton_workflow::session::{Continue, PersonVerdict, PreferBranch, Reply, SettleRequest};
use piton_workflow::{GapSeverity, RunStatus, UserOnlyDependency};

use super::person::needing;
use super::rig::{Rig, pending, state};
use crate::engine::samples::{step, workflow};

/// A run that was left at its first step in two ways; the node of each tip, the older first.
async fn forked(rig: &Rig) -> (Reply, NodeId, NodeId) {
    let compiled = workflow(&[step("one"), needing("drop", "needs_user_choice"), step("end")]);
    let first = rig.start(&compiled).await;
    rig.notes(&first, "The left way.").await;
    let again = rig.sessions.proceed(state(&first)).await.unwrap();
    rig.notes(&again, "The right way.").await;
    let projected = SessionState::of(&rig.events(first.body.run.session_id).await);
    let graph = &projected.runs()[0].graph;
    let right = graph.preferred_tip().unwrap().id;
    let left = graph.nodes().find(|node| node.is_tip() && node.id != right).unwrap().id;
    (first, left, right)
}

fn prefer(reply: &Reply, node: NodeId) -> PreferBranch {
    let run = &reply.body.run;
    let by = Some("Anna".parse().unwrap());
    PreferBranch { session: run.session_id, run: run.run_id, node, by }
}

async fn tip(rig: &Rig, reply: &Reply) -> NodeId {
    let projected = SessionState::of(&rig.events(reply.body.run.session_id).await);
    projected.runs()[0].graph.preferred_tip().unwrap().id
}

#[tokio::test]
async fn the_run_is_at_the_branch_that_a_person_prefers_and_it_is_recorded_once() {
    let rig = Rig::memory();
    let (first, left, right) = forked(&rig).await;
    assert_eq!(tip(&rig, &first).await, right);
    let session = first.body.run.session_id;
    let before = rig.event_count(session).await;
    let chosen = rig.sessions.prefer_branch(prefer(&first, left)).await.unwrap();
    assert_eq!((chosen.tip_id, chosen.was_preferred), (left, false));
    assert_eq!(tip(&rig, &first).await, left);
    let events = rig.events(session).await;
    for event in &events[before..] {
        let EventBody::GapRecorded(at, gap) = event.body() else { panic!("{event:?}") };
        assert_eq!((at.node, gap.severity), (left, GapSeverity::Info));
        assert_eq!(gap.summary.as_str(), "A person (Anna) prefers this branch.");
    }
    // A repetition writes nothing, and so does another process.
    for process in [&rig, &rig.again()] {
        let again = process.sessions.prefer_branch(prefer(&first, left)).await.unwrap();
        assert!(again.was_preferred);
    }
    assert_eq!(rig.event_count(session).await, events.len());
    // The other way round it works too.
    rig.sessions.prefer_branch(prefer(&first, right)).await.unwrap();
    assert_eq!(tip(&rig, &first).await, right);
}

#[tokio::test]
async fn a_choice_of_the_branch_is_no_answer_to_its_question_and_no_gap() {
    let rig = Rig::memory();
    let (first, left, _) = forked(&rig).await;
    rig.sessions.prefer_branch(prefer(&first, left)).await.unwrap();
    let run = &first.body.run;
    let here = rig.sessions.reader().take_up_at(run.session_id, run.run_id, None).await.unwrap();
    let here = Continue { state_token: here.next_call.params.state_token, ..Continue::default() };
    let here = rig.sessions.proceed(here).await.unwrap();
    assert_eq!(pending(&here), "drop");
    // The step needs a person still: the same kind of dependency as the record of the choice.
    let blocked = rig.notes(&here, "They will surely agree.").await;
    assert_eq!(blocked.body.blockers.as_ref().unwrap().blockers().len(), 1);
    let projected = SessionState::of(&rig.events(run.session_id).await);
    let left_run = &projected.runs()[0];
    assert_eq!(status(left_run, false), RunStatus::Blocked);
    assert!(left_run.decisions_on(left).is_empty(), "nobody decided about the step");
    let open: Vec<_> = left_run.gaps.open_on(left).filter(|gap| !gap.is_of_person()).collect();
    assert_eq!(open.len(), 1, "the question alone is open");
    // The question is asked, and its answer counts, also after the branch was preferred once more.
    let question = rig.sessions.reader().question(run.session_id, run.run_id).await.unwrap();
    assert_eq!(question.unwrap().reason, UserOnlyDependency::Choice);
    let answer = PersonVerdict::Answered("the old table".to_owned());
    let answer = SettleRequest::new(run.session_id, run.run_id, answer);
    rig.sessions.record_verdict(answer).await.unwrap();
    let told = rig.sessions.proceed(state(&blocked)).await.unwrap();
    assert_eq!(pending(&rig.notes(&told, "Dropped it.").await), "end");
}

#[tokio::test]
async fn a_step_that_the_run_does_not_have_is_refused() {
    let rig = Rig::memory();
    let (_, left, _) = forked(&rig).await;
    let (other, ..) = forked(&rig).await;
    let strange = PreferBranch { node: left, ..prefer(&other, left) };
    let refused: Envelope = rig.sessions.prefer_branch(strange).await.unwrap_err().into();
    assert_eq!(refused.code, Code::ValidationError);
    assert!(!refused.suggestion.is_empty());
}
