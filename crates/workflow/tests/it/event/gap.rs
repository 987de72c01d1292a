//! Gaps and divergences.

use piton_core::GapId;
use piton_workflow::event::{NonEmptySummary, PayloadError, Resolution};
use serde_json::{Value, json};

use super::sample::{data, divergence, event_id, gap, with_data};

fn check(field: &str, value: &Value, fine: bool) {
    let body = gap(1, Resolution::Unresolved {});
    let mut whole = data(&body);
    whole[field] = value.clone();
    assert_eq!(with_data(&body, &whole).is_ok(), fine, "{field} {value}");
}

// shows: WR-179, WR-180
#[test]
fn a_reason_is_a_category_and_a_detail_of_it() {
    let details: [(&str, &[&str]); 4] = [
        (
            "user_only_dependency",
            &[
                "needs_user_secret_or_token",
                "needs_user_account_access",
                "needs_user_artifact",
                "needs_user_choice",
                "needs_user_approval",
                "needs_user_environment_action",
            ],
        ),
        ("contract_violation", &["missing_required_output", "invalid_required_output"]),
        ("capability_missing", &["required_capability_unavailable", "required_capability_unknown"]),
        ("unexpected", &["invariant_violation", "storage_corruption_detected"]),
    ];
    for (category, own) in details {
        for (_, names) in details {
            for detail in names {
                let reason = json!({"category": category, "detail": detail});
                check("reason", &reason, own.contains(detail));
            }
        }
    }
    check("reason", &json!({"category": "unexpected"}), false);
    check("reason", &json!("unexpected:invariant_violation"), false);
}

// shows: WR-182
#[test]
fn a_gap_is_unresolved_or_resolves_another_one() {
    let other = GapId::from_bytes([2; 16]);
    check("resolution", &json!({"kind": "unresolved"}), true);
    check("resolution", &json!({"kind": "resolves", "resolvesGapId": other}), true);
    check("resolution", &json!({"kind": "resolves"}), false);
    check("resolution", &json!({"kind": "unresolved", "resolvesGapId": other}), false);
    check("resolution", &json!({"kind": "ignored"}), false);
}

// shows: WR-183
#[test]
fn evidence_is_one_to_ten_events_or_outputs() {
    let event = json!({"kind": "event", "eventId": event_id(1)});
    let output = json!({"kind": "output", "outputId": piton_core::OutputId::from_bytes([1; 16])});
    check("evidenceRefs", &json!([event, output]), true);
    check("evidenceRefs", &json!([{"kind": "event", "outputId": output["outputId"]}]), false);
    check("evidenceRefs", &json!([{"kind": "file", "path": "a"}]), false);
    for (count, fine) in [(0, false), (10, true), (11, false)] {
        check("evidenceRefs", &Value::Array(vec![event.clone(); count]), fine);
    }
}

// shows: WR-181
#[test]
fn the_summary_of_a_gap_has_at_most_512_bytes() {
    for (text, fine) in [("x".repeat(512), true), ("x".repeat(513), false)] {
        check("summary", &json!(text), fine);
    }
    check("summary", &json!("ü".repeat(256)), true);
    check("summary", &json!("ü".repeat(257)), false);
}

// shows: WR-189
#[test]
fn the_summary_of_a_divergence_has_1_to_512_bytes() {
    let body = divergence("a");
    for (bytes, fine) in [(0, false), (1, true), (512, true), (513, false)] {
        let mut whole = data(&body);
        whole["summary"] = json!("x".repeat(bytes));
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{bytes}");
    }
    assert_eq!(NonEmptySummary::new(""), Err(PayloadError::EmptySummary));
}
