//! Which run is offered, out of all sessions.

use piton_core::SessionId;
use piton_workflow::projection::{ResumeQuery, WhyMatched};

use super::{sessions::Session, store::Store};

/// The newest event of a session counts, not how many it has.
// shows in part: WR-454
#[tokio::test]
async fn open_runs_come_first_and_the_cache_knows_which_they_are() {
    for store in [Store::in_memory(), Store::on_disk()] {
        for number in 1..=6 {
            let mut session = Session::begin(&store, number, Some("done work")).await;
            for _ in 0..3 {
                session.advance(&store, "a step").await;
            }
        }
        let mut half_done = Session::begin(&store, 7, Some("rotate the keys")).await;
        half_done.advance(&store, "a step").await;
        let open = |numbers: &[u8]| {
            numbers.iter().map(|number| SessionId::from_bytes([*number; 16])).collect::<Vec<_>>()
        };
        let check = async |query: ResumeQuery<'_>, expected: &[u8], left_out: usize| {
            for recall in [store.recall(), store.recall(), store.recall_anew()] {
                let found = recall.resume(&query).await.unwrap();
                let ids: Vec<_> =
                    found.ranking.offers.iter().map(|it| it.summary.session_id).collect();
                assert_eq!(ids[..expected.len()], open(expected), "{query:?}");
                assert_eq!(found.ranking.completed_left_out, left_out, "{query:?}");
            }
        };
        let nothing = ResumeQuery::default();
        check(nothing.clone(), &[7], 6).await;
        check(ResumeQuery { with_completed: true, ..nothing.clone() }, &[7, 1, 2, 3, 4], 0).await;
        let words = ResumeQuery { text: Some("done work"), ..nothing.clone() };
        check(words.clone(), &[7], 6).await;
        check(ResumeQuery { with_completed: true, ..words }, &[1, 2, 3, 4, 5], 0).await;
        for (text, why) in [
            ("rotate keys", vec![WhyMatched::Goal]),
            ("title of check", vec![WhyMatched::StepTitles]),
            ("rotate the login", vec![WhyMatched::Goal, WhyMatched::WorkflowId]),
        ] {
            let query = ResumeQuery { text: Some(text), ..nothing.clone() };
            let found = store.recall().resume(&query).await.unwrap();
            assert_eq!(found.ranking.offers[0].why, why, "{text}");
        }
    }
}

// shows in part: WR-451, WR-452 (branch, notes, workflow, recency)
#[tokio::test]
async fn the_run_that_fits_best_is_offered_first_whoever_asks() {
    for store in [Store::in_memory(), Store::on_disk()] {
        for number in 1..=4_u8 {
            let mut session = Session::begin(&store, u32::from(number), None).await;
            session.advance(&store, &format!("cookies of session {number}")).await;
            if number == 3 {
                session.see_branch(&store, "fix/login").await;
            }
        }
        let check = async |query: ResumeQuery<'_>, expected: &[(u8, WhyMatched)]| {
            let warm = store.recall();
            for recall in [&warm, &warm, &store.recall_anew()] {
                let offers = recall.resume(&query).await.unwrap().ranking.offers;
                let found: Vec<_> = offers
                    .iter()
                    .map(|offer| (offer.summary.session_id, offer.why[0]))
                    .take(expected.len())
                    .collect();
                let id = |&(number, why): &(u8, _)| (SessionId::from_bytes([number; 16]), why);
                assert_eq!(found, expected.iter().map(id).collect::<Vec<_>>(), "{query:?}");
                assert_eq!(offers.len(), 4);
                for offer in offers {
                    let recap = offer.summary.recap.as_ref().unwrap();
                    assert_eq!(offer.summary.snippet(), recap.as_str());
                }
            }
        };
        let nothing = ResumeQuery::default();
        check(nothing.clone(), &[(1, WhyMatched::RecencyFallback)]).await;
        let branch = ResumeQuery { branch: Some("fix/"), ..nothing.clone() };
        check(branch, &[(3, WhyMatched::Branch), (1, WhyMatched::RecencyFallback)]).await;
        let notes = ResumeQuery { text: Some("Session 4"), ..nothing.clone() };
        check(notes, &[(4, WhyMatched::Notes), (1, WhyMatched::RecencyFallback)]).await;
        let workflow = ResumeQuery { text: Some("fix login"), ..nothing };
        check(workflow, &[(1, WhyMatched::WorkflowId), (2, WhyMatched::WorkflowId)]).await;
    }
}

// shows: WR-450
#[tokio::test]
async fn a_forked_run_is_offered_once_at_its_preferred_tip() {
    let store = Store::in_memory();
    let mut session = Session::begin(&store, 1, None).await;
    let root = session.tip;
    session.advance(&store, "one way").await;
    session.tip = root;
    session.advance(&store, "another way").await;
    let offers = store.recall().resume(&ResumeQuery::default()).await.unwrap().ranking.offers;
    let [offer] = offers.as_slice() else { panic!("{offers:?}") };
    assert_eq!((offer.summary.tip, offer.summary.tips), (session.tip, 2));
    assert_eq!(offer.summary.snippet(), "another way");
}

#[tokio::test]
async fn more_sessions_than_are_offered_are_all_looked_at() {
    let store = Store::in_memory();
    for number in 1..=60 {
        let mut session = Session::begin(&store, number, None).await;
        session.advance(&store, &format!("word{number}")).await;
    }
    let recall = store.recall();
    for number in [1, 7, 60] {
        let word = format!("word{number}");
        let query = ResumeQuery { text: Some(&word), ..ResumeQuery::default() };
        let offers = recall.resume(&query).await.unwrap().ranking.offers;
        assert_eq!(offers.len(), 5);
        assert_eq!(offers[0].summary.session_id, SessionId::from_bytes([number; 16]));
        assert_eq!(offers[0].why, [WhyMatched::Notes]);
    }
}
