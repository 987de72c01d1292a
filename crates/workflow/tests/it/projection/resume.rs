//! Which run is meant.

use std::sync::Arc;

use piton_core::{
    BoundedText, Digest, EventIndex, FileBytes, NodeId, RunId, SessionId, TimestampMs,
    WorkflowHash, WorkflowId,
    budget::{TRUNCATION_MARKER, truncate},
};
use piton_workflow::RunStatus;
use piton_workflow::label::label;
use piton_workflow::projection::{
    Ranking, ResumeQuery, RunSummary, SeenValue, Surroundings, WhyMatched, WorkflowOutline, rank,
};
use proptest::prelude::*;

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// An open run that nothing is known of but when it was active.
pub(crate) fn quiet(number: u8, active_at: u64, workflow: &WorkflowId) -> RunSummary {
    let run_id = RunId::from_bytes([number; 16]);
    RunSummary {
        session_id: SessionId::from_bytes([number; 16]),
        run_id,
        label: label(run_id),
        title: BoundedText::truncated("a run"),
        goal: None,
        workflow: WorkflowOutline {
            id: workflow.clone(),
            hash: WorkflowHash::new(Digest::of(&FileBytes(b""))),
            name: None,
            step_titles: Vec::new(),
        },
        step: None,
        status: RunStatus::InProgress,
        open_gaps: 0,
        nodes: 1,
        tips: 1,
        surroundings: Surroundings::default(),
        started_at: TimestampMs(0),
        active_at: TimestampMs(active_at),
        tip: NodeId::from_bytes([number; 16]),
        activity: EventIndex::ZERO,
        recap: None,
    }
}

fn noted(notes: &str, run: RunSummary) -> RunSummary {
    RunSummary { recap: Some(BoundedText::new(notes).unwrap()), ..run }
}

fn seen(branch: Option<&str>, head_sha: Option<&str>, run: RunSummary) -> RunSummary {
    let (branch, head_sha) = (branch.map(SeenValue::truncated), head_sha.map(SeenValue::truncated));
    RunSummary { surroundings: Surroundings { branch, head_sha, repo_root: None }, ..run }
}

fn ranked(query: &ResumeQuery<'_>, runs: &[RunSummary]) -> Ranking {
    rank(query, runs.iter().cloned().map(Arc::new))
}

fn workflow() -> WorkflowId {
    "project.login_fix".parse().unwrap_or_else(|error| panic!("{error}"))
}

fn order(query: &ResumeQuery<'_>, candidates: &[RunSummary]) -> Vec<(u8, WhyMatched)> {
    ranked(query, candidates)
        .offers
        .iter()
        .map(|found| (found.summary.session_id.as_bytes()[0], found.why[0]))
        .collect()
}

// shows: WR-452, WR-457
#[test]
fn what_matches_more_strongly_comes_first() {
    let (login, other) = (workflow(), "project.other".parse().unwrap());
    let candidates = [
        quiet(5, 900, &other),
        quiet(4, 1, &login),
        noted("fixed the login fix", quiet(3, 1, &other)),
        seen(Some("login-topic"), None, quiet(2, 1, &other)),
        seen(None, Some(SHA), quiet(1, 1, &other)),
    ];
    let query = ResumeQuery {
        text: Some("LOGIN_FIX login_fix"),
        head_sha: Some(SHA),
        branch: Some("login"),
        ..ResumeQuery::default()
    };
    let expected = [
        (1, WhyMatched::HeadSha),
        (2, WhyMatched::Branch),
        (4, WhyMatched::WorkflowId),
        (5, WhyMatched::RecencyFallback),
        (3, WhyMatched::RecencyFallback),
    ];
    assert_eq!(order(&query, &candidates), expected);
    let words = ResumeQuery { text: Some("login fix"), ..ResumeQuery::default() };
    assert_eq!(order(&words, &candidates)[0], (3, WhyMatched::Notes));
    // Every match is listed, the strongest first.
    let both = seen(Some("login"), Some(SHA), quiet(9, 1, &login));
    let found = ranked(&query, &[both]).offers;
    assert_eq!(found[0].why, [WhyMatched::HeadSha, WhyMatched::Branch, WhyMatched::WorkflowId]);
}

// shows: WR-452, WR-457
#[test]
fn words_are_looked_for_in_everything_that_a_person_remembers() {
    let workflow = workflow();
    let titles = ["Reproduce the fault".to_owned(), "Isolate it".to_owned()];
    let mut run = noted("Bisected to the cache.", quiet(4, 1, &workflow));
    run.goal = Some(BoundedText::truncated("Find out why the cart is empty"));
    run.workflow.step_titles = titles.into();
    assert_eq!(run.label.to_string(), "amber-anchor");
    let check = |text: &str, expected: &[WhyMatched]| {
        let query = ResumeQuery { text: Some(text), ..ResumeQuery::default() };
        assert_eq!(ranked(&query, &[run.clone()]).offers[0].why, expected, "{text}");
    };
    check("cart", &[WhyMatched::Goal]);
    check("bisected", &[WhyMatched::Notes]);
    check("isolate", &[WhyMatched::StepTitles]);
    check("amber-anchor", &[WhyMatched::Label]);
    check("Amber Anchor", &[WhyMatched::Label]);
    check("amber", &[WhyMatched::RecencyFallback]);
    check("the", &[WhyMatched::Goal, WhyMatched::Notes, WhyMatched::StepTitles]);
    check("cart bisected", &[WhyMatched::Goal, WhyMatched::Notes]);
    check("cart amber-anchor", &[WhyMatched::Label, WhyMatched::Goal]);
    check("cart basket", &[WhyMatched::RecencyFallback]);
}

