//! Bookmarks.

use piton_workflow::event::EventBody;
use piton_workflow::projection::SessionState;
use piton_workflow::session::{Checkpoint, Reply, SubmittedOutput};
use piton_workflow::{EdgeCause, EdgeKind, NodeKind};
use serde_json::json;

use super::rig::{Rig, pending, state};
use crate::engine::samples::{step, workflow};

fn bookmark(reply: &Reply, notes: Option<&str>) -> Checkpoint {
    Checkpoint {
        checkpoint_token: reply.body.checkpoint_token.clone().expect("a step is pending"),
        output: notes.map(|notes| SubmittedOutput {
            notes_markdown: Some(notes.to_owned()),
            artifacts: vec![json!({"kind": "commit", "id": "abc"})],
        }),
        label: None,
    }
}

// shows: WR-258, WR-259, WR-436, D11, D12
#[tokio::test]
async fn a_bookmark_is_made_once_and_changes_nothing_about_the_run() {
    let rig = Rig::memory();
    let compiled = workflow(&[step("one"), step("two"), step("three")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let made = rig.sessions.checkpoint(bookmark(&second, Some("Before the risky part."))).await;
    let made = made.unwrap();
    let session = first.body.run.session_id;
    let count = rig.event_count(session).await;
    for process in [&rig, &rig.again()] {
        for _ in 0..50 {
            let again = process.sessions.checkpoint(bookmark(&second, Some("Other words."))).await;
            assert_eq!(again.unwrap(), made);
        }
    }
    let events = rig.events(session).await;
    assert_eq!(events.len(), count);
    let edge = events.iter().find_map(|event| match event.body() {
        EventBody::EdgeCreated(_, edge) if edge.kind() == EdgeKind::Checkpoint => {
            Some(edge.clone())
        }
        _ => None,
    });
    let edge = edge.unwrap();
    assert_eq!(edge.cause().kind, EdgeCause::CheckpointCreated);
    assert_eq!(edge.to(), made.body.checkpoint_node_id);
    let projected = SessionState::of(&events);
    let run = &projected.runs()[0];
    let node = run.graph.node(edge.to()).unwrap();
    assert_eq!(node.kind, NodeKind::Checkpoint);
    assert_eq!(run.outputs.recap(node.id), Some("Before the risky part."));
    assert_eq!(run.graph.preferred_tip().unwrap().id, edge.from(), "the step is the tip still");
    let third = rig.notes(&second, "Two.").await;
    assert_eq!(pending(&third), "three");

    let back = rig.sessions.proceed(piton_workflow::session::Continue {
        state_token: made.body.next_call.params.state_token.clone(),
        ..Default::default()
    });
    let back = back.await.unwrap();
    assert_eq!(pending(&back), "two");
    assert_eq!(back.body.checkpoint_token, Some(made.body.checkpoint_token));
    assert!(back.body.pending.as_ref().unwrap().prompt.contains("Before the risky part."));
    let another = rig.sessions.checkpoint(bookmark(&back, None)).await.unwrap();
    assert_ne!(another.body.checkpoint_node_id, made.body.checkpoint_node_id);
    assert!(another.body.text().contains("bookmark"), "{}", another.body.text());
}

// shows: WR-133, WR-243, WR-260
#[tokio::test]
async fn asking_where_a_run_stands_writes_nothing_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let rig = Rig::local(dir.path(), 1);
    let compiled = workflow(&[step("one"), step("two")]);
    let first = rig.start(&compiled).await;
    let second = rig.notes(&first, "One.").await;
    let before = tree(dir.path());
    for reply in [&first, &second] {
        for _ in 0..3 {
            rig.sessions.proceed(state(reply)).await.unwrap();
        }
        let other = Rig::local(dir.path(), 2);
        let here = rig.sessions.proceed(state(reply)).await.unwrap();
        assert_eq!(other.sessions.proceed(state(reply)).await.unwrap(), here);
    }
    assert_eq!(tree(dir.path()), before);
}

/// Every file under `root`, with its content.
pub(super) fn tree(root: &std::path::Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let content = std::fs::read(&path).unwrap();
                found.push((path, content));
            }
        }
    }
    found.sort();
    found
}
