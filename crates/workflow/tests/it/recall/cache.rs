//! What is kept between two looks, and between two processes.

use std::sync::Arc;

use piton_core::SessionId;
use piton_store::{
    StreamId,
    memory::MemoryIndex,
    port::{Collection, Document, IndexedSource},
};
use piton_workflow::{
    projection::{ResumeQuery, RunSummary, SUMMARY_VERSION},
    run_index::{RunIndex, remove_from_index},
};
use serde_json::{Value, json};

use super::{
    counted::{CountedBlobs, counted},
    sessions::Session,
    store::Store,
};

fn collection() -> Collection {
    Collection { name: "runs".parse().unwrap(), version: (SUMMARY_VERSION << 8) | 2 }
}

/// What the index has of a session.
async fn entry(store: &Store, session: SessionId) -> Value {
    let page = store.index.scan(&collection(), None, 1_000).await.unwrap();
    let source = page.sources.into_iter().find(|source| source.name == session.to_string());
    let source = source.expect("the index has it");
    let run = |payload: &[u8]| serde_json::from_slice::<Value>(payload).unwrap();
    let runs: Vec<Value> = source.documents.iter().map(|(_, payload)| run(payload)).collect();
    json!({"cursor": String::from_utf8(source.cursor).unwrap(), "runs": runs})
}

/// Makes the index say something else of a session.
async fn plant(store: &Store, session: SessionId, entry: &Value) {
    let runs = entry["runs"].as_array().cloned().unwrap_or_default();
    let document = |(number, run): (usize, &Value)| Document {
        id: format!("{number:06}"),
        fields: [("active", 2_000), ("started", 1_000)]
            .map(|(name, time)| (name.parse().unwrap(), time.into()))
            .into(),
        text: run["recap"].as_str().unwrap_or_default().to_owned(),
        payload: run.to_string().into_bytes(),
    };
    let documents = runs.iter().enumerate().map(document).collect();
    let cursor = entry["cursor"].as_str().unwrap_or_default().into();
    let source = IndexedSource { name: session.to_string(), cursor, documents };
    store.index.replace(&collection(), vec![source]).await.unwrap();
}

async fn runs(recall: &RunIndex) -> Vec<Arc<RunSummary>> {
    let listing = recall.list().await.unwrap();
    assert!(listing.troubled.is_empty(), "{listing:?}");
    listing.runs
}

#[tokio::test]
async fn a_session_is_read_once_and_then_only_followed() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut first = Session::begin(&store, 1, None).await;
        Session::begin(&store, 2, None).await;
        let (journal, counts) = counted(&store.journal);
        let blobs = CountedBlobs::new(&store.blobs);
        let process = || {
            RunIndex::new(
                Arc::clone(&journal) as _,
                Arc::clone(&blobs) as _,
                Arc::clone(&store.index),
            )
        };
        let here = process();
        runs(&here).await;
        assert_eq!(counts.take(), (2, 0), "nothing is known");
        runs(&here).await;
        assert_eq!(counts.take(), (0, 2), "nothing happened");
        let there = process();
        runs(&there).await;
        assert_eq!(counts.take(), (0, 2), "the index knows");
        first.advance(&store, "on").await;
        runs(&here).await;
        assert_eq!(counts.take(), (1, 2), "one session went on");
        there.resume(&ResumeQuery::default()).await.unwrap();
        let (loads, _) = counts.take();
        assert_eq!(loads, 2, "what is offered is read, though the index knows it");
        there.resume(&ResumeQuery::default()).await.unwrap();
        assert_eq!(counts.take(), (0, 2), "and not read twice");
    }
}

// shows: WR-449
#[tokio::test]
async fn a_look_reads_each_snapshot_and_each_workflow_once() {
    let store = Store::in_memory();
    for number in 1..=5 {
        Session::begin(&store, number, None).await.advance(&store, "on").await;
    }
    let blobs = CountedBlobs::new(&store.blobs);
    let (journal, index) = (Arc::clone(&store.journal), Arc::new(MemoryIndex::new()));
    let recall = RunIndex::new(journal, Arc::clone(&blobs) as _, index);
    assert_eq!(runs(&recall).await.len(), 5);
    let reads = blobs.reads();
    assert_eq!(reads.len(), 2, "one snapshot that all share, and one workflow");
    assert!(reads.values().all(|&count| count == 1), "{reads:?}");
}

