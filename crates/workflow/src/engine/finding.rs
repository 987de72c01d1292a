//! What is wrong with an output, before anything is decided about it.
//!
//! *Invariants*: a finding says what is wrong, where, and what to do. Its texts fit the budgets of blockers and
//! gaps, so it becomes either without loss. What it means does not depend on how autonomous a run is.

use piton_core::{BoundedText, GapId};

use crate::blocker::BlockerCode;
use crate::bounds::{BLOCKER_MESSAGE_BYTES_MAX, SUGGESTED_FIX_BYTES_MAX, SUMMARY_BYTES_MAX};
use crate::event::{Blocker, GapRecorded, LimitDetails, Pointer, Resolution};
use crate::gap::GapSeverity;
use crate::reason::Reason;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Why the run cannot simply go on.
    pub reason: Reason,
    /// Where it is.
    pub pointer: Pointer,
    /// What is wrong.
    pub message: BoundedText<BLOCKER_MESSAGE_BYTES_MAX>,
    /// What to do about it.
    pub suggested_fix: BoundedText<SUGGESTED_FIX_BYTES_MAX>,
    /// The limit that was reached, if that is what is wrong.
    pub details: Option<LimitDetails>,
}

/// A gap that has no id yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapDraft {
    /// How much it matters.
    pub severity: GapSeverity,
    /// Why it is there.
    pub reason: Reason,
    /// What is missing, for people.
    pub summary: BoundedText<SUMMARY_BYTES_MAX>,
    /// The limit that was reached, if that is what is wrong.
    pub details: Option<LimitDetails>,
}

impl Finding {
    /// The finding as something that blocks.
    pub fn blocker(&self) -> Blocker {
        Blocker {
            code: BlockerCode::from(self.reason),
            pointer: self.pointer.clone(),
            message: self.message.clone(),
            suggested_fix: Some(self.suggested_fix.clone()),
            details: self.details.clone(),
        }
    }

    /// The finding as something to be recorded. Whatever an output lacks is critical.
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
    /// The gap under its id.
    pub fn into_record(self, gap_id: GapId) -> GapRecorded {
        let Self { severity, reason, summary, details } = self;
        let resolution = Resolution::Unresolved {};
        GapRecorded { gap_id, severity, reason, summary, resolution, evidence_refs: None, details }
    }
}
