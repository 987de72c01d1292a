//! What is kept between two looks, and between two processes.

use std::sync::Arc;

use piton_core::SessionId;
use piton_store::{StreamId, memory::MemoryCache, port::CacheKey};
use piton_workflow::{
    projection::{ResumeQuery, RunSummary, SUMMARY_VERSION},
    run_index::RunIndex,
};
use serde_json::{Value, json};

use super::{
    counted::{CountedBlobs, counted},
    sessions::Session,
    store::Store,
};

fn key(session: SessionId, version: u32) -> CacheKey {
    let projection = "runs".parse().unwrap();
    CacheKey { stream: StreamId::from(session), projection, version }
}

async fn entry(store: &Store, session: SessionId) -> Value {
    let bytes = store.cache.get(&key(session, SUMMARY_VERSION)).await.unwrap().unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn plant(store: &Store, session: SessionId, entry: &Value) {
    let bytes = entry.to_string().into_bytes();
    store.cache.put(&key(session, SUMMARY_VERSION), bytes).await.unwrap();
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
                Arc::clone(&store.cache),
            )
        };
        let here = process();
        runs(&here).await;
        assert_eq!(counts.take(), (2, 0), "nothing is known");
        runs(&here).await;
        assert_eq!(counts.take(), (0, 2), "nothing happened");
        let there = process();
        runs(&there).await;
        assert_eq!(counts.take(), (0, 2), "the cache knows");
        first.advance(&store, "on").await;
        runs(&here).await;
        assert_eq!(counts.take(), (1, 2), "one session went on");
        there.resume(&ResumeQuery::default()).await.unwrap();
        let (loads, _) = counts.take();
        assert_eq!(loads, 2, "what is offered is read, though the cache knows it");
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
    let (journal, cache) = (Arc::clone(&store.journal), Arc::new(MemoryCache::new()));
    let recall = RunIndex::new(journal, Arc::clone(&blobs) as _, cache);
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
                assert_eq!(runs(&store.recall()).await, expected, "from the cache");
            }
        }
        let entry = entry(&store, sessions[0].id).await;
        assert_eq!(entry["v"], SUMMARY_VERSION);
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
        let changes: [(&str, Value); 10] = [
            ("/v", json!(SUMMARY_VERSION + 1)),
            ("/v", json!("1")),
            ("/cursor", json!("1.2.3")),
            ("/cursor", json!("1.2.3.4.5")),
            ("/runs", json!(null)),
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
        for bytes in [b"".as_slice(), b"{", b"null", b"\xff\x00"] {
            store.cache.put(&key(session.id, SUMMARY_VERSION), bytes.to_vec()).await.unwrap();
            assert_eq!(runs(&store.recall()).await, expected);
        }
        store.cache.put(&key(session.id, SUMMARY_VERSION + 1), b"x".to_vec()).await.unwrap();
        assert_eq!(runs(&store.recall()).await, expected, "another version is not looked at");
        store.cache.invalidate(&StreamId::from(session.id)).await.unwrap();
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
