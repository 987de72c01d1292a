//! The decisions of persons about the steps of a run.
//!
//! A decision is recorded as a gap of the severity `info`, with a summary that states the decision in words. Those
//! words are written and parsed here and nowhere else.

use piton_core::{BoundedText, EventIndex, NodeId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gaps::Gap;
use super::graph::RunNode;
use super::run_state::RunState;
use crate::bounds::{SAID_MAX, SUMMARY_BYTES_MAX};
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

/// Beginnings of the summaries of decisions; that of an approval is the whole summary.
const APPROVED: &str = "A person approved.";
const ANSWERED: &str = "A person answered: ";
const REFUSED: &str = "A person refused: ";

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
    pub fn summary(&self) -> Result<BoundedText<SUMMARY_BYTES_MAX>, piton_core::TextTooLong> {
        let text = self.text.as_deref().unwrap_or_default();
        BoundedText::new(match self.decision {
            DecisionKind::Approved => APPROVED.to_owned(),
            DecisionKind::Answered => format!("{ANSWERED}{text}"),
            DecisionKind::Refused => format!("{REFUSED}{text}"),
        })
    }

    fn read(summary: &str) -> Option<Self> {
        let answered = || summary.strip_prefix(ANSWERED).map(Self::answered);
        let refused = || summary.strip_prefix(REFUSED).map(Self::refused);
        (summary == APPROVED).then_some(Self::APPROVED).or_else(answered).or_else(refused)
    }
}

impl Gap {
    /// Returns the decision of a person, if this is the record of one.
    pub fn decision(&self) -> Option<PersonDecision> {
        let is_of_person = self.record.severity == GapSeverity::Info
            && self.record.reason.category() == ReasonCategory::UserOnlyDependency;
        is_of_person.then(|| PersonDecision::read(self.record.summary.as_str())).flatten()
    }
}

impl RunState {
    /// Returns the decisions of persons at a node, oldest first.
    pub fn decisions_on(&self, node: NodeId) -> Vec<RecordedDecision> {
        let recorded = |gap: &Gap| {
            Some(RecordedDecision { node, index: gap.index, decision: gap.decision()? })
        };
        let mut decisions: Vec<_> = self.gaps.on(node).filter_map(recorded).collect();
        // A decision that closes several gaps is recorded once for each. The same words after another attempt are
        // another decision.
        let attempts = self.advances.at_node(node);
        let tried_between = |earlier: &RecordedDecision, later: &RecordedDecision| {
            attempts.iter().any(|tried| earlier.index < tried.index && tried.index < later.index)
        };
        decisions.dedup_by(|later, earlier| {
            later.decision == earlier.decision && !tried_between(earlier, later)
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
    use super::PersonDecision;

    #[test]
    fn what_is_written_is_read_again() {
        let texts = ["", "Monday", "A person approved.", "A person refused: no", "two\nlines"];
        let decisions = texts
            .into_iter()
            .flat_map(|text| [PersonDecision::answered(text), PersonDecision::refused(text)])
            .chain([PersonDecision::APPROVED]);
        for decision in decisions {
            let summary = decision.summary().expect("it is short");
            assert_eq!(PersonDecision::read(summary.as_str()), Some(decision));
        }
        assert_eq!(PersonDecision::read("The step needs a person."), None);
    }
}
