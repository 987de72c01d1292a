//! Submitting outputs.

use piton_store::port::BlobNamespace;
use piton_workflow::event::{AdvanceOutcome, EventBody, OutputPayload};
use piton_workflow::projection::{SessionState, status};
use piton_workflow::token::{AckPayload, verify};
use piton_workflow::{Autonomy, EdgeCause, EventKind, NextIntent, RunStatus, TraceEntryKind};
use serde_json::json;

use super::checkpoint::tree;
use super::rig::{Rig, ack, body, pending, start_with, state, strict_step};
use crate::engine::samples::{control, decision, looped, source, step, workflow};
use crate::source::compile_value;

// shows: WR-304 (with a_tool_that_takes_notes_asks_for_those_of_one_step_and_says_what_they_hold)
// shows in part: WR-140, WR-261, WR-263 (what an advance records)
#[tokio::test]
async fn an_output_leads_to_the_next_step_and_to_the_end() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One is done.").await;
    assert_eq!((pending(&first), pending(&second)), ("one", "two"));
    let session = first.body.run.session_id;
    let kinds = rig.kinds(session).await;
    assert_eq!(
        kinds[kinds.len() - 5..],
        [
            EventKind::AdvanceRecorded,
            EventKind::DecisionTraceAppended,
            EventKind::NodeCreated,
            EventKind::EdgeCreated,
            EventKind::NodeOutputAppended,
        ]
    );
    let last = rig.notes(&second, "Two is done.").await;
    assert!(last.body.is_complete);
    assert_eq!(last.body.next_intent, NextIntent::Complete);
    assert_eq!((last.body.ack_token, last.body.pending), (None, None));
    let state = SessionState::of(&rig.events(session).await);
    let run = &state.runs()[0];
    assert_eq!(status(run, true), RunStatus::Complete);
    let recaps: Vec<_> =
        run.graph.nodes().map(|node| run.outputs.recap(node.id).unwrap_or("-")).collect();
    assert_eq!(recaps, ["One is done.", "Two is done.", "-"]);
}

// shows: WR-132, WR-134
#[tokio::test]
async fn every_attempt_is_recorded_once_at_the_node_of_its_token_whether_it_advances_or_not() {
    let rig = Rig::memory();
    let first = rig.start(&workflow(&[strict_step("one"), step("two"), step("three")])).await;
    let mut calls = Vec::new();
    let mut expected = Vec::new();
    let mut reply = first.clone();
    let mut second = None;
    for (notes, outcome) in [
        ("done", "blocked"),
        ("done, too", "blocked"),
        ("```\nls\n```\nIt lists what is there.", "advanced"),
        ("", "blocked"),
        ("Two.", "advanced"),
        ("Two, in another way.", "advanced"),
    ] {
        if notes == "Two, in another way." {
            let left = second.as_ref().expect("the second step was reached");
            reply = rig.sessions.proceed(state(left)).await.unwrap();
        }
        let token = reply.body.ack_token.as_ref().unwrap().parse().unwrap();
        let named = verify(&token, &*rig.keys).await.unwrap().into_ack().unwrap();
        let AckPayload { address, attempt } = named;
        expected.push((address.run, address.node, attempt, outcome));
        calls.push(ack(&reply, notes, vec![]));
        reply = rig.notes(&reply, notes).await;
        if pending(&reply) == "two" {
            second = Some(reply.clone());
        }
    }
    // The same calls again, in another process too, are no attempts.
    for process in [&rig, &rig.again()] {
        for call in &calls {
            process.sessions.proceed(call.clone()).await.unwrap();
        }
    }
    let events = rig.events(first.body.run.session_id).await;
    let recorded = events.iter().filter_map(|event| match event.body() {
        EventBody::AdvanceRecorded(at, record) => {
            let outcome = match record.outcome {
                AdvanceOutcome::Blocked { .. } => "blocked",
                AdvanceOutcome::Advanced { .. } => "advanced",
            };
            Some((at.run, at.node, record.attempt_id, outcome))
        }
        _ => None,
    });
    assert_eq!(recorded.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn what_is_recorded_reads_the_same_in_another_process_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let compiled =
        workflow(&[step("one"), looped("again", 3, &[step("look"), decision("decide")])]);
    let rig = Rig::local(dir.path(), 1);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "Done.").await;
    let other = Rig::local(dir.path(), 2);
    let third = other.notes(&second, "Looked.").await;
    assert_eq!(pending(&third), "decide");
    let go_on = vec![control("again", "continue")];
    let fourth = rig.submit(&third, "", go_on.clone()).await.unwrap();
    assert_eq!(pending(&fourth), "look");
    assert_eq!(fourth.body.run.turn, Some(2));
    // The same token in the other process is the same answer.
    let again = other.submit(&third, "", go_on).await.unwrap();
    assert_eq!(body(&again), body(&fourth));
}

