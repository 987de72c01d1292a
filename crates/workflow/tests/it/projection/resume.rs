//! Which run is meant.

use piton_core::{
    EventIndex, NodeId, RunId, SessionId, WorkflowId,
    budget::{TRUNCATION_MARKER, truncate},
};
use piton_workflow::projection::{ResumeCandidate, ResumeQuery, WhyMatched, rank};

const SHA: &str = "0123456789abcdef0123456789abcdef01234567";

/// A run that nothing is known of but when it was active.
fn quiet(number: u8, activity: u64, workflow: &WorkflowId) -> ResumeCandidate<'_> {
    ResumeCandidate {
        session: SessionId::from_bytes([number; 16]),
        run: RunId::from_bytes([number; 16]),
        tip: NodeId::from_bytes([number; 16]),
        activity: EventIndex::new(activity).unwrap_or(EventIndex::ZERO),
        head_sha: None,
        branch: None,
        recap: None,
        workflow,
        workflow_name: None,
    }
}

fn workflow() -> WorkflowId {
    "project.login_fix".parse().unwrap_or_else(|error| panic!("{error}"))
}

fn order(query: &ResumeQuery<'_>, candidates: &[ResumeCandidate<'_>]) -> Vec<(u8, WhyMatched)> {
    rank(query, candidates.iter().copied())
        .iter()
        .map(|found| (found.session.as_bytes()[0], found.why[0]))
        .collect()
}

// shows: WR-452, WR-457
#[test]
fn what_matches_more_strongly_comes_first() {
    let (login, other) = (workflow(), "project.other".parse().unwrap());
    let candidates = [
        quiet(5, 900, &other),
        quiet(4, 1, &login),
        ResumeCandidate { recap: Some("fixed the login fix"), ..quiet(3, 1, &other) },
        ResumeCandidate { branch: Some("login-topic"), ..quiet(2, 1, &other) },
        ResumeCandidate { head_sha: Some(SHA), ..quiet(1, 1, &other) },
    ];
    let query = ResumeQuery {
        text: Some("LOGIN_FIX login_fix"),
        head_sha: Some(SHA),
        branch: Some("login"),
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
    // Everything that matched is told, strongest first.
    let both =
        ResumeCandidate { branch: Some("login"), head_sha: Some(SHA), ..quiet(9, 1, &login) };
    let found = rank(&query, [both]);
    assert_eq!(found[0].why, [WhyMatched::HeadSha, WhyMatched::Branch, WhyMatched::WorkflowId]);
}

// shows: WR-451, WR-454, WR-455
#[test]
fn equals_are_told_apart_by_activity_then_ids_and_five_are_offered() {
    let workflow = workflow();
    let mut candidates: Vec<_> = [(1, 5), (2, 9), (3, 9), (4, 1), (5, 2), (6, 3)]
        .map(|(n, at)| quiet(n, at, &workflow))
        .into();
    let expected: Vec<(u8, WhyMatched)> =
        [2, 3, 1, 6, 5].map(|number| (number, WhyMatched::RecencyFallback)).into();
    for _ in 0..candidates.len() {
        candidates.rotate_left(1);
        assert_eq!(order(&ResumeQuery::default(), &candidates), expected);
    }
}

// shows: WR-453, WR-458, WR-459, WR-460
#[test]
fn words_match_whole_and_whatever_their_form() {
    let workflow = workflow();
    let check = |query: &str, notes: &str| {
        let candidate = ResumeCandidate { recap: Some(notes), ..quiet(1, 1, &workflow) };
        let query = ResumeQuery { text: Some(query), ..ResumeQuery::default() };
        rank(&query, [candidate])[0].why[0] == WhyMatched::Notes
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
#[test]
fn a_snippet_is_bounded() {
    let workflow = workflow();
    for (length, is_cut) in [(2_048, false), (2_049, true)] {
        let notes = "x".repeat(length);
        let candidate = ResumeCandidate { recap: Some(&notes), ..quiet(1, 1, &workflow) };
        let snippet = rank(&ResumeQuery::default(), [candidate]).remove(0).snippet;
        assert_eq!(snippet.len(), 2_048);
        assert_eq!(snippet.ends_with(TRUNCATION_MARKER), is_cut);
    }
}
