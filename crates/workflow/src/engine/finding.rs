//! Findings about an output, before anything is decided about it.
//!
//! *Invariants*: a finding says what is wrong, where, and what to do. Its texts fit the budgets of blockers and
//! gaps, so it becomes either without loss. Its meaning does not depend on the autonomy of a run.

use piton_core::{BoundedText, GapId};

use crate::blocker::BlockerCode;
use crate::bounds::{BLOCKER_MESSAGE_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX, SUMMARY_BYTES_MAX};
use crate::event::{Blocker, GapRecorded, LimitDetails, Pointer, Resolution};
use crate::gap::GapSeverity;
use crate::reason::Reason;

/// One thing that is wrong with an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Reason that the run cannot simply continue.
    pub reason: Reason,
    /// The part of the workflow that it is about.
    pub pointer: Pointer,
    pub message: BoundedText<BLOCKER_MESSAGE_BYTES_MAX>,
    pub suggested_fix: BoundedText<SUGGESTED_FIX_BYTES_MAX>,
    /// The limit that was reached, if that is the problem.
    pub details: Option<LimitDetails>,
}

/// A gap that has no id yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapDraft {
    pub severity: GapSeverity,
    pub reason: Reason,
    /// Description of what is missing, for people.
    pub summary: BoundedText<SUMMARY_BYTES_MAX>,
    /// The limit that was reached, if that is the problem.
    pub details: Option<LimitDetails>,
}

impl Finding {
    /// Returns the finding as a blocker.
    pub fn blocker(&self) -> Blocker {
        Blocker {
            code: BlockerCode::from(self.reason),
            pointer: self.pointer.clone(),
            message: self.message.clone(),
            suggested_fix: Some(self.suggested_fix.clone()),
            details: self.details.clone(),
        }
    }

    /// Returns the finding as a gap to be recorded. Whatever an output lacks is critical.
    pub fn gap(&self) -> GapDraft {
        GapDraft {
            severity: GapSeverity::Critical,
            reason: self.reason,
            summary: BoundedText::truncated(self.message.as_str()),
            details: self.details.clone(),
        }
    }
}

impl GapDraft {
    /// Returns the record of the gap under its id.
    pub fn into_record(self, gap_id: GapId) -> GapRecorded {
        let Self { severity, reason, summary, details } = self;
        let resolution = Resolution::Unresolved {};
        GapRecorded { gap_id, severity, reason, summary, resolution, evidence_refs: None, details }
    }
}
