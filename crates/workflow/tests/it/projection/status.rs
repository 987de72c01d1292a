//! The status of a run.

use piton_workflow::{
    Autonomy, CapabilityMissing, ContractViolation, GapSeverity, Reason, RunStatus, Unexpected,
    UserOnlyDependency, event::Resolution, projection,
};

use super::log::{DEFAULTS, Log};

fn status(log: &Log, is_complete: bool) -> RunStatus {
    projection::status(&log.state.runs()[0], is_complete)
}

const BLOCKING: [Reason; 3] = [
    Reason::UserOnlyDependency(UserOnlyDependency::Approval),
    Reason::ContractViolation(ContractViolation::MissingRequiredOutput),
    Reason::CapabilityMissing(CapabilityMissing::RequiredCapabilityUnknown),
];

// shows: WR-442, WR-443
#[test]
fn a_critical_gap_at_the_tip_blocks_unless_the_run_never_stops() {
    for autonomy in Autonomy::ALL.iter().copied() {
        for reason in BLOCKING {
            for severity in GapSeverity::ALL.iter().copied() {
                let mut log = Log::new();
                let root = log.run();
                log.prefer(root, DEFAULTS, autonomy);
                log.gap(root, severity, reason, Resolution::Unresolved {});
                let blocks =
                    autonomy != Autonomy::FullAutoNeverStop && severity == GapSeverity::Critical;
                let expected = if blocks { RunStatus::Blocked } else { RunStatus::InProgress };
                assert_eq!(status(&log, false), expected, "{autonomy} {reason:?} {severity}");
            }
        }
    }
    let mut log = Log::new();
    let root = log.run();
    let reason = Reason::Unexpected(Unexpected::InvariantViolation);
    log.gap(root, GapSeverity::Critical, reason, Resolution::Unresolved {});
    assert_eq!(status(&log, false), RunStatus::InProgress);
}

// shows: WR-184, WR-289, WR-440, WR-441
#[test]
fn a_gap_is_open_until_a_later_record_resolves_it() {
    let mut log = Log::new();
    let root = log.run();
    let gap = log.gap(root, GapSeverity::Critical, BLOCKING[0], Resolution::Unresolved {});
    assert_eq!(status(&log, false), RunStatus::Blocked);
    assert_eq!(status(&log, true), RunStatus::CompleteWithGaps);
    // On another branch the same gap does not stand in the way.
    let next = log.step(root);
    assert_eq!(status(&log, false), RunStatus::InProgress);
    assert_eq!(status(&log, true), RunStatus::CompleteWithGaps);
    let resolution = Resolution::Resolves { resolves_gap_id: gap };
    let by = log.gap(next, GapSeverity::Critical, BLOCKING[0], resolution);
    assert_eq!(status(&log, true), RunStatus::Complete);
    let gaps = &log.state.runs()[0].gaps;
    assert_eq!(gaps.find(gap).unwrap().resolved_by, Some(by));
    assert_eq!((gaps.all().len(), gaps.open().count()), (2, 0), "both records stay");
}
