//! What the index of runs answers, and what leaves it.

use std::sync::Arc;

use piton_core::SessionId;
use piton_core::port::fixed::SeededEntropy;
use piton_store::{
    StreamId,
    index::Term,
    local::{DataDir, LocalIndex},
    memory::MemoryKeyRing,
    port::{Filter, Index},
};
use piton_workflow::{
    projection::{ResumeQuery, RunSummary, rank},
    run_index::{RunField, RunFilterPage, RunIndex, RunIndexQuery, remove_from_index},
    session::Reader,
};

use super::{
    counted::{CountedBlobs, counted},
    sessions::Session,
    store::Store,
};

fn everything() -> RunIndexQuery {
    RunIndexQuery {
        filter: Filter::everything(),
        sort: RunField::Active,
        is_descending: true,
        from: 0,
        limit: 50,
        facets: vec![RunField::Status, RunField::Workflow],
    }
}

fn has(word: &str) -> RunIndexQuery {
    let filter = Filter::Has(Term::new(word, false).unwrap());
    RunIndexQuery { filter, ..everything() }
}

async fn page(recall: &RunIndex, query: &RunIndexQuery) -> RunFilterPage {
    recall.page(query).await.unwrap()
}

fn sessions(page: &RunFilterPage) -> Vec<SessionId> {
    page.runs.iter().map(|one| one.run.session_id).collect()
}

#[tokio::test]
async fn runs_are_found_by_words_of_all_their_notes_and_by_fields() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut first = Session::begin(&store, 1, Some("Let people log in")).await;
        first.advance(&store, "The cookie has no path.").await;
        first.advance(&store, "Set run_index in the header.").await;
        first.see_branch(&store, "fix/login").await;
        let mut second = Session::begin(&store, 2, None).await;
        for notes in ["planned", "built", "checked"] {
            second.advance(&store, notes).await;
        }
        let recall = store.recall();
        assert!(!recall.is_caught_up());
        let caught_up = recall.catch_up().await.unwrap();
        assert_eq!((caught_up.read(), caught_up.unindexed()), (2, 0));
        assert!(recall.is_caught_up());
        for word in ["cookie", "run_index", "index", "people", "log in"] {
            assert_eq!(sessions(&page(&recall, &has(word)).await), [first.id], "{word}");
        }
        assert_eq!(sessions(&page(&recall, &has("built")).await), [second.id]);
        assert!(page(&recall, &has("prompt")).await.runs.is_empty());
        let all = page(&recall, &everything()).await;
        assert_eq!((sessions(&all), all.total), (vec![second.id, first.id], 2));
        assert_eq!(all.runs[0].run, *recall.list().await.unwrap().runs[1]);
        let statuses: Vec<_> =
            all.facets[0].values.iter().map(|one| (one.value.as_str(), one.count)).collect();
        assert_eq!(statuses, [("complete", 1), ("in_progress", 1)]);
        let branch = Filter::StartsWith(RunField::Branch.name(), "fix/".to_owned());
        let found = page(&recall, &RunIndexQuery { filter: branch, ..everything() }).await;
        assert_eq!(sessions(&found), [first.id]);
        let excerpt = page(&recall, &has("cookie")).await.runs[0].excerpt.clone().unwrap();
        assert!(excerpt.pieces.iter().any(|piece| piece.is_match && piece.text == "cookie"));
    }
}

#[tokio::test]
async fn a_second_look_at_two_thousand_sessions_reads_no_events() {
    let (store, home) = (Store::in_memory(), tempfile::tempdir().unwrap());
    for number in 0..2_000 {
        Session::begin(&store, number, Some("a goal")).await;
    }
    let index: Arc<dyn Index> = Arc::new(LocalIndex::new(DataDir::open(home.path()).unwrap()));
    let (journal, counts) = counted(&store.journal);
    let blobs = CountedBlobs::new(&store.blobs);
    let process =
        || RunIndex::new(Arc::clone(&journal) as _, Arc::clone(&blobs) as _, Arc::clone(&index));
    assert_eq!(process().catch_up().await.unwrap().read(), 2_000);
    assert_eq!(counts.take(), (2_000, 0));
    let reads = blobs.reads();
    let recall = process();
    assert_eq!(recall.list().await.unwrap().runs.len(), 2_000);
    let all = page(&recall, &RunIndexQuery { from: 1_900, limit: 200, ..everything() }).await;
    assert_eq!((all.runs.len(), all.total), (100, 2_000));
    assert_eq!(counts.take(), (0, 2_000), "every session is followed, and none is read");
    assert_eq!(blobs.reads(), reads, "neither is a snapshot or a workflow");
    page(&recall, &has("goal")).await;
    assert_eq!(counts.take(), (0, 0), "a page of what is indexed asks the journal nothing");
}

