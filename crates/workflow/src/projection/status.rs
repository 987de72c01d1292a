//! The status of a run, computed at its preferred tip.

use super::run_state::RunState;
use crate::event::Autonomy;
use crate::reason::ReasonCategory;
use crate::run::RunStatus;

/// Returns the status of `run`. The caller takes `is_complete` from the snapshot of the preferred tip.
pub fn status(run: &RunState, is_complete: bool) -> RunStatus {
    if is_complete {
        return if run.gaps.open_critical() > 0 {
            RunStatus::CompleteWithGaps
        } else {
            RunStatus::Complete
        };
    }
    let Some(tip) = run.graph.preferred_tip() else { return RunStatus::InProgress };
    let preferences = run.preferences.effective(tip.id);
    // A run that never stops is not blocked by any gap. Without preferences on record it counts as one that stops.
    let stops =
        preferences.is_none_or(|preferences| preferences.autonomy != Autonomy::FullAutoNeverStop);
    let blocks = |gap: &super::Gap| {
        gap.is_critical() && gap.record.reason.category() != ReasonCategory::Unexpected
    };
    if stops && run.gaps.open_on(tip.id).any(blocks) {
        return RunStatus::Blocked;
    }
    RunStatus::InProgress
}
