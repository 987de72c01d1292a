//! The shape of a run, as a page draws it.

use piton_core::TimestampMs;
use piton_store::StreamId;
use piton_workflow::projection::{DecisionKind, RunShape};
use piton_workflow::session::{Checkpoint, PersonVerdict, Reply, RunLine, SettleRequest};
use serde_json::{Value, json};

use super::person::needing;
use super::rig::{Rig, state};
use crate::classic::samples as classic;
use crate::engine::samples::{control, decision, looped, step, workflow};

const START: u64 = 1_700_000_000_000;
const MINUTE: u64 = 60_000;

async fn shape(rig: &Rig, reply: &Reply) -> RunShape {
    let reader = rig.sessions.reader();
    let RunLine { session_id, run_id, .. } = reply.body.run;
    let inspected = reader.inspect(session_id).await.unwrap();
    assert!(inspected.damage().is_none());
    reader.run_shape(&inspected, run_id).await.unwrap()
}

fn titles(shape: &RunShape) -> Vec<Option<&str>> {
    let title = |row: &Option<u32>| row.map(|row| shape.titles[row as usize].as_str());
    shape.nodes.title.iter().map(title).collect()
}

#[tokio::test]
async fn a_shape_has_times_turns_forks_waits_and_refusals() {
    let rig = Rig::memory();
    let minute = || rig.clock.advance(std::time::Duration::from_millis(MINUTE));
    let rounds = looped("rounds", 3, &[decision("decide")]);
    let compiled = workflow(&[rounds, needing("drop", "needs_user_approval"), step("end")]);
    let first = rig.start(&compiled).await;
    minute();
    let second = rig.submit(&first, "", vec![control("rounds", "continue")]).await.unwrap();
    minute();
    // Without the artifact of its contract, the step is refused.
    let refused = rig.notes(&second, "I forgot it.").await;
    minute();
    let third = rig.submit(&refused, "", vec![control("rounds", "stop")]).await.unwrap();
    let bookmark = Checkpoint {
        checkpoint_token: third.body.checkpoint_token.clone().unwrap(),
        ..Checkpoint::default()
    };
    rig.sessions.checkpoint(bookmark).await.unwrap();
    minute();
    let waits = rig.notes(&third, "They agree.").await;
    minute();
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let yes = SettleRequest::new(session, run, PersonVerdict::Approved);
    rig.sessions.record_verdict(yes).await.unwrap();
    minute();
    let fourth = rig.notes(&waits, "Dropped.").await;
    rig.notes(&fourth, "Ended.").await;
    // The second step once more: another branch.
    let back = rig.sessions.proceed(state(&second)).await.unwrap();
    minute();
    rig.submit(&back, "", vec![control("rounds", "stop")]).await.unwrap();

    let shape = shape(&rig, &first).await;
    let at = |minutes: u64| TimestampMs(START + minutes * MINUTE);
    // The bookmark is the fourth node; the end of the run has no step.
    assert_eq!(
        titles(&shape),
        [
            Some("Title of decide"),
            Some("Title of decide"),
            Some("Title of drop"),
            Some("Title of drop"),
            Some("Title of end"),
            None,
            Some("Title of drop"),
        ]
    );
    assert_eq!(shape.nodes.parent, [None, Some(0), Some(1), Some(2), Some(2), Some(4), Some(1)]);
    assert_eq!(shape.nodes.turn, [Some(1), Some(2), None, None, None, None, None]);
    assert_eq!(shape.nodes.created, [0, 1, 3, 3, 6, 6, 7].map(at));
    let numbers: Vec<_> =
        shape.steps.iter().map(|step| (step.step_id.as_str(), step.number)).collect();
    assert_eq!(numbers, [("decide", 1), ("drop", 2), ("end", 3)]);
    assert_eq!(shape.attempts.node, [0, 1, 1, 2, 2, 4, 1]);
    assert_eq!(shape.attempts.at, [1, 2, 3, 4, 6, 6, 7].map(at));
    let reached = [Some(1), None, Some(2), None, Some(4), Some(5), Some(6)];
    assert_eq!(shape.attempts.reached, reached);
    let blocked: Vec<_> = shape.blocked.iter().map(|one| (one.node, one.count)).collect();
    assert_eq!(blocked, [(1, 1)]);
    assert_eq!(shape.attempts.asked, [3], "who only asks a person is not refused");
    let [wait] = shape.waits.as_slice() else { panic!("{:?}", shape.waits) };
    assert_eq!((wait.node, wait.from, wait.until), (2, at(4), Some(at(5))));
    assert_eq!(wait.decision, Some(DecisionKind::Approved));
    assert_eq!(shape.bookmarks, [3]);
    assert_eq!(shape.forks, [6], "an ordinary step is no fork");
    assert_eq!(shape.tips, [5, 6]);
    assert_eq!((shape.preferred_tip, shape.path), (Some(6), vec![0, 1, 6]));
    assert_eq!((shape.open_gaps.len(), shape.unplaced), (0, 0));
}