// shows: WR-041, WR-130, WR-253, WR-254, WR-548
#[tokio::test]
async fn attempts_from_one_node_are_branches_and_all_but_the_first_are_told_as_forks() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two"), step("three")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    rig.notes(&second, "Two.").await;
    for fork in 0..10 {
        let here = rig.sessions.reader().rehydrate(&second.body.state_token).await.unwrap();
        assert_ne!(here.body.ack_token, second.body.ack_token);
        let reached = rig.notes(&here, &format!("Two, again: {fork}.")).await;
        assert_eq!(pending(&reached), "three");
    }
    let events = rig.events(first.body.run.session_id).await;
    let state = SessionState::of(&events);
    let run = &state.runs()[0];
    let forked = run.graph.nodes().nth(1).unwrap();
    assert_eq!(run.graph.children(forked).count(), 11);
    let causes: Vec<_> = run.graph.children(forked).map(|child| child.cause.unwrap()).collect();
    assert_eq!(causes[0], EdgeCause::IntentionalFork);
    assert!(causes[1..].iter().all(|cause| *cause == EdgeCause::NonTipAdvance));
    let told = events.iter().filter(|event| match event.body() {
        EventBody::DecisionTraceAppended(_, trace) => {
            trace.entries()[0].kind == TraceEntryKind::DetectedNonTipAdvance
        }
        _ => false,
    });
    assert_eq!(told.count(), 10);
    assert_eq!(run.graph.tips().count(), 11, "a branch is what ends in a tip");
    let named = events.iter().map(|event| serde_json::to_string(event).unwrap());
    assert_eq!(named.filter(|line| line.contains("branch")).count(), 10, "in words alone");
}

// shows: WR-009, WR-145, WR-149, WR-150
#[tokio::test]
async fn artifacts_are_stored_by_their_digest_and_recorded_in_its_order() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two")]);
    let large = json!({"kind": "x", "text": "y".repeat(1 << 20)});
    let artifacts = [
        json!({"kind": "z", "b": 1.0, "a": "é"}),
        large,
        json!({"kind": "list", "of": [1, 2]}),
        json!({"a": "é", "b": 1, "kind": "z"}),
    ];
    let mut orders = Vec::new();
    for rotation in 0..artifacts.len() {
        let mut artifacts = artifacts.to_vec();
        artifacts.rotate_left(rotation);
        let first = rig.start(&compiled).await;
        rig.submit(&first, "Notes.", artifacts).await.unwrap();
        let events = rig.events(first.body.run.session_id).await;
        let outputs: Vec<_> = events
            .iter()
            .filter_map(|event| match event.body() {
                EventBody::NodeOutputAppended(_, output) => Some(output.payload.clone()),
                _ => None,
            })
            .collect();
        assert!(matches!(outputs[0], OutputPayload::Notes { .. }));
        assert_eq!(outputs.len(), 4, "two of them are one");
        for output in &outputs[1..] {
            let OutputPayload::ArtifactRef { sha256, byte_length, .. } = output else { panic!() };
            let bytes = rig.blobs.get(BlobNamespace::Artifacts, *sha256).await.unwrap().unwrap();
            assert_eq!(bytes.len(), *byte_length as usize);
            let line = serde_json::to_string(output).unwrap();
            assert!(line.len() < 200, "{line}");
        }
        orders.push(outputs);
    }
    assert!(orders.windows(2).all(|pair| pair[0] == pair[1]));
}

