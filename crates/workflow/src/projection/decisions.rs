//! The decisions of persons about the steps of a run.
//!
//! A decision is recorded as a gap of the severity `info`, with a summary that states the decision in words. Those
//! words are written and parsed here and nowhere else.

use piton_core::{BoundedText, EventIndex, IdError, IdProblem, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gaps::Gap;
use super::graph::RunNode;
use super::run_state::RunState;
use crate::bounds::{PERSON_NAME_BYTES_MAX, SAID_MAX, SUMMARY_BYTES_MAX};
use crate::event::GapSeverity;
use crate::reason::ReasonCategory;

piton_core::closed_set! {
    /// What a person decided.
    pub enum DecisionKind {
        /// They said yes.
        Approved => "approved",
        /// They answered a question.
        Answered => "answered",
        /// They said no.
        Refused => "refused",
    }
}

/// Beginning of the summary of every decision. The name of the person follows in parentheses, if it is known.
const PERSON: &str = "A person";

/// Continuations of the summaries of decisions; that of an approval is the whole rest.
const APPROVED: &str = " approved.";
const ANSWERED: &str = " answered: ";
const REFUSED: &str = " refused: ";

/// Continuation of the record of a person who prefers a branch. It is no decision about a step.
const PREFERS: &str = " prefers this branch.";

piton_core::checked_text! {
    /// The name under which a person decides. It is recorded in parentheses, so it holds none itself.
    pub struct PersonName: IdError, "a name of one line without parentheses", r"^[^()\x00-\x1f\x7f]+$",
    PERSON_NAME_BYTES_MAX,
    |text| check_name(text).map_err(|problem| IdError { kind: "PersonName", problem })
}

fn check_name(text: &str) -> Result<(), IdProblem> {
    if text.trim().is_empty() {
        return Err(IdProblem::Empty);
    }
    if text.len() > PERSON_NAME_BYTES_MAX {
        return Err(IdProblem::TooLong { max_bytes: PERSON_NAME_BYTES_MAX });
    }
    if text.contains(|character: char| character.is_control() || "()".contains(character)) {
        let allowed = "anything but parentheses and control characters";
        return Err(IdProblem::Character { allowed });
    }
    Ok(())
}

/// A decision of a person in their own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PersonDecision {
    /// What they decided.
    pub decision: DecisionKind,
    /// Their answer or their reason, if they gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A decision as it is recorded at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDecision {
    /// The node that it was made at.
    pub node: NodeId,
    /// The event that recorded it.
    pub index: EventIndex,
    pub decision: PersonDecision,
    /// The person, if they gave a name.
    pub by: Option<PersonName>,
}

impl PersonDecision {
    /// An approval.
    pub const APPROVED: Self = Self { decision: DecisionKind::Approved, text: None };

    /// Creates an answer to a question.
    pub fn answered(text: impl Into<String>) -> Self {
        Self { decision: DecisionKind::Answered, text: Some(text.into()) }
    }

    /// Creates a refusal with its reason.
    pub fn refused(text: impl Into<String>) -> Self {
        Self { decision: DecisionKind::Refused, text: Some(text.into()) }
    }

    /// Returns the decision in a sentence, as it is recorded.
    pub fn summary(
        &self,
        by: Option<&PersonName>,
    ) -> Result<BoundedText<SUMMARY_BYTES_MAX>, piton_core::TextTooLong> {
        let person = person(by);
        let text = self.text.as_deref().unwrap_or_default();
        BoundedText::new(match self.decision {
            DecisionKind::Approved => format!("{person}{APPROVED}"),
            DecisionKind::Answered => format!("{person}{ANSWERED}{text}"),
            DecisionKind::Refused => format!("{person}{REFUSED}{text}"),
        })
    }

    fn read(summary: &str) -> Option<(Self, Option<PersonName>)> {
        let (by, rest) = read_person(summary)?;
        let answered = || rest.strip_prefix(ANSWERED).map(Self::answered);
        let refused = || rest.strip_prefix(REFUSED).map(Self::refused);
        let approved = (rest == APPROVED).then_some(Self::APPROVED);
        Some((approved.or_else(answered).or_else(refused)?, by))
    }
}

fn person(by: Option<&PersonName>) -> String {
    by.map_or_else(|| PERSON.to_owned(), |name| format!("{PERSON} ({name})"))
}

/// Splits the record of a person into their name and what they did.
fn read_person(summary: &str) -> Option<(Option<PersonName>, &str)> {
    let rest = summary.strip_prefix(PERSON)?;
    Some(match rest.strip_prefix(" (") {
        None => (None, rest),
        // A name has no parenthesis, so the first one ends it, whatever the person said after it.
        Some(named) => {
            let (name, rest) = named.split_once(')')?;
            (Some(name.parse().ok()?), rest)
        }
    })
}