#[tokio::test]
async fn a_confirmation_is_waited_for_from_the_node_to_the_decision_or_the_attempt() {
    let rig = Rig::memory();
    let confirmed = |id: &str| {
        let mut step = step(id);
        step["requireConfirmation"] = json!(true);
        step
    };
    let compiled = workflow(&[confirmed("one"), confirmed("two"), confirmed("three")]);
    let first = rig.start(&compiled).await;
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let yes = SettleRequest::new(session, run, PersonVerdict::Approved);
    rig.sessions.record_verdict(yes).await.unwrap();
    let second = rig.notes(&first, "One.").await;
    rig.notes(&second, "Two, without asking.").await;
    let shape = shape(&rig, &first).await;
    let ends: Vec<_> =
        shape.waits.iter().map(|wait| (wait.node, wait.until.is_some(), wait.decision)).collect();
    assert_eq!(ends, [(0, true, Some(DecisionKind::Approved)), (1, true, None), (2, false, None)]);
}

#[tokio::test]
async fn titles_with_variables_are_those_that_the_agent_read() {
    let rig = Rig::memory();
    let mut looking = classic::step("one");
    looking["title"] = json!("Look at {{what}}");
    let file = classic::file(&json!([looking, classic::step("two")]));
    let compiled = classic::compiled(&file);
    let mut request = super::rig::start(&compiled);
    request.context = json!({"what": "the log"}).as_object().cloned().unwrap();
    let first = rig.sessions.start(request).await.unwrap();
    rig.notes(&first, "One.").await;
    assert_eq!(titles(&shape(&rig, &first).await), [Some("Look at the log"), Some("Title of two")]);
}

#[tokio::test]
async fn a_damaged_session_has_the_shape_of_its_valid_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two"), step("three")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    rig.notes(&second, "Two.").await;
    let RunLine { session_id: session, run_id: run, .. } = first.body.run;
    let events = dir.path().join("sessions").join(StreamId::from(session).as_str()).join("events");
    let mut segments: Vec<_> =
        std::fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    let newest = segments.last().unwrap();
    let text = std::fs::read_to_string(newest).unwrap().replace("Two.", "Two!");
    std::fs::write(newest, text).unwrap();

    let rig = Rig::local(dir.path(), 2);
    let reader = rig.sessions.reader();
    let inspected = reader.inspect(session).await.unwrap();
    assert!(inspected.damage().is_some());
    assert!(inspected.cursor().is_none());
    let shape = reader.run_shape(&inspected, run).await.unwrap();
    assert_eq!(titles(&shape), [Some("Title of one"), Some("Title of two")]);
    // What is not there at all is no damage.
    assert!(reader.inspect(piton_core::SessionId::from_bytes([9; 16])).await.is_err());
}

#[tokio::test]
async fn a_lost_snapshot_hides_no_other_node() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let end = rig.notes(&second, "Two.").await;
    assert!(end.body.is_complete);
    let whole: Value = serde_json::to_value(shape(&rig, &first).await).unwrap();
    assert_eq!(whole["unplaced"], 0);
    // Another process finds none of the blobs but the workflow.
    let pinned = rig
        .blobs
        .get(piton_store::port::BlobNamespace::PinnedWorkflows, compiled.workflow_hash().digest());
    let pinned = pinned.await.unwrap().unwrap();
    let fewer = Rig::memory();
    fewer.blobs.put(piton_store::port::BlobNamespace::PinnedWorkflows, pinned).await.unwrap();
    let bare = Rig::over(rig.journal.clone(), fewer.blobs.clone(), rig.keys.clone(), 3);
    let shape = shape(&bare, &first).await;
    assert_eq!(titles(&shape), [Some("Title of one"), Some("Title of two"), None]);
    assert_eq!(shape.unplaced, 1, "the end is known to its snapshot alone");
}

// shows in part: WR-514 (the probes)
#[tokio::test]
async fn a_shape_folds_the_probes_that_piton_added() {
    let rig = Rig::memory();
    let probe = json!({
        "type": "template_call", "id": "web",
        "templateId": "wr.templates.capability_probe", "args": { "capability": "web_browsing" },
    });
    let first = rig.start(&workflow(&[step("one"), probe, step("two")])).await;
    let second = rig.notes(&first, "One.").await;
    let observed = json!({
        "kind": "wr.capability_observation", "capability": "web_browsing", "result": "success",
    });
    rig.submit(&second, "Tried.", vec![observed]).await.unwrap();
    let shape = shape(&rig, &first).await;
    let steps: Vec<_> =
        shape.steps.iter().map(|step| (step.step_id.as_str(), step.collapsed)).collect();
    assert_eq!(steps, [("one", false), ("web--probe", true), ("two", false)]);
}
