//! Lints over validation criteria: does meeting them show that the work was done?
//!
//! *Limitations*: a lint reads words, so it can be wrong in both directions. It warns and never refuses.

use super::warning::WarningCode;
use crate::contract::criteria::{Criterion, leaves};

/// Maximum number of words of a text that counts as a phrase, not as evidence.
const PHRASE_WORDS_MAX: usize = 2;

/// Words that claim that something is finished.
const DONE: [&str; 10] = [
    "approved",
    "complete",
    "completed",
    "done",
    "finished",
    "ok",
    "pass",
    "passed",
    "ready",
    "success",
];

/// Returns the weaknesses of `criteria`.
pub(super) fn lint(criteria: &[Criterion]) -> Vec<WarningCode> {
    let rules = leaves(criteria);
    // A single `contains` is the weakest form, and has warnings of its own.
    let [Criterion::Contains { value, .. }] = rules.as_slice() else {
        let weak = !rules.is_empty()
            && !rules.iter().any(|rule| is_evidence(rule))
            && !independent(&rules);
        return if weak { vec![WarningCode::TriviallyMet] } else { Vec::new() };
    };
    let mut found = vec![WarningCode::TriviallyMet];
    if is_flag(value) {
        found.push(WarningCode::CompletionFlag);
    } else if is_bare_phrase(value) {
        found.push(WarningCode::BarePhrase);
    }
    found
}

/// True if a rule by itself requires more than the right words: a pattern, or a minimum length.
fn is_evidence(rule: &Criterion) -> bool {
    match rule {
        Criterion::Regex { .. } => true,
        Criterion::Length { min, .. } => min.is_some_and(|min| min > 0),
        // The agent may choose the easiest alternative, so each of them has to be evidence.
        Criterion::Or { rules } => rules.iter().all(is_evidence),
        Criterion::And { rules } => rules.iter().any(is_evidence),
        Criterion::When { rule, .. } => is_evidence(rule),
        Criterion::Contains { .. } | Criterion::Not { .. } => false,
    }
}

/// True if two of the checks do not imply each other, not counting flags.
fn independent(rules: &[&Criterion]) -> bool {
    let texts: Vec<_> = rules
        .iter()
        .filter_map(|rule| match rule {
            Criterion::Contains { value, .. } if !is_flag(value) => Some(value.as_str()),
            _ => None,
        })
        .collect();
    texts.iter().enumerate().any(|(index, one)| {
        texts[index + 1..].iter().any(|other| !one.contains(other) && !other.contains(one))
    })
}

/// True for `planComplete = true`, `reviewDone`, `STATUS: complete` and the like.
fn is_flag(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let assigns_truth =
        ["= true", "=true", ": true", ":true"].iter().any(|end| lower.ends_with(end));
    let (first, last) = (text.split_whitespace().next(), text.split_whitespace().last());
    let one_word = first == last;
    let camel = one_word
        && DONE.iter().any(|word| {
            let lower_ends = lower.ends_with(word) && lower.len() > word.len();
            let start = text.len().saturating_sub(word.len());
            lower_ends
                && text.is_char_boundary(start)
                && begins_a_word(&text[..start], &text[start..])
        });
    let assigned = lower.split(['=', ':']).nth(1).is_some_and(|value| DONE.contains(&value.trim()));
    assigns_truth || camel || assigned
}

/// True if `rest` begins a word of a compound such as `planComplete` or `plan_complete`.
fn begins_a_word(before: &str, rest: &str) -> bool {
    before.ends_with(['_', '-']) || rest.starts_with(|first: char| first.is_uppercase())
}

fn is_bare_phrase(text: &str) -> bool {
    let strip = |word: &str| {
        word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase()
    };
    let words: Vec<_> =
        text.split_whitespace().map(strip).filter(|word| !word.is_empty()).collect();
    words.len() <= PHRASE_WORDS_MAX
        && words.iter().all(|word| word.chars().all(char::is_alphanumeric))
}
