//! Ranks runs by how well they match a request to resume one.
//!
//! Every run is one candidate, at its preferred tip. Runs that match any part of the query come before those that
//! match nothing. Within both groups, open runs come before completed ones. Then the strongest match decides (the
//! commit, the branch, the label, the goal, the notes, the titles of steps, the workflow), then the time of the
//! newest event, then the bytes of the ids. The order is total and depends only on what is recorded.
//!
//! *Limitations*: this is the one order that uses recorded times. Sessions share no counter, so nothing else says
//! which of two was active last. A clock that was wrong misplaces a run here and nowhere else.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use piton_core::BoundedText;
use piton_core::budget::{TRUNCATION_MARKER, truncate};
use unicode_normalization::UnicodeNormalization;

use super::summary::{RunSummary, SeenValue, Surroundings, WorkflowOutline};
use crate::bounds::{RESUME_CANDIDATES_MAX, RESUME_SNIPPET_BYTES_MAX};
use crate::label::Label;

piton_core::closed_set! {
    /// Why a run is offered. In the order of strength.
    pub enum WhyMatched {
        /// The same commit was checked out.
        HeadSha => "matched_head_sha",
        /// The branch is the one that was asked for, or begins with it.
        Branch => "matched_branch",
        /// Its label is among the words that were asked for.
        Label => "matched_label",
        /// Its goal has words that were asked for.
        Goal => "matched_goal",
        /// The notes at its tip have words that were asked for.
        Notes => "matched_notes",
        /// The titles of its steps have words that were asked for.
        StepTitles => "matched_step_titles",
        /// The name of its workflow has words that were asked for.
        WorkflowId => "matched_workflow_id",
        /// Nothing matched, but it was active lately.
        RecencyFallback => "recency_fallback",
    }
}

/// A request for runs to resume. An empty one asks for the open runs that were active last.
#[derive(Clone, Debug, Default)]
pub struct ResumeQuery<'a> {
    /// Words that must all appear in the label, the goal, the notes, the steps or the workflow.
    pub text: Option<&'a str>,
    /// The commit that is checked out.
    pub head_sha: Option<&'a str>,
    /// The branch, or the beginning of its name.
    pub branch: Option<&'a str>,
    /// Set when completed runs are offered too.
    pub with_completed: bool,
}

/// A run that is offered, at its preferred tip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub summary: Arc<RunSummary>,
    /// All matches, strongest first and never empty.
    pub why: Vec<WhyMatched>,
}

/// The runs that are offered, with counts of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    /// Best first, at most [`RESUME_CANDIDATES_MAX`].
    pub offers: Vec<Offer>,
    /// Number of further runs that match the query; of all other runs, if none matches.
    pub more: usize,
    /// Number of completed runs that match but were not asked for; of all completed runs, if none matches.
    pub completed_left_out: usize,
}

/// Runs that match nothing and that were active before those that are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherRuns {
    pub open: usize,
    pub complete: usize,
}

impl ResumeQuery<'_> {
    /// Returns the words of the text.
    pub fn words(&self) -> BTreeSet<String> {
        self.text.map(tokens).unwrap_or_default()
    }
}

/// Returns the runs that match best, best first.
pub fn rank(query: &ResumeQuery<'_>, runs: impl IntoIterator<Item = Arc<RunSummary>>) -> Ranking {
    rank_among(query, runs, OtherRuns::default())
}

/// Returns the runs that match best, best first, where `runs` are all that can be offered: those that match, and the
/// open and the completed ones that were active last. The others are only counted.
pub fn rank_among(
    query: &ResumeQuery<'_>,
    runs: impl IntoIterator<Item = Arc<RunSummary>>,
    others: OtherRuns,
) -> Ranking {
    let words = query.words();
    let (mut ranked, left_out): (Vec<_>, Vec<_>) = runs
        .into_iter()
        .map(|summary| Offer { why: why(query, &words, &summary), summary })
        .partition(|offer| query.with_completed || !offer.summary.status.is_complete());
    let is_match = |offer: &&Offer| offer.why[0] != WhyMatched::RecencyFallback;
    let matches = |all: &[Offer]| all.iter().filter(is_match).count();
    let (matching, matching_left_out) = (matches(&ranked), matches(&left_out));
    let is_fallback = matching + matching_left_out == 0;
    ranked.sort_by_key(|offer| {
        let (strongest, run) = (offer.why[0], &offer.summary);
        let is_fallback = strongest == WhyMatched::RecencyFallback;
        let is_complete = run.status.is_complete();
        (is_fallback, is_complete, strongest, Reverse(run.active_at), run.session_id, run.run_id)
    });
    // If nothing matches, every run is a fallback, and the counts are about all of them.
    let other_candidates = others.open + if query.with_completed { others.complete } else { 0 };
    let total = if is_fallback { ranked.len() + other_candidates } else { matching };
    let all_left_out = left_out.len() + if query.with_completed { 0 } else { others.complete };
    ranked.truncate(RESUME_CANDIDATES_MAX);
    Ranking {
        more: total.saturating_sub(ranked.len()),
        completed_left_out: if is_fallback { all_left_out } else { matching_left_out },
        offers: ranked,
    }
}

