//! Everything that can be asked about a run, answered from the events of one that was led by an agent.

use std::sync::Arc;

use piton_core::SessionId;
use piton_store::StreamId;
use piton_store::memory::MemoryIndex;
use piton_store::port::{Blobs, Journal};
use piton_workflow::event::AdvanceOutcome;
use piton_workflow::projection::{ResumeQuery, RunState, SessionState, status};
use piton_workflow::run_index::RunIndex;
use piton_workflow::session::{Continue, Start};
use piton_workflow::{
    Autonomy, Capability, CapabilityStatus, OutputChannel, RunStatus, SessionEvent,
};
use serde_json::{Value, json};

use crate::engine::samples::{step, workflow};
use crate::session::rig::{Rig, ack, object, start, state, strict_step};

/// What a run was, after a refusal, a fork, and everything that an artifact can say.
async fn led(rig: &Rig) -> SessionId {
    let compiled = workflow(&[step("one"), strict_step("two"), step("three")]);
    let told = object(json!({"ticket": "A-1"}));
    let begun = Start { context: told, goal: Some("Mend it".into()), ..start(&compiled) };
    let first = rig.sessions.start(begun).await.unwrap();
    let seen = json!({"kind": "wr.capability_observation", "capability": "web_browsing",
                      "result": "failure", "failureCode": "tool_missing"});
    let second = rig.submit(&first, "One.", vec![seen, json!({"kind": "x.y"})]).await.unwrap();
    rig.notes(&second, "Short.").await;
    let again = rig.sessions.proceed(state(&first)).await.unwrap();
    let change = object(json!({"ticket": "A-2"}));
    let request = Continue { context: Some(change), ..ack(&again, "One, again.", vec![]) };
    rig.sessions.proceed(request).await.unwrap();
    first.body.run.session_id
}

fn context(run: &RunState, ordinal: usize) -> Value {
    let node = run.graph.nodes().nth(ordinal).unwrap();
    serde_json::to_value(run.contexts.effective(node.id)).unwrap()
}

// shows: WR-444
#[tokio::test]
async fn everything_that_can_be_asked_about_a_run_is_answered_from_its_events() {
    let rig = Rig::memory();
    let session = led(&rig).await;
    let loaded = rig.journal.load(&StreamId::from(session)).await;
    let events = loaded.expect("the session is healthy").events;
    let folded = SessionState::of(&events);
    let [run] = folded.runs() else { panic!("there is one run") };
    let nodes: Vec<_> = run.graph.nodes().map(|node| node.id).collect();
    let [root, first, second] = nodes[..] else { panic!("{nodes:?}") };

    // The graph: a fork, with the newer branch preferred.
    assert_eq!(run.graph.tips().map(|tip| tip.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(run.graph.preferred_tip().unwrap().id, second);
    // Outputs and artifacts.
    assert_eq!(run.outputs.recap(root), Some("One, again."));
    assert_eq!(run.outputs.at_node(root).len(), 4);
    assert_eq!(run.outputs.current(root, OutputChannel::Artifact).count(), 2);
    // Attempts: one that was blocked, two that went on.
    let outcomes = run.advances.all();
    let blocked = |outcome: &AdvanceOutcome| matches!(outcome, AdvanceOutcome::Blocked { .. });
    assert_eq!(outcomes.iter().filter(|(_, one)| blocked(&one.outcome)).count(), 1);
    assert_eq!(outcomes.iter().filter(|(_, one)| !blocked(&one.outcome)).count(), 2);
    // Gaps, and the status that follows from them.
    assert_eq!((run.gaps.open_on(first).count(), run.gaps.open_on(second).count()), (1, 0));
    assert_eq!(status(run, false), RunStatus::InProgress);
    assert_eq!(status(run, true), RunStatus::CompleteWithGaps);
    // What each branch knows, prefers and can do.
    assert_eq!(
        (context(run, 1), context(run, 2)),
        (json!({"goal": "Mend it", "ticket": "A-1"}), json!({"goal": "Mend it", "ticket": "A-2"}),)
    );
    assert_eq!(run.preferences.effective(second).unwrap().autonomy, Autonomy::Guided);
    let browsing = run.capabilities.capability(first, Capability::WebBrowsing);
    assert_eq!(browsing.shown, CapabilityStatus::Unavailable);
    offered(&rig, session).await;
}

/// The run is found again by what it is about.
async fn offered(rig: &Rig, session: SessionId) {
    let journal: Arc<dyn Journal<SessionEvent>> = Arc::clone(&rig.journal);
    let blobs = Arc::<dyn Blobs>::clone(&rig.blobs);
    let recall = RunIndex::new(journal, blobs, Arc::new(MemoryIndex::new()));
    let query = ResumeQuery { text: Some("mend"), ..ResumeQuery::default() };
    let offers = recall.resume(&query).await.unwrap().ranking.offers;
    assert_eq!(offers.iter().map(|offer| offer.summary.session_id).collect::<Vec<_>>(), [session]);
}
