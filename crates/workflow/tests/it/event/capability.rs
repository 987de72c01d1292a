//! Observations of capabilities.

use piton_workflow::event::{CapabilityProvenance, PayloadError, UseResult};
use piton_workflow::{
    AttemptContext, CapabilityStatus, Claim, ClaimedBy, FailureCode, ProbeResult,
};
use serde_json::{Value, json};

use super::sample::{capability, data, probe, with_data};

fn check(status: &str, provenance: &Value, fine: bool) {
    let body = capability(1, CapabilityStatus::Available, probe(ProbeResult::Success)).unwrap();
    let mut whole = data(&body);
    whole["status"] = json!(status);
    whole["provenance"] = provenance.clone();
    assert_eq!(with_data(&body, &whole).is_ok(), fine, "{status} {provenance}");
}

fn provenance(kind: &str, grade: &str, detail: &Value) -> Value {
    json!({"kind": kind, "enforcementGrade": grade, "detail": detail})
}

// shows: WR-172, WR-173, WR-175
#[test]
fn each_kind_of_provenance_has_its_own_details() {
    let probed = json!({"probeTemplateId": "wr.probe", "probeStepId": "p", "result": "success"});
    let used = json!({"attemptContext": "system_probe", "result": "success"});
    let claimed = json!({"claimedBy": "user", "claim": "available"});
    let kinds = [("probe_step", "strong"), ("attempted_use", "strong"), ("manual_claim", "weak")];
    for (row, (kind, grade)) in kinds.into_iter().enumerate() {
        for (column, detail) in [&probed, &used, &claimed].into_iter().enumerate() {
            check("available", &provenance(kind, grade, detail), row == column);
        }
    }
}

// shows: WR-171
#[test]
fn the_grade_is_the_one_of_the_provenance() {
    let probed = json!({"probeTemplateId": "wr.probe", "probeStepId": "p", "result": "success"});
    let used = json!({"attemptContext": "workflow_step", "result": "success"});
    let claimed = json!({"claimedBy": "agent", "claim": "available"});
    for (kind, detail, strong) in [
        ("probe_step", &probed, true),
        ("attempted_use", &used, true),
        ("manual_claim", &claimed, false),
    ] {
        check("available", &provenance(kind, "strong", detail), strong);
        check("available", &provenance(kind, "weak", detail), !strong);
    }
}

// shows: WR-174
#[test]
fn a_failure_has_a_code_and_a_success_has_none() {
    let mut table = vec![
        (json!({"attemptContext": "workflow_step", "result": "failure"}), "unknown", false),
        (json!({"attemptContext": "workflow_step", "result": "success"}), "available", true),
    ];
    for code in FailureCode::ALL {
        let with = |result| json!({"attemptContext": "workflow_step", "result": result, "failureCode": code});
        table.push((with("failure"), "unknown", true));
        table.push((with("success"), "available", false));
    }
    for (detail, status, fine) in table {
        check(status, &provenance("attempted_use", "strong", &detail), fine);
    }
}

#[test]
fn the_status_agrees_with_what_was_seen_or_claimed() {
    let used = |result| CapabilityProvenance::AttemptedUse {
        attempt_context: AttemptContext::SystemProbe,
        result,
    };
    let claimed = |claim| CapabilityProvenance::ManualClaim { claimed_by: ClaimedBy::User, claim };
    let failed = UseResult::Failure(FailureCode::PolicyBlocked);
    // Whether it fits `unknown`, `available` and `unavailable`.
    let table = [
        (probe(ProbeResult::Success), [false, true, false]),
        (probe(ProbeResult::Failure), [true, false, true]),
        (used(UseResult::Success), [false, true, false]),
        (used(failed), [true, false, true]),
        (claimed(Claim::Available), [false, true, false]),
        (claimed(Claim::Unavailable), [false, false, true]),
    ];
    for (provenance, fits) in table {
        for (status, fits) in CapabilityStatus::ALL.iter().copied().zip(fits) {
            match capability(1, status, provenance.clone()) {
                Ok(_) => assert!(fits, "{provenance:?} {status}"),
                Err(error) => {
                    assert!(!fits, "{provenance:?} {status}");
                    assert_eq!(error, PayloadError::Status { status });
                }
            }
        }
    }
}
