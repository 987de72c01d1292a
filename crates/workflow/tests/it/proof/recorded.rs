//! The context and outputs of a run are recorded once, and what it takes to go on is not read twice.

use std::sync::Arc;

use piton_core::{BoundedText, SessionId};
use piton_store::port::{BlobNamespace, Blobs};
use piton_workflow::event::{
    EventBody, ObservationRecorded, ObservedValue, OutputPayload, Preferences,
};
use piton_workflow::projection::SessionState;
use piton_workflow::session::{Continue, Reader, ReplyKind, ReplyNotice, Start, StartKey};
use piton_workflow::{Autonomy, Confidence, EventKind, ObservationKey, RiskPolicy};
use serde_json::{Value, json};

use crate::engine::samples::{control, decision, looped, source, step, workflow};
use crate::recall::counted::counted;
use crate::session::rig::{Rig, ack, pending, start};
use crate::source::compile_value;

fn seen(key: ObservationKey, value: &str) -> ObservationRecorded {
    let value = match key {
        ObservationKey::RepoRoot => ObservedValue::Path(BoundedText::new(value).unwrap()),
        _ => ObservedValue::ShortString(BoundedText::new(value).unwrap()),
    };
    ObservationRecorded { key, value, confidence: Confidence::High }
}

async fn observed(rig: &Rig, session: SessionId) -> Vec<String> {
    let events = rig.events(session).await;
    let seen = events.iter().filter_map(|event| match event.body() {
        EventBody::ObservationRecorded { data, .. } => {
            let value = serde_json::to_value(&data.value).unwrap();
            Some(format!("{} {}", data.key, value["value"].as_str().unwrap()))
        }
        _ => None,
    });
    seen.collect()
}

// shows: WR-159
// shows in part: WR-158 (what is seen at the start is recorded)
#[tokio::test]
async fn what_is_seen_is_recorded_when_it_is_news() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("a"), step("b"), step("c"), step("d")]);
    let root = seen(ObservationKey::RepoRoot, "/home/me/project");
    let branch = |name| seen(ObservationKey::GitBranch, name);
    let begin = Start { observations: vec![root.clone(), branch("main")], ..start(&compiled) };
    let mut reply = rig.sessions.start(begin).await.unwrap();
    let session = reply.body.run.session_id;
    let mut expected = vec!["repo_root /home/me/project", "git_branch main"];
    assert_eq!(observed(&rig, session).await, expected);
    for (name, is_news) in [("main", false), ("fix", true), ("main", true)] {
        let observations = vec![root.clone(), branch(name)];
        let request = Continue { observations, ..ack(&reply, "Done.", vec![]) };
        reply = rig.sessions.proceed(request.clone()).await.unwrap();
        if is_news {
            expected.push(if name == "fix" { "git_branch fix" } else { "git_branch main" });
        }
        // Neither does the same call again, whatever is seen by then.
        let later = Continue { observations: vec![branch("later")], ..request };
        rig.sessions.proceed(later).await.unwrap();
        assert_eq!(observed(&rig, session).await, expected);
    }
    let state = SessionState::of(&rig.events(session).await);
    let latest = state.observed(ObservationKey::GitBranch).unwrap();
    assert_eq!((latest.changes, &latest.value), (3, &branch("main").value));
}

// shows: WR-410, WR-411
#[tokio::test]
async fn preferences_beyond_the_recommended_are_recorded_told_and_never_block() {
    let rig = Rig::memory();
    let mut file = source(&[step("one"), step("two")]);
    file["recommendedPreferences"] =
        json!({"recommendedAutonomy": "guided", "recommendedRiskPolicy": "balanced"});
    let compiled = compile_value(&file).unwrap();
    let preferences =
        Preferences { autonomy: Autonomy::FullAutoNeverStop, risk_policy: RiskPolicy::Aggressive };
    let key = Some(StartKey { key: "k".to_owned(), project_dir: "/work".to_owned() });
    let begin = Start { preferences, key, ..start(&compiled) };
    let first = rig.sessions.start(begin.clone()).await.unwrap();
    assert_eq!(first.notices.len(), 2);
    let state = SessionState::of(&rig.events(first.body.run.session_id).await);
    let run = &state.runs()[0];
    let root = run.graph.root().unwrap().id;
    assert_eq!(run.outputs.at_node(root).len(), 2);
    let mut told = Vec::new();
    for output in run.outputs.at_node(root) {
        let OutputPayload::ArtifactRef { sha256, .. } = &output.payload else { panic!() };
        let bytes = rig.blobs.get(BlobNamespace::Artifacts, *sha256).await.unwrap().unwrap();
        let artifact: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(artifact["kind"], "wr.preference_warning");
        assert!(artifact["warning"]["kind"].is_string(), "it is data as well as words");
        told.push(artifact["summary"].as_str().unwrap().to_owned());
    }
    for notice in &first.notices {
        let ReplyNotice::BeyondRecommendation { message } = notice else { panic!("{notice:?}") };
        assert!(told.contains(message), "{message}");
    }
    let second = rig.notes(&first, "One.").await;
    assert_eq!((second.body.kind, pending(&second)), (ReplyKind::Ok, "two"));
    assert_eq!(rig.again().sessions.start(begin).await.unwrap(), first);
}

