//! Runs of files in the classic dialect over stores.

use piton_store::port::BlobNamespace;
use piton_workflow::event::{EventBody, OutputPayload};
use piton_workflow::session::{Continue, Reply, ReplyKind};
use piton_workflow::{Autonomy, BlockerCode};
use serde_json::{Value, json};

use super::samples::{compiled, everything, file, looped, step};
use crate::session::rig::{Rig, ack, object, pending, start_with, state};

fn prompt(reply: &Reply) -> &str {
    &reply.body.pending.as_ref().expect("a step is pending").prompt
}

/// The artifacts of the run, in the order in which they were recorded.
async fn artifacts(rig: &Rig, reply: &Reply) -> Vec<Value> {
    let mut recorded = Vec::new();
    for event in rig.events(reply.body.run.session_id).await {
        if let EventBody::NodeOutputAppended(_, output) = event.body()
            && let OutputPayload::ArtifactRef { sha256, .. } = &output.payload
        {
            let bytes = rig.blobs.get(BlobNamespace::Artifacts, *sha256).await.expect("it is read");
            let bytes = bytes.expect("it is there");
            recorded.push(serde_json::from_slice(&bytes).expect("it is JSON"));
        }
    }
    recorded
}

/// Submits notes, and says something to the run.
async fn tell(rig: &Rig, reply: &Reply, context: Value) -> Reply {
    let call = Continue { context: Some(object(context)), ..ack(reply, "Done.", vec![]) };
    rig.sessions.proceed(call).await.expect("it is answered")
}

#[tokio::test]
async fn a_loop_over_a_list_asks_for_it_and_shows_each_item_as_it_was_then() {
    let rig = Rig::memory();
    let turning = json!({"type": "forEach", "items": "files", "maxIterations": 9});
    let mut look = step("look");
    look["prompt"] = json!("Look at {{currentItem}} for {{goal}}.");
    let steps = json!([step("list"), looped("each", &turning, &json!([look])), step("end")]);
    let first = rig.start(&compiled(&file(&steps))).await;
    let blocked = rig.notes(&first, "Listed.").await;
    assert_eq!((blocked.body.kind, pending(&blocked)), (ReplyKind::Blocked, "list"));
    let report = blocked.body.blockers.as_ref().unwrap();
    assert_eq!(report.blockers()[0].code, BlockerCode::MissingRequiredOutput);
    let told = json!({"files": ["a.rs", "b.rs"], "goal": "bugs"});
    let turn = tell(&rig, &blocked, told).await;
    let shown = "This is turn 1 of 2 of \"Loop each\".\n\nLook at a.rs for bugs.";
    assert_eq!(prompt(&turn), shown);
    let second = tell(&rig, &turn, json!({"goal": "style"})).await;
    assert!(prompt(&second).ends_with("Look at b.rs for style."));
    let again = rig.again().sessions.proceed(state(&turn)).await.unwrap();
    assert!(prompt(&again).starts_with(shown), "{}", prompt(&again));
    assert_eq!(pending(&rig.notes(&second, "Looked.").await), "end");
}

#[tokio::test]
async fn an_assessment_is_recorded_as_an_artifact_and_its_consequence_blocks() {
    let rig = Rig::memory();
    let first = rig.start(&compiled(&everything())).await;
    let notes = "The plan has 3 files and is long enough.";
    let rating = |scope: &str| json!({"kind": "wr.assessment", "assessmentId": "readiness", "dimensions": {"scope": scope}});
    let blocked = rig.submit(&first, notes, vec![rating("vague")]).await.unwrap();
    let report = blocked.body.blockers.as_ref().unwrap();
    let [only] = report.blockers() else { panic!("{report:?}") };
    assert_eq!(only.code, BlockerCode::InvalidRequiredOutput);
    assert!(only.suggested_fix.as_ref().unwrap().as_str().ends_with("- Ask what is meant."));
    let next = rig.submit(&blocked, notes, vec![rating("clear")]).await.unwrap();
    assert_eq!(pending(&next), "plan--verification");
    let recorded = artifacts(&rig, &first).await;
    assert_eq!(recorded, [rating("vague"), rating("clear")]);
}

// shows: WR-344
#[tokio::test]
async fn the_summary_of_a_decision_is_bounded_and_kept_in_its_artifact() {
    let rig = Rig::memory();
    let turning = json!({"type": "while", "maxIterations": 3});
    let mut decide = step("decide");
    decide["outputContract"] = json!({"contractRef": "wr.contracts.loop_control"});
    let first =
        rig.start(&compiled(&file(&json!([looped("l", &turning, &json!([decide]))])))).await;
    let decision =
        |summary: &str| json!({"kind": "wr.loop_control", "decision": "stop", "summary": summary});
    let long = rig.submit(&first, "", vec![decision(&"x".repeat(513))]).await.unwrap();
    assert_eq!(long.body.kind, ReplyKind::Blocked);
    let done = rig.submit(&long, "", vec![decision("Nothing new was found.")]).await.unwrap();
    assert!(done.body.is_complete);
    assert_eq!(artifacts(&rig, &first).await.last(), Some(&decision("Nothing new was found.")));
}

// shows: WR-390
#[tokio::test]
async fn the_definitions_that_a_step_needs_stand_in_its_prompt_when_a_run_is_taken_up_again() {
    let rig = Rig::memory();
    let first = rig.start(&compiled(&everything())).await;
    let again = rig.again().sessions.proceed(state(&first)).await.unwrap();
    for text in ["- count(): Count the files.", "- challenge(): Argue against the result."] {
        assert_eq!(prompt(&again).matches(text).count(), 1, "{}", prompt(&again));
    }
    let shown = serde_json::to_value(again.body.pending.as_ref().unwrap()).unwrap();
    let fields: Vec<_> = shown.as_object().unwrap().keys().map(String::as_str).collect();
    assert!(fields.iter().all(|field| !field.to_lowercase().contains("function")), "{fields:?}");
}

// shows: WR-410, WR-411
#[tokio::test]
async fn more_freedom_than_recommended_is_recorded_on_the_node_in_words_and_stops_nothing() {
    let rig = Rig::memory();
    let mut source = file(&json!([step("one"), step("two")]));
    source["recommendedPreferences"] = json!({"recommendedAutonomy": "guided"});
    let workflow = compiled(&source);
    let bold = start_with(&workflow, Autonomy::FullAutoNeverStop);
    let first = rig.sessions.start(bold).await.unwrap();
    let recorded = artifacts(&rig, &first).await;
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0]["kind"], "wr.preference_warning");
    assert_eq!(recorded[0]["warning"]["recommended"], "guided");
    assert!(!recorded[0]["summary"].as_str().unwrap().is_empty());
    assert_eq!(pending(&rig.notes(&first, "Done.").await), "two");
    let careful = rig.start(&workflow).await;
    assert_eq!(artifacts(&rig, &careful).await, [json!(null); 0]);
}
