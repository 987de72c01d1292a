//! Runs of files in the shipped dialect over stores.

use piton_store::port::Namespace;
use piton_workflow::BlockerCode;
use piton_workflow::event::{EventBody, OutputPayload};
use piton_workflow::session::{Continue, Reply, ReplyKind};
use serde_json::{Value, json};

use super::samples::{compiled, everything, file, looped, step};
use crate::session::rig::{Rig, ack, object, pending, state};

fn prompt(reply: &Reply) -> &str {
    &reply.body.pending.as_ref().expect("a step is pending").prompt
}

/// Hands in notes, and says something to the run.
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
    let blocked = rig.hand_in(&first, notes, vec![rating("vague")]).await.unwrap();
    let report = blocked.body.blockers.as_ref().unwrap();
    let [blocker] = report.blockers() else { panic!("{report:?}") };
    assert_eq!(blocker.code, BlockerCode::InvalidRequiredOutput);
    assert!(blocker.suggested_fix.as_ref().unwrap().as_str().ends_with("- Ask what is meant."));
    let next = rig.hand_in(&blocked, notes, vec![rating("clear")]).await.unwrap();
    assert_eq!(pending(&next), "plan--verification");
    let mut recorded = Vec::new();
    for event in rig.events(first.body.run.session_id).await {
        if let EventBody::NodeOutputAppended(_, output) = event.body()
            && let OutputPayload::ArtifactRef { sha256, .. } = &output.payload
        {
            let bytes = rig.blobs.get(Namespace::Artifacts, *sha256).await.unwrap().unwrap();
            recorded.push(serde_json::from_slice::<Value>(&bytes).unwrap());
        }
    }
    assert_eq!(recorded, [rating("vague"), rating("clear")]);
}