impl RunSummary {
    /// Returns the beginning of the notes at the tip.
    pub fn snippet(&self) -> Cow<'_, str> {
        truncate(text(self.recap.as_ref()), RESUME_SNIPPET_BYTES_MAX)
    }
}

/// Returns a text; the empty one if there is none.
fn text<const MAX: usize>(text: Option<&BoundedText<MAX>>) -> &str {
    text.map(BoundedText::as_str).unwrap_or_default()
}

fn why(query: &ResumeQuery<'_>, words: &BTreeSet<String>, run: &RunSummary) -> Vec<WhyMatched> {
    let Surroundings { branch, head_sha, .. } = &run.surroundings;
    let same_head =
        query.head_sha.is_some() && query.head_sha == head_sha.as_ref().map(SeenValue::as_str);
    let same_branch = match (query.branch, branch) {
        (Some(asked), Some(branch)) => !asked.is_empty() && branch.as_str().starts_with(asked),
        _ => false,
    };
    let around = [(WhyMatched::HeadSha, same_head), (WhyMatched::Branch, same_branch)];
    let mut why: Vec<WhyMatched> =
        around.into_iter().filter(|(_, matched)| *matched).map(|(why, _)| why).collect();
    why.extend(in_words(words, run));
    if why.is_empty() {
        why.push(WhyMatched::RecencyFallback);
    }
    why
}

/// Returns the kinds of text that contain words of a query. Empty if a word is in none of them, or if there are no
/// words.
fn in_words(words: &BTreeSet<String>, run: &RunSummary) -> Vec<WhyMatched> {
    let WorkflowOutline { id, name, step_titles, .. } = &run.workflow;
    let titles: Vec<&str> = step_titles.iter().map(String::as_str).collect();
    let goal = without_marker(text(run.goal.as_ref()));
    let notes = without_marker(text(run.recap.as_ref()));
    let workflow = [id.as_str(), name.as_deref().unwrap_or_default()];
    let places = [
        (WhyMatched::Label, label_words(words, run.label)),
        (WhyMatched::Goal, words_in(&[goal], words)),
        (WhyMatched::Notes, words_in(&[notes], words)),
        (WhyMatched::StepTitles, words_in(&titles, words)),
        (WhyMatched::WorkflowId, words_in(&workflow, words)),
    ];
    let found: BTreeSet<&String> =
        places.iter().flat_map(|(_, found)| found.iter().copied()).collect();
    // Every word has to be found somewhere, though not all in the same text.
    if found.len() < words.len() {
        return Vec::new();
    }
    places.iter().filter(|(_, found)| !found.is_empty()).map(|(why, _)| *why).collect()
}

/// Returns the words that make up the label, written with its hyphen or without. One of its two words alone does not
/// count.
fn label_words(words: &BTreeSet<String>, label: Label) -> BTreeSet<&String> {
    let label = label.to_string();
    let both = label.split('-').all(|part| words.contains(part));
    let is_part = |word: &str| word == label || (both && label.split('-').any(|part| part == word));
    words.iter().filter(|word| is_part(word)).collect()
}

/// Returns notes as they were written, without the marker of a cut.
fn without_marker(notes: &str) -> &str {
    notes.strip_suffix(TRUNCATION_MARKER).unwrap_or(notes)
}

/// Returns the members of `words` that are words of one of `texts`.
fn words_in<'w>(texts: &[&str], words: &'w BTreeSet<String>) -> BTreeSet<&'w String> {
    let mut found = BTreeSet::new();
    for text in texts {
        // Most texts are ASCII, which has no compatibility forms: they are compared without being copied.
        let folded = if text.is_ascii() { Cow::Borrowed(*text) } else { Cow::Owned(fold(text)) };
        for word in split(&folded) {
            if found.len() == words.len() {
                return found;
            }
            found.extend(words.iter().find(|wanted| wanted.eq_ignore_ascii_case(word)));
        }
    }
    found
}

/// Splits a text into words. Compatibility forms and case do not matter, and neither does the language.
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