/// Returns the sentence that records that a person prefers a branch.
pub fn branch_choice(by: Option<&PersonName>) -> BoundedText<SUMMARY_BYTES_MAX> {
    let text = BoundedText::new(format!("{}{PREFERS}", person(by)));
    text.expect("a name is far shorter than a summary")
}

impl Gap {
    /// Returns the decision of a person and their name, if this is the record of one.
    pub fn named_decision(&self) -> Option<(PersonDecision, Option<PersonName>)> {
        self.summary_of_person().and_then(PersonDecision::read)
    }

    /// True if this is the record of a person who prefers a branch. Nothing was missing, and no question is settled.
    pub fn is_branch_choice(&self) -> bool {
        let read = self.summary_of_person().and_then(read_person);
        read.is_some_and(|(_, rest)| rest == PREFERS)
    }

    /// True if this is the record of a person, rather than something that is missing.
    pub fn is_of_person(&self) -> bool {
        self.decision().is_some() || self.is_branch_choice()
    }

    fn summary_of_person(&self) -> Option<&str> {
        let is_of_person = self.record.severity == GapSeverity::Info
            && self.record.reason.category() == ReasonCategory::UserOnlyDependency;
        is_of_person.then(|| self.record.summary.as_str())
    }

    /// Returns the decision of a person, if this is the record of one.
    pub fn decision(&self) -> Option<PersonDecision> {
        self.named_decision().map(|(decision, _)| decision)
    }
}

impl RunState {
    /// Returns the decisions of persons at a node, oldest first.
    pub fn decisions_on(&self, node: NodeId) -> Vec<RecordedDecision> {
        let recorded = |gap: &Gap| {
            let (decision, by) = gap.named_decision()?;
            Some(RecordedDecision { node, index: gap.index, decision, by })
        };
        let mut decisions: Vec<_> = self.gaps.on(node).filter_map(recorded).collect();
        // A decision that closes several gaps is recorded once for each. The same words after another attempt are
        // another decision.
        let attempts = self.advances.at_node(node);
        let tried_between = |earlier: &RecordedDecision, later: &RecordedDecision| {
            attempts.iter().any(|tried| earlier.index < tried.index && tried.index < later.index)
        };
        decisions.dedup_by(|later, earlier| {
            later.decision == earlier.decision
                && later.by == earlier.by
                && !tried_between(earlier, later)
        });
        decisions
    }

    /// True if the latest decision of a person at a node is a refusal.
    pub fn is_refused(&self, node: NodeId) -> bool {
        let last = self.decisions_on(node).pop();
        last.is_some_and(|last| last.decision.decision == DecisionKind::Refused)
    }

    /// Returns the decisions of persons on the way to a node, oldest first: as many of the newest as are reported.
    pub fn decisions_toward(&self, node: NodeId) -> Vec<RecordedDecision> {
        let nodes = self.graph.ancestry(node);
        let newest_first = |node: &RunNode| self.decisions_on(node.id).into_iter().rev();
        let mut decisions: Vec<_> = nodes.flat_map(newest_first).take(SAID_MAX).collect();
        decisions.reverse();
        decisions
    }
}

#[cfg(test)]
mod tests {
    use super::{PersonDecision, PersonName};
    use crate::bounds::PERSON_NAME_BYTES_MAX;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = ["", "Monday", "A person approved.", "A person refused: no", "two\nlines"];
        let decisions = texts
            .into_iter()
            .flat_map(|text| [PersonDecision::answered(text), PersonDecision::refused(text)])
            .chain([PersonDecision::APPROVED]);
        let names = [None, Some("Anna Müller"), Some("root"), Some("A person")];
        let names: Vec<Option<PersonName>> =
            names.into_iter().map(|name| name.map(|name| name.parse().unwrap())).collect();
        for decision in decisions {
            for by in &names {
                let summary = decision.summary(by.as_ref()).expect("it is short");
                let expected = Some((decision.clone(), by.clone()));
                assert_eq!(PersonDecision::read(summary.as_str()), expected);
            }
        }
        assert_eq!(PersonDecision::read("The step needs a person."), None);
    }

    #[test]
    fn a_name_is_one_line_without_parentheses() {
        for name in ["Anna", "Dr. Ü. 漢字", "anna@example.org"] {
            assert_eq!(name.parse::<PersonName>().unwrap().as_str(), name);
        }
        let long = "x".repeat(PERSON_NAME_BYTES_MAX + 1);
        for name in ["", " ", "a\nb", "a(b", "a) approved.", long.as_str()] {
            assert!(name.parse::<PersonName>().is_err(), "{name:?}");
        }
    }
}