// shows: WR-344
#[tokio::test]
async fn a_decision_keeps_its_summary_and_its_limit() {
    let rig = Rig::memory();
    let compiled = workflow(&[looped("again", 2, &[decision("decide")]), step("end")]);
    let asked = rig.start(&compiled).await;
    let decided = |length: usize| {
        let mut artifact = control("again", "stop");
        artifact["summary"] = json!("s".repeat(length));
        vec![artifact]
    };
    let blocked = rig.submit(&asked, "", decided(513)).await.unwrap();
    assert_eq!(blocked.body.kind, ReplyKind::Blocked);
    let end = rig.submit(&blocked, "", decided(512)).await.unwrap();
    assert_eq!(pending(&end), "end");
    let state = SessionState::of(&rig.events(asked.body.run.session_id).await);
    let run = &state.runs()[0];
    let kept = run.outputs.at_node(run.graph.root().unwrap().id).last().unwrap();
    let OutputPayload::ArtifactRef { sha256, .. } = &kept.payload else { panic!() };
    let bytes = rig.blobs.get(BlobNamespace::Artifacts, *sha256).await.unwrap().unwrap();
    let artifact: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(artifact["summary"].as_str().unwrap().len(), 512);
}

// shows: WR-390
#[tokio::test]
async fn a_rehydration_brings_the_functions_of_its_steps_as_text() {
    let rig = Rig::memory();
    let uses = |id: &str, function: &str| {
        let mut step = step(id);
        step["functionReferences"] = json!([function]);
        step
    };
    let mut file = source(&[uses("one", "ask()"), uses("two", "try()"), step("three")]);
    file["functionDefinitions"] = json!([
        {"name": "ask", "definition": "Argue against the result."},
        {"name": "try", "definition": "Run it once more."},
    ]);
    let compiled = compile_value(&file).unwrap();
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    rig.notes(&second, "Two.").await;
    // At the first step, what was done in the second is summed up, with what it takes to read it.
    for (reply, counts) in [(&first, [1, 1]), (&second, [0, 1])] {
        let here = rig.sessions.reader().rehydrate(&reply.body.state_token).await.unwrap();
        let prompt = &here.body.pending.as_ref().unwrap().prompt;
        let count = |text: &str| prompt.matches(text).count();
        let found = [count("Argue against the result."), count("Run it once more.")];
        assert_eq!(found, counts, "{prompt}");
        let mut body = serde_json::to_value(&here.body).unwrap();
        body["pending"]["prompt"] = json!("");
        assert!(!body.to_string().contains("once more"), "there is no other place for them");
    }
}

// shows: WR-206
#[tokio::test]
async fn asking_where_a_run_stands_reads_no_event_twice() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let first = rig.start(&workflow(&[step("one"), step("two")])).await;
    let second = rig.notes(&first, "One.").await;
    let (journal, counts) = counted(&rig.journal);
    let blobs = Arc::<dyn Blobs>::clone(&rig.blobs);
    let reader = Reader::new(Arc::clone(&journal) as _, blobs as _, Arc::clone(&rig.keys));
    for (token, loads) in [(&first.body.state_token, 1), (&second.body.state_token, 0)] {
        reader.rehydrate(token).await.unwrap();
        assert_eq!(counts.take().0, loads);
    }
    let last = rig.notes(&second, "Two.").await;
    assert!(reader.rehydrate(&last.body.state_token).await.unwrap().body.is_complete);
    assert_eq!(counts.take().0, 0, "what came since was followed");
    let kinds = rig.kinds(first.body.run.session_id).await;
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKind::AdvanceRecorded).count(), 2);
}