#[tokio::test]
async fn a_session_that_grows_while_somebody_watches_is_followed_and_not_read_again() {
    for store in [Store::in_memory(), Store::on_disk()] {
        let mut session = Session::begin(&store, 1, Some("a goal")).await;
        let (journal, counts) = counted(&store.journal);
        let blobs = Arc::clone(&store.blobs);
        let keys = Arc::new(MemoryKeyRing::new(Arc::new(SeededEntropy::new(7))));
        let reader = Reader::new(Arc::clone(&journal) as _, Arc::clone(&blobs) as _, keys);
        let recall = RunIndex::new(journal, blobs as _, Arc::clone(&store.index)).following(reader);
        let stream = StreamId::from(session.id);
        assert!(recall.catch_up_with(&stream).await);
        assert_eq!(counts.take().0, 1, "the first time it is read");
        for notes in ["planned", "built"] {
            session.advance(&store, notes).await;
            assert!(recall.catch_up_with(&stream).await);
            assert_eq!(counts.take().0, 0, "later it is followed");
            assert_eq!(sessions(&page(&recall, &has(notes)).await), [session.id]);
            // What was followed is what another process reads.
            let anew = store.recall_anew();
            anew.catch_up().await.unwrap();
            let (one, other) =
                (page(&recall, &everything()).await, page(&anew, &everything()).await);
            assert_eq!(one.runs[0].run, other.runs[0].run);
        }
        store.delete(session.id).await;
        recall.catch_up_with(&stream).await;
        assert_eq!(page(&recall, &everything()).await.total, 0);
    }
}

#[tokio::test]
async fn a_deleted_session_leaves_the_index() {
    for store in [Store::in_memory(), Store::on_disk()] {
        for number in 1..=3 {
            Session::begin(&store, number, Some("a goal")).await;
        }
        let recall = store.recall();
        recall.catch_up().await.unwrap();
        let first = SessionId::from_bytes([1; 16]);
        store.delete(first).await;
        remove_from_index(&*store.index, [StreamId::from(first)]).await.unwrap();
        assert_eq!(page(&recall, &has("goal")).await.total, 2, "at once");
        // One that was deleted without a word, by an older Piton, is noticed.
        store.delete(SessionId::from_bytes([2; 16])).await;
        recall.catch_up().await.unwrap();
        assert_eq!(page(&recall, &has("goal")).await.total, 1);
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_counted_and_not_found() {
    let store = Store::on_disk();
    let mut bad = Session::begin(&store, 1, Some("a goal")).await;
    Session::begin(&store, 2, Some("a goal")).await;
    let recall = store.recall();
    recall.catch_up().await.unwrap();
    let home = store.home.as_ref().unwrap().path().join("sessions").join(bad.id.to_string());
    let manifest = std::fs::read(home.join("manifest.jsonl")).unwrap();
    bad.advance(&store, "on").await;
    let whole = std::fs::read(home.join("manifest.jsonl")).unwrap();
    std::fs::write(home.join("manifest.jsonl"), [b"#".as_slice(), &manifest].concat()).unwrap();
    for _ in 0..2 {
        let caught_up = recall.catch_up().await.unwrap();
        assert_eq!(caught_up.troubled.len(), 1);
        assert_eq!(caught_up.troubled[0].runs, [bad.run], "the index knows it");
        let page = page(&recall, &has("goal")).await;
        assert_eq!((page.total, page.unreadable), (1, 1));
    }
    std::fs::write(home.join("manifest.jsonl"), whole).unwrap();
    assert!(recall.catch_up().await.unwrap().troubled.is_empty());
    let page = page(&recall, &has("goal")).await;
    assert_eq!((page.total, page.unreadable), (2, 0));
}

/// The index finds the runs that can match, and the ranking decides. So the answer is that of a ranking of all runs.
#[tokio::test]
async fn what_is_offered_equals_a_ranking_of_all_runs() {
    let goals = [
        "Fix the login page",
        "Käse: login-page",
        "ＬＯＧＩＮ page",
        "run_index and a-b_c",
        "Naïve café 登录page",
        "x",
        "",
    ];
    for store in [Store::in_memory(), Store::on_disk()] {
        for (number, goal) in (1_u32..).zip(goals.iter().cycle().take(20)) {
            let mut session = Session::begin(&store, number, Some(goal)).await;
            for step in 0..number % 4 {
                session.advance(&store, &format!("step{step} of {goal}")).await;
            }
            if number % 3 == 0 {
                session.see_branch(&store, &format!("fix/{number}")).await;
            }
        }
        let recall = store.recall();
        let all: Vec<Arc<RunSummary>> = recall.list().await.unwrap().runs;
        let texts = [
            None,
            Some("login"),
            Some("login page"),
            Some("k"),
            Some("se"),
            Some("run_index"),
            Some("index"),
            Some("a-b_c"),
            Some("na caf"),
            Some("page x"),
            Some("step2"),
            Some("zebra"),
            Some("-"),
            Some("title of build"),
            Some("login_fix"),
        ];
        for text in texts {
            for branch in [None, Some("fix/"), Some("fix/1"), Some("main")] {
                for with_completed in [false, true] {
                    let query = ResumeQuery { text, branch, head_sha: None, with_completed };
                    let offers = recall.resume(&query).await.unwrap();
                    assert_eq!(offers.ranking, rank(&query, all.iter().cloned()), "{query:?}");
                }
            }
        }
    }
}
