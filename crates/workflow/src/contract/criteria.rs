//! Rules over the notes of a step.
//!
//! *Invariants*: pure. Length is counted in characters (Unicode scalar values), over the notes as they were
//! submitted. A pattern matches in time linear in the text; one that cannot, such as a look-around, is
//! refused when the workflow is compiled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::pattern::{Pattern, PatternProblem};
use crate::bounds::REQUIREMENTS_MAX;
use crate::predicate::{Predicate, PredicateScope};

/// A rule over the notes of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Criterion {
    /// The notes hold a text.
    Contains {
        /// The text.
        value: String,
        /// What to tell the agent if they do not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The notes match a pattern somewhere.
    Regex {
        /// The pattern.
        pattern: Pattern,
        /// What to tell the agent if they do not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The notes have a certain length in characters.
    Length {
        /// The least.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The most.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
        /// What to tell the agent if they have not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// All of several rules hold.
    And {
        /// The rules.
        rules: Vec<Criterion>,
    },
    /// At least one of several rules holds.
    Or {
        /// The rules.
        rules: Vec<Criterion>,
    },
    /// A rule does not hold.
    Not {
        /// The rule.
        rule: Box<Criterion>,
    },
    /// A rule that counts only if something holds of what the run was told.
    When {
        /// What must hold.
        condition: Predicate,
        /// The rule.
        rule: Box<Criterion>,
    },
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCriterion {
    /// The author's message, or the requirement if there is none.
    pub message: String,
    pub required: String,
    /// The finding that is reported next to the requirement.
    pub given: String,
}

/// The part of a prompt that is about criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The first requirements, in the author's order.
    pub listed: Vec<String>,
    /// The number of requirements beyond the listed ones.
    pub left_out: usize,
}

/// Returns the rules of `criteria` that apply in `scope`, without their conditions.
pub fn applicable(criteria: &[Criterion], scope: &PredicateScope<'_>) -> Vec<Criterion> {
    criteria.iter().filter_map(|rule| rule.applied(scope)).collect()
}

/// Returns one message for each rule that `notes` break, in the author's order. Empty if every rule holds.
pub fn failures(criteria: &[Criterion], notes: &str) -> Vec<FailedCriterion> {
    let fails = |rule: &&Criterion| !rule.holds(notes);
    let failure = |rule: &Criterion| FailedCriterion {
        message: rule.failure(),
        required: rule.requirement(),
        given: rule.found_text(notes),
    };
    leaves(criteria).into_iter().filter(fails).map(failure).collect()
}

/// Describes what `criteria` ask for. Only the first [`REQUIREMENTS_MAX`] are listed.
pub fn requirements(criteria: &[Criterion]) -> Requirements {
    listed(criteria, Criterion::requirement)
}

/// Describes the same in the author's words where there are any.
pub fn requirements_as_authored(criteria: &[Criterion]) -> Requirements {
    listed(criteria, Criterion::failure)
}

fn listed(criteria: &[Criterion], words: impl Fn(&Criterion) -> String) -> Requirements {
    let mut listed: Vec<_> = leaves(criteria).into_iter().map(words).collect();
    let left_out = listed.len().saturating_sub(REQUIREMENTS_MAX);
    listed.truncate(REQUIREMENTS_MAX);
    Requirements { listed, left_out }
}

/// Returns the rules that are not conjunctions, in the author's order; a conjunction is replaced by its
/// parts.
pub fn leaves(criteria: &[Criterion]) -> Vec<&Criterion> {
    let mut found = Vec::new();
    for rule in criteria {
        match rule {
            // Only a conjunction can be split: each of its parts has to hold by itself, so each can fail by
            // itself.
            Criterion::And { rules } => found.extend(leaves(rules)),
            other => found.push(other),
        }
    }
    found
}

impl Criterion {
    /// True if the rule holds for `notes`.
    pub fn holds(&self, notes: &str) -> bool {
        match self {
            Self::Contains { value, .. } => notes.contains(value),
            Self::Regex { pattern, .. } => pattern.is_match(notes),
            Self::Length { min, max, .. } => {
                let length = notes.chars().count(); // tidy: chars, because authors count them
                min.is_none_or(|min| length >= min as usize)
                    && max.is_none_or(|max| length <= max as usize)
            }
            Self::And { rules } => rules.iter().all(|rule| rule.holds(notes)),
            Self::Or { rules } => rules.iter().any(|rule| rule.holds(notes)),
            Self::Not { rule } => !rule.holds(notes),
            // `applicable` has resolved the conditions; here only the rule counts.
            Self::When { rule, .. } => rule.holds(notes),
        }
    }

    /// Returns the rule as it applies in `scope`, or `None` if it does not apply.
    fn applied(&self, scope: &PredicateScope<'_>) -> Option<Self> {
        match self {
            Self::When { condition, rule } => {
                condition.holds(scope).then(|| rule.applied(scope)).flatten()
            }
            // A negated rule that does not apply is dropped, too: negating nothing would otherwise fail
            // always.
            Self::Not { rule } => Some(Self::Not { rule: Box::new(rule.applied(scope)?) }),
            Self::And { rules } => {
                let rules = applicable(rules, scope);
                // An empty `And` would hold for everything and an empty `Or` for nothing; neither is what the
                // author meant.
                (!rules.is_empty()).then_some(Self::And { rules })
            }
            Self::Or { rules } => {
                let rules = applicable(rules, scope);
                (!rules.is_empty()).then_some(Self::Or { rules })
            }
            rule => Some(rule.clone()),
        }
    }

    fn requirement(&self) -> String {
        match self {
            Self::Contains { value, .. } => format!("Must contain '{value}'"),
            Self::Regex { pattern, .. } => format!("Must match pattern: {}", pattern.as_str()),
            Self::Length { min, max, .. } => {
                let min = min.map(|min| format!("≥{min} chars"));
                let max = max.map(|max| format!("≤{max} chars"));
                let limits: Vec<_> = min.into_iter().chain(max).collect();
                format!("Length: {}", limits.join(", "))
            }
            Self::And { rules } => all_of(rules, Self::requirement),
            Self::Or { rules } => format!("At least one of: {}", joined(rules, Self::requirement)),
            Self::Not { rule } => format!("Must not hold: {}", rule.part(Self::requirement)),
            Self::When { condition, rule } => format!("If {condition}: {}", rule.requirement()),
        }
    }

    /// Describes what `notes` have instead of what the rule requires.
    fn found_text(&self, notes: &str) -> String {
        match self {
            Self::Contains { .. } => "not found".to_owned(),
            Self::Regex { .. } => "no match".to_owned(),
            Self::Length { .. } => {
                format!("{} were sent", notes.chars().count()) // tidy: chars, because authors count them
            }
            Self::When { rule, .. } => rule.found_text(notes),
            Self::And { .. } | Self::Or { .. } | Self::Not { .. } => "does not hold".to_owned(),
        }
    }

    /// Returns the message for an agent whose notes break the rule: the author's words, where there are any.
    fn failure(&self) -> String {
        match self {
            Self::Contains { message, .. }
            | Self::Regex { message, .. }
            | Self::Length { message, .. } => message.clone().unwrap_or_else(|| self.requirement()),
            Self::And { rules } => all_of(rules, Self::failure),
            Self::Or { rules } => format!("At least one of: {}", joined(rules, Self::failure)),
            // The author's message of a negated rule is about the negation, so it is shown without the
            // prefix.
            Self::Not { rule } => match &**rule {
                Self::Contains { message: Some(message), .. }
                | Self::Regex { message: Some(message), .. }
                | Self::Length { message: Some(message), .. } => message.clone(),
                rule => format!("Must not hold: {}", rule.part(Self::requirement)),
            },
            Self::When { rule, .. } => rule.failure(),
        }
    }

    /// Returns the rule as a part of another one. A compound rule is put in parentheses, so that its end is
    /// visible.
    fn part(&self, words: impl Fn(&Self) -> String) -> String {
        match self {
            Self::And { rules } | Self::Or { rules } if rules.len() > 1 => {
                format!("({})", words(self))
            }
            Self::When { .. } => format!("({})", words(self)),
            rule => words(rule),
        }
    }
}

fn all_of(rules: &[Criterion], words: impl Fn(&Criterion) -> String) -> String {
    match rules {
        [rule] => rule.part(words),
        rules => format!("All of: {}", joined(rules, words)),
    }
}

fn joined(rules: &[Criterion], words: impl Fn(&Criterion) -> String) -> String {
    let parts: Vec<_> = rules.iter().map(|rule| rule.part(&words)).collect();
    parts.join("; ")
}
