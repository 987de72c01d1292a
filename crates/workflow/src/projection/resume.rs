//! Which run a person or an agent means when they want to go on.
//!
//! Every run is one candidate, at its preferred tip. Candidates are put into tiers by the strongest
//! thing that matches: the commit, the branch, the notes, the workflow; then whatever was active
//! last. The order is total and depends on what is recorded alone.

use std::{borrow::Cow, cmp::Reverse, collections::BTreeSet};

use piton_core::{
    EventIndex, NodeId, RunId, SessionId, WorkflowId,
    budget::{TRUNCATION_MARKER, truncate},
};
use unicode_normalization::UnicodeNormalization;

use crate::bounds::{RESUME_CANDIDATES_MAX, RESUME_SNIPPET_BYTES_MAX};

piton_core::closed_set! {
    /// Why a run is offered. In the order of strength.
    pub enum WhyMatched {
        /// The same commit was checked out.
        HeadSha => "matched_head_sha",
        /// The branch is the one that was asked for, or begins with it.
        Branch => "matched_branch",
        /// The notes at its tip have every word that was asked for.
        Notes => "matched_notes",
        /// The name of its workflow has every word that was asked for.
        WorkflowId => "matched_workflow_id",
        /// Nothing matched, but it was active lately.
        RecencyFallback => "recency_fallback",
    }
}

/// What is asked for. Nothing at all asks for what was active last.
#[derive(Clone, Debug, Default)]
pub struct ResumeQuery<'a> {
    /// Words.
    pub text: Option<&'a str>,
    /// The commit that is checked out.
    pub head_sha: Option<&'a str>,
    /// The branch, or the beginning of its name.
    pub branch: Option<&'a str>,
}

/// A run that could be resumed, at its preferred tip.
#[derive(Clone, Copy, Debug)]
pub struct ResumeCandidate<'a> {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// Its preferred tip.
    pub tip: NodeId,
    /// The newest event that touched the tip or its ancestors.
    pub activity: EventIndex,
    /// The commit that was last seen.
    pub head_sha: Option<&'a str>,
    /// The branch that was last seen.
    pub branch: Option<&'a str>,
    /// The notes that stand on the tip.
    pub recap: Option<&'a str>,
    /// The workflow.
    pub workflow: &'a WorkflowId,
    /// What people call the workflow.
    pub workflow_name: Option<&'a str>,
}

/// A run that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumable {
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// Its preferred tip.
    pub tip: NodeId,
    /// Everything that matched, strongest first.
    pub why: Vec<WhyMatched>,
    /// The beginning of the notes at its tip.
    pub snippet: String,
}

/// The runs that fit best, best first.
pub fn rank<'a>(
    query: &ResumeQuery<'_>,
    candidates: impl IntoIterator<Item = ResumeCandidate<'a>>,
) -> Vec<Resumable> {
    let words = query.text.map(tokens).unwrap_or_default();
    let mut ranked: Vec<(Vec<WhyMatched>, ResumeCandidate<'a>)> = candidates
        .into_iter()
        .map(|candidate| (why(query, &words, &candidate), candidate))
        .collect();
    ranked.sort_by_key(|(why, candidate)| {
        (why.first().copied(), Reverse(candidate.activity), candidate.session, candidate.run)
    });
    ranked.truncate(RESUME_CANDIDATES_MAX);
    ranked.into_iter().map(|(why, candidate)| offer(why, &candidate)).collect()
}

fn offer(why: Vec<WhyMatched>, candidate: &ResumeCandidate<'_>) -> Resumable {
    let recap = candidate.recap.unwrap_or_default();
    let snippet = truncate(recap, RESUME_SNIPPET_BYTES_MAX).into_owned();
    let &ResumeCandidate { session, run, tip, .. } = candidate;
    Resumable { session, run, tip, why, snippet }
}

fn why(
    query: &ResumeQuery<'_>,
    words: &BTreeSet<String>,
    candidate: &ResumeCandidate<'_>,
) -> Vec<WhyMatched> {
    let has_all = |text: &str| !words.is_empty() && has_words(text, words);
    let same_head = query.head_sha.is_some() && query.head_sha == candidate.head_sha;
    let same_branch = match (query.branch, candidate.branch) {
        (Some(asked), Some(branch)) => !asked.is_empty() && branch.starts_with(asked),
        _ => false,
    };
    let in_notes = candidate.recap.map(without_marker).is_some_and(&has_all);
    let in_workflow =
        has_all(candidate.workflow.as_str()) || candidate.workflow_name.is_some_and(&has_all);
    let matches = [
        (WhyMatched::HeadSha, same_head),
        (WhyMatched::Branch, same_branch),
        (WhyMatched::Notes, in_notes),
        (WhyMatched::WorkflowId, in_workflow),
    ];
    let mut why: Vec<WhyMatched> =
        matches.into_iter().filter(|(_, matched)| *matched).map(|(why, _)| why).collect();
    if why.is_empty() {
        why.push(WhyMatched::RecencyFallback);
    }
    why
}

/// Notes as they were written: the mark of a cut is not part of them.
fn without_marker(notes: &str) -> &str {
    notes.strip_suffix(TRUNCATION_MARKER).unwrap_or(notes)
}

/// Whether each of `words` is a word of `text`.
fn has_words(text: &str, words: &BTreeSet<String>) -> bool {
    // Most notes are ASCII, which has no other forms: nothing has to be written anew to read them.
    let folded = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(fold(text)) };
    let mut missing: Vec<&String> = words.iter().collect();
    for word in split(&folded) {
        missing.retain(|missing| !missing.eq_ignore_ascii_case(word));
        if missing.is_empty() {
            return true;
        }
    }
    false
}

/// The words of a text: compatibility forms and case do not matter, and neither does the language.
fn tokens(text: &str) -> BTreeSet<String> {
    split(&fold(text)).map(str::to_owned).collect()
}

fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).collect()
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    text.split(move |character| !is_part(character)).filter(|word| !word.is_empty())
}
