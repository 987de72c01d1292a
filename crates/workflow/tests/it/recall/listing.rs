//! What a list of all runs says.

use std::{fs, path::PathBuf, sync::Arc};

use piton_core::{Code, EventIndex, SessionId, TimestampMs};
use piton_store::{Health, StreamId, memory::MemoryBlobs, memory::MemoryIndex};
use piton_workflow::{
    RunStatus,
    label::label,
    projection::{ResumeQuery, RunSummary},
    run_index::{RunIndex, RunListing},
    session,
};

use super::{
    sessions::{Session, workflow},
    store::Store,
};

pub(super) fn sessions_of(listing: &RunListing) -> Vec<SessionId> {
    listing.runs.iter().map(|run| run.session_id).collect()
}

#[tokio::test]
async fn a_run_is_summed_up_at_its_tip() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut session = Session::begin(&store, 1, Some("Let people log in again")).await;
        session.advance(&store, "# Found it\n\nThe cookie has no path.").await;
        session.see_branch(&store, "fix/login").await;
        let listing = store.recall().list().await.unwrap();
        assert!(listing.troubled.is_empty());
        let [run] = listing.runs.as_slice() else { panic!("{listing:?}") };
        let RunSummary { session_id, run_id, tip, status, nodes, tips, open_gaps, .. } = **run;
        assert_eq!((session_id, run_id, tip), (session.id, session.run, session.tip));
        assert_eq!((status, nodes, tips, open_gaps), (RunStatus::InProgress, 2, 1, 0));
        assert_eq!(run.label, label(session.run));
        assert_eq!(run.title.as_str(), "Let people log in again");
        assert_eq!(run.workflow.name.as_deref(), Some("Fix a login"));
        assert_eq!(run.workflow.hash, workflow().workflow_hash());
        let step = run.step.as_ref().unwrap();
        assert_eq!((step.title.as_str(), step.number, step.of), ("Title of build", 2, 3));
        assert_eq!(run.surroundings.branch.as_ref().unwrap().as_str(), "fix/login");
        assert_eq!(run.recap.as_ref().unwrap().as_str(), "# Found it\n\nThe cookie has no path.");
        assert_eq!((run.started_at, run.active_at), (TimestampMs(1_001), TimestampMs(1_007)));
        assert_eq!(run.activity, EventIndex::new(7).unwrap());
    }
}

#[tokio::test]
async fn a_run_at_its_end_has_no_step_and_is_complete() {
    let store = Store::in_memory();
    let mut session = Session::begin(&store, 1, None).await;
    for notes in ["planned", "built", "checked"] {
        session.advance(&store, notes).await;
    }
    let listing = store.recall().list().await.unwrap();
    assert_eq!((&listing.runs[0].step, listing.runs[0].status), (&None, RunStatus::Complete));
    assert_eq!(listing.runs[0].title.as_str(), "planned", "what its first notes say");
}

#[tokio::test]
async fn all_sessions_are_seen_in_the_order_of_their_ids() {
    let store = Store::in_memory();
    for number in [9, 3, 200, 1] {
        Session::begin(&store, number, None).await;
    }
    let recall = store.recall();
    let ids = |numbers: &[u8]| {
        numbers.iter().map(|&number| SessionId::from_bytes([number; 16])).collect::<Vec<_>>()
    };
    assert_eq!(sessions_of(&recall.list().await.unwrap()), ids(&[1, 3, 9, 200]));
    store.delete(SessionId::from_bytes([3; 16])).await;
    assert_eq!(sessions_of(&recall.list().await.unwrap()), ids(&[1, 9, 200]));
}

/// A segment of a session on disk.
fn segment(store: &Store, session: SessionId) -> PathBuf {
    let home = store.home.as_ref().expect("the store is on disk");
    let events = home.path().join("sessions").join(session.to_string()).join("events");
    let mut files: Vec<PathBuf> =
        fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files.remove(0)
}

// shows: WR-461
#[tokio::test]
async fn a_damaged_session_is_named_and_neither_listed_nor_offered() {
    let store = Store::on_disk();
    let bad = Session::begin(&store, 1, None).await.id;
    let good = Session::begin(&store, 2, None).await.id;
    let file = segment(&store, bad);
    let mut bytes = fs::read(&file).unwrap();
    bytes[40] ^= 1;
    fs::write(&file, bytes).unwrap();

    let recall = store.recall();
    let listing = recall.list().await.unwrap();
    assert_eq!(sessions_of(&listing), [good]);
    let [troubled] = listing.troubled.as_slice() else { panic!("{listing:?}") };
    assert_eq!(troubled.stream, StreamId::from(bad));
    assert!(matches!(troubled.trouble.health(), Some(Health::CorruptHead { .. })), "{troubled:?}");
    let found = recall.resume(&ResumeQuery::default()).await.unwrap();
    let offered = found.ranking.offers.iter().map(|offer| offer.summary.session_id);
    assert_eq!((offered.collect::<Vec<_>>(), found.unreadable), (vec![good], 1));
}

#[tokio::test]
async fn a_session_whose_blobs_are_gone_does_not_hide_the_others() {
    let store = Store::in_memory();
    let session = Session::begin(&store, 1, None).await;
    let clock = piton_core::port::fixed::ManualClock::new(TimestampMs(0));
    let empty = Arc::new(MemoryBlobs::new(Arc::new(clock)));
    let recall =
        RunIndex::new(Arc::clone(&store.journal) as _, empty, Arc::new(MemoryIndex::new()));
    let listing = recall.list().await.unwrap();
    assert!(listing.runs.is_empty());
    let [troubled] = listing.troubled.as_slice() else { panic!("{listing:?}") };
    assert_eq!(troubled.stream, StreamId::from(session.id));
    assert!(matches!(troubled.trouble, session::Error::Store(_)));
    assert_eq!((troubled.trouble.code(), troubled.trouble.health()), (Code::StoreNotFound, None));
}
