//! Reasons: a category with one of its own details.

use piton_workflow::{
    BlockerCode, CapabilityMissing, ContractViolation, Reason, ReasonCategory, Unexpected,
    UserOnlyDependency,
};
use serde_json::json;

/// Every reason, with its category, its detail and the code of its blocker.
fn table() -> Vec<(Reason, &'static str, &'static str, &'static str)> {
    use CapabilityMissing::{RequiredCapabilityUnavailable, RequiredCapabilityUnknown};
    use ContractViolation::{InvalidRequiredOutput, MissingRequiredOutput};
    use Unexpected::{InvariantViolation, StorageCorruptionDetected};

    let mut table = vec![
        (
            Reason::ContractViolation(MissingRequiredOutput),
            "contract_violation",
            "missing_required_output",
            "MISSING_REQUIRED_OUTPUT",
        ),
        (
            Reason::ContractViolation(InvalidRequiredOutput),
            "contract_violation",
            "invalid_required_output",
            "INVALID_REQUIRED_OUTPUT",
        ),
        (
            Reason::CapabilityMissing(RequiredCapabilityUnavailable),
            "capability_missing",
            "required_capability_unavailable",
            "REQUIRED_CAPABILITY_UNAVAILABLE",
        ),
        (
            Reason::CapabilityMissing(RequiredCapabilityUnknown),
            "capability_missing",
            "required_capability_unknown",
            "REQUIRED_CAPABILITY_UNKNOWN",
        ),
        (
            Reason::Unexpected(InvariantViolation),
            "unexpected",
            "invariant_violation",
            "INVARIANT_VIOLATION",
        ),
        (
            Reason::Unexpected(StorageCorruptionDetected),
            "unexpected",
            "storage_corruption_detected",
            "STORAGE_CORRUPTION_DETECTED",
        ),
    ];
    table.extend(UserOnlyDependency::ALL.iter().map(|detail| {
        let reason = Reason::UserOnlyDependency(*detail);
        (reason, "user_only_dependency", detail.as_str(), "USER_ONLY_DEPENDENCY")
    }));
    table
}

// shows: WR-180
#[test]
fn a_reason_is_its_category_and_its_detail() {
    for (reason, category, detail, _) in table() {
        let value = json!({"category": category, "detail": detail});
        assert_eq!(serde_json::to_value(reason).unwrap(), value);
        assert_eq!(serde_json::from_value::<Reason>(value).unwrap(), reason);
        assert_eq!(reason.category().as_str(), category);
        assert_eq!(reason.detail(), detail);
        assert_eq!(reason.to_string(), format!("{category}:{detail}"));
    }
    let from_the_other_end = r#"{"detail":"invariant_violation","category":"unexpected"}"#;
    let reason: Reason = serde_json::from_str(from_the_other_end).unwrap();
    assert_eq!(reason, Reason::Unexpected(Unexpected::InvariantViolation));
}

// shows: WR-179, WR-180
#[test]
fn a_detail_of_another_category_is_refused_with_the_known_ones() {
    for category in ReasonCategory::ALL {
        for (reason, _, detail, _) in table() {
            let value = json!({"category": category, "detail": detail});
            let fits = reason.category() == *category;
            assert_eq!(
                serde_json::from_value::<Reason>(value).is_ok(),
                fits,
                "{category} {detail}"
            );
        }
    }
    let swapped = json!({"category": "contract_violation", "detail": "invariant_violation"});
    assert_eq!(
        serde_json::from_value::<Reason>(swapped).unwrap_err().to_string(),
        "`invariant_violation` is not one of: \
         missing_required_output, invalid_required_output"
    );
}

// shows: WR-179
#[test]
fn anything_else_than_a_category_and_a_detail_is_refused() {
    for wrong in [
        json!({"category": "other", "detail": "invariant_violation"}),
        json!({"category": "unexpected", "detail": "other"}),
        json!({"category": "unexpected", "detail": null}),
        json!({"category": "unexpected"}),
        json!({"detail": "invariant_violation"}),
        json!({"category": "unexpected", "detail": "invariant_violation", "more": 1}),
        json!("unexpected:invariant_violation"),
        json!(null),
    ] {
        assert!(serde_json::from_value::<Reason>(wrong.clone()).is_err(), "{wrong}");
    }
    let unknown = json!({"category": "other", "detail": "x"});
    let error = serde_json::from_value::<Reason>(unknown).unwrap_err().to_string();
    for category in ReasonCategory::NAMES {
        assert!(error.contains(category), "{error}");
    }
}

// shows: WR-277
#[test]
fn every_reason_has_its_blocker_code() {
    for (reason, _, _, code) in table() {
        assert_eq!(BlockerCode::from(reason).as_str(), code, "{reason}");
    }
}

#[test]
fn blocker_codes_sort_by_value_as_by_text() {
    assert!(BlockerCode::ALL.is_sorted());
    assert!(BlockerCode::NAMES.is_sorted());
}