// shows: WR-451, WR-454, WR-455
#[test]
fn equals_are_told_apart_by_time_then_ids_and_five_are_offered() {
    let workflow = workflow();
    let mut candidates: Vec<_> = [(1, 5), (2, 9), (3, 9), (4, 1), (5, 2), (6, 3)]
        .map(|(n, at)| quiet(n, at, &workflow))
        .into();
    let expected: Vec<(u8, WhyMatched)> =
        [2, 3, 1, 6, 5].map(|number| (number, WhyMatched::RecencyFallback)).into();
    for _ in 0..candidates.len() {
        candidates.rotate_left(1);
        assert_eq!(order(&ResumeQuery::default(), &candidates), expected);
        assert_eq!(ranked(&ResumeQuery::default(), &candidates).more, 1);
    }
}

proptest! {
    /// Whatever there is: no completed run is offered unasked, an open one stands before a completed one that matches
    /// as much, the newer before the older, and what is not shown is counted.
    // shows: WR-454
    #[test]
    fn open_runs_come_first_newest_first_and_the_rest_is_counted(
        runs in prop::collection::vec((any::<bool>(), any::<bool>(), 0_u64..4), 0..12),
        with_completed in any::<bool>(),
    ) {
        let workflow = workflow();
        let candidates: Vec<_> = (1_u8..)
            .zip(&runs)
            .map(|(number, &(is_complete, here, at))| {
                let run = seen(here.then_some("main"), None, quiet(number, at, &workflow));
                let status = if is_complete { RunStatus::Complete } else { RunStatus::InProgress };
                RunSummary { status, ..run }
            })
            .collect();
        let query = ResumeQuery { branch: Some("main"), with_completed, ..ResumeQuery::default() };
        let found = ranked(&query, &candidates);
        let is_here = |it: &RunSummary| it.surroundings.branch.is_some();
        let is_complete = |it: &RunSummary| it.status.is_complete();
        let key = |it: &RunSummary| {
            (!is_here(it), is_complete(it), u64::MAX - it.active_at.0, it.session_id)
        };
        let mut expected: Vec<_> =
            candidates.iter().filter(|it| with_completed || !is_complete(it)).map(key).collect();
        expected.sort();
        let offered: Vec<_> = found.offers.iter().map(|it| key(&it.summary)).collect();
        prop_assert_eq!(&offered[..], &expected[..expected.len().min(5)]);
        let any_here = candidates.iter().any(is_here);
        let counts = |it: &&RunSummary| !any_here || is_here(it);
        let left_out = candidates.iter().filter(counts).filter(|it| is_complete(it) && !with_completed);
        prop_assert_eq!(found.completed_left_out, left_out.count());
        let all = candidates.iter().filter(counts).filter(|it| with_completed || !is_complete(it));
        prop_assert_eq!(found.more, all.count().saturating_sub(found.offers.len()));
    }
}

// shows: WR-453, WR-458, WR-459, WR-460
#[test]
fn words_match_whole_and_whatever_their_form() {
    let workflow = workflow();
    let check = |query: &str, notes: &str| {
        let query = ResumeQuery { text: Some(query), ..ResumeQuery::default() };
        ranked(&query, &[noted(notes, quiet(1, 1, &workflow))]).offers[0].why[0]
            == WhyMatched::Notes
    };
    assert!(check("cat", "The cat sat."));
    assert!(check("ＣＡＴ", "the CAT"), "full width is the same letter");
    assert!(check("TITLE", "title"), "I is i in every language");
    assert!(check("sat cat", "The cat sat."), "in any order");
    assert!(!check("cat", "catalog"), "not a part of a word");
    assert!(!check("cat dog", "The cat sat."), "all of them");
    assert!(!check("", "anything") && !check("…", "…"), "no words match nothing");
    let cut = truncate(&"word ".repeat(100), 100).into_owned();
    assert!(cut.ends_with(TRUNCATION_MARKER));
    assert!(!check("truncated", &cut), "the mark of a cut is not part of the notes");
    assert!(check("word", &cut));
}

// shows: WR-456
// shows in part: WR-432 (what is shown of a run that is offered)
#[test]
fn a_snippet_is_bounded() {
    let workflow = workflow();
    for (length, is_cut) in [(2_048, false), (2_049, true)] {
        let notes = "x".repeat(length);
        let run = noted(&notes, quiet(1, 1, &workflow));
        let snippet = run.snippet();
        assert_eq!(snippet.len(), 2_048);
        assert_eq!(snippet.ends_with(TRUNCATION_MARKER), is_cut);
    }
}