// shows: WR-287, WR-288, WR-343
#[tokio::test]
async fn a_run_that_never_stops_goes_on_and_records_what_is_missing() {
    let rig = Rig::memory();
    let compiled = workflow(&[strict_step("one"), decision("two"), step("three")]);
    let start = start_with(&compiled, Autonomy::FullAutoNeverStop);
    let first = rig.sessions.start(start).await.unwrap();
    let second = rig.notes(&first, "done").await;
    assert_eq!(pending(&second), "two");
    assert_eq!(second.body.gaps_recorded.len(), 1);
    let third = rig.notes(&second, "").await;
    assert_eq!(pending(&third), "three");
    let last = rig.notes(&third, "").await;
    assert!(last.body.is_complete);
    let state = SessionState::of(&rig.events(first.body.run.session_id).await);
    let run = &state.runs()[0];
    assert_eq!(run.gaps.open().count(), 3);
    assert_eq!(status(run, true), RunStatus::CompleteWithGaps);
    let again = rig.sessions.proceed(ack(&first, "done", vec![])).await.unwrap();
    assert_eq!(body(&again), body(&second));
}

// shows: WR-141
#[tokio::test]
async fn an_output_is_added_and_changes_nothing_that_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let first = rig.start(&workflow(&[strict_step("one"), step("two")])).await;
    let blocked = rig.notes(&first, "done").await;
    let before = tree(dir.path());
    rig.notes(&blocked, "```\nls\n```\nIt lists what is there.").await;
    let after: std::collections::BTreeMap<_, _> = tree(dir.path()).into_iter().collect();
    for (path, content) in before {
        assert!(after[&path].starts_with(&content), "{} was changed", path.display());
        let is_control = path.ends_with("manifest.jsonl");
        assert!(is_control || after[&path] == content, "{} grew", path.display());
    }
}

// shows: WR-302
// shows in part: WR-301 (what a probe records)
#[tokio::test]
async fn what_was_observed_and_the_pinned_workflow_decide_the_way() {
    let mut file = source(&[step("one"), step("two")]);
    file["capabilities"] = json!({"web_browsing": "required"});
    let compiled = compile_value(&file).unwrap();
    for (result, expected) in [("success", vec!["one", "two"]), ("failure", vec![])] {
        let mut observed = json!({"kind": "wr.capability_observation",
                                  "capability": "web_browsing", "result": result});
        if result == "failure" {
            observed["failureCode"] = json!("tool_missing");
        }
        for seed in [1, 2] {
            let rig = Rig::seeded(seed);
            let mut reply = rig.start(&compiled).await;
            let probe = pending(&reply).to_owned();
            reply = rig.submit(&reply, "Tried it.", vec![observed.clone()]).await.unwrap();
            let recorded = rig.events(reply.body.run.session_id).await;
            let recorded = recorded.iter().find_map(|event| match event.body() {
                EventBody::CapabilityObserved(_, recorded) => Some(recorded.clone()),
                _ => None,
            });
            let recorded = serde_json::to_value(recorded.unwrap()).unwrap();
            assert_eq!(
                recorded["provenance"],
                json!({
                    "kind": "probe_step",
                    "enforcementGrade": "strong",
                    "detail": {
                        "probeTemplateId": "wr.templates.capability_probe",
                        "probeStepId": probe,
                        "result": result,
                    },
                })
            );
            let mut way = Vec::new();
            while pending(&reply) != probe && !reply.body.is_complete {
                way.push(pending(&reply).to_owned());
                reply = rig.notes(&reply, "Done.").await;
            }
            assert_eq!(way, expected, "{result}");
        }
    }
}