// shows: WR-445
#[tokio::test]
async fn what_was_followed_equals_what_is_read_anew() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut sessions = Vec::new();
        for number in 1..=3 {
            sessions.push(Session::begin(&store, number, Some("a goal")).await);
        }
        let here = store.recall();
        runs(&here).await;
        for round in 0..3 {
            sessions[round].see_branch(&store, "main").await;
            for session in &mut sessions[..=round] {
                session.advance(&store, &format!("round {round}")).await;
                let expected = runs(&store.recall_anew()).await;
                assert_eq!(runs(&here).await, expected);
                assert_eq!(runs(&store.recall()).await, expected, "from the index");
            }
        }
        let entry = entry(&store, sessions[0].id).await;
        assert!(entry["cursor"].is_string());
    }
}

// shows: WR-446
#[tokio::test]
async fn an_entry_that_cannot_be_right_is_made_again() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut session = Session::begin(&store, 1, None).await;
        session.advance(&store, "on").await;
        let expected = runs(&store.recall()).await;
        let good = entry(&store, session.id).await;
        let other = SessionId::from_bytes([2; 16]).to_string();
        let changes: [(&str, Value); 7] = [
            ("/cursor", json!("1.2.3")),
            ("/cursor", json!("1.2.3.4.5")),
            ("/runs", json!([good["runs"][0], good["runs"][0]])),
            ("/runs/0/sessionId", json!(other)),
            ("/runs/0/label", json!("amber-acorn")),
            ("/runs/0/activity", json!(1_000)),
            ("/runs/0/status", json!("done")),
        ];
        for (pointer, value) in changes {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = value;
            plant(&store, session.id, &bad).await;
            assert_eq!(runs(&store.recall()).await, expected, "{pointer}");
            assert_eq!(entry(&store, session.id).await, good, "{pointer}: it was made again");
        }
        let other = Collection { version: collection().version + 1, ..collection() };
        let junk = |payload: &[u8]| IndexedSource {
            name: session.id.to_string(),
            cursor: good["cursor"].as_str().unwrap().into(),
            documents: vec![Document {
                id: "000000".to_owned(),
                fields: [("active".parse().unwrap(), 1.into())].into(),
                text: String::new(),
                payload: payload.to_vec(),
            }],
        };
        for bytes in [b"".as_slice(), b"{", b"null", b"\xff\x00"] {
            store.index.replace(&collection(), vec![junk(bytes)]).await.unwrap();
            assert_eq!(runs(&store.recall()).await, expected);
        }
        store.index.replace(&other, vec![junk(b"x")]).await.unwrap();
        assert_eq!(runs(&store.recall()).await, expected, "another version is not looked at");
        remove_from_index(&*store.index, [StreamId::from(session.id)]).await.unwrap();
        assert_eq!(runs(&store.recall()).await, expected, "deleted");
    }
}

// shows in part: WR-447 (the part that what is offered to be resumed comes from events)
#[tokio::test]
async fn a_poisoned_entry_changes_a_list_and_never_an_offer() {
    let store = Store::on_disk();
    let mut session = Session::begin(&store, 1, Some("the goal")).await;
    let root = session.tip;
    session.advance(&store, "about cookies").await;
    Session::begin(&store, 2, None).await;
    runs(&store.recall()).await;
    let mut bad = entry(&store, session.id).await;
    for (pointer, value) in [
        ("/runs/0/title", json!("poison")),
        ("/runs/0/tip", json!(root.to_string())),
        ("/runs/0/recap", json!("about poison")),
        ("/runs/0/goal", json!("poison")),
        ("/runs/0/status", json!("blocked")),
    ] {
        *bad.pointer_mut(pointer).unwrap() = value;
    }
    plant(&store, session.id, &bad).await;
    assert_eq!(runs(&store.recall()).await[0].title.as_str(), "poison");

    plant(&store, session.id, &bad).await;
    let poisoned = store.recall();
    let query = ResumeQuery { text: Some("poison"), ..ResumeQuery::default() };
    let offers = poisoned.resume(&query).await.unwrap().ranking.offers;
    let expected = store.recall_anew().resume(&query).await.unwrap().ranking.offers;
    assert_eq!(offers, expected);
    assert_eq!(offers[0].summary.tip, session.tip);
    assert_eq!(entry(&store, session.id).await["runs"][0]["title"], "the goal", "it is mended");
}
