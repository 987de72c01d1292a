//! Closed sets: their exact members, and that nothing else is one.

use std::fmt::Debug;
use std::str::FromStr;

use piton_core::UnknownValue;
use piton_workflow::{
    AttemptContext, AttemptIntent, Autonomy, BlockerCode, Capability, CapabilityMissing,
    CapabilityStatus, Claim, ClaimedBy, Confidence, ContextSource, ContractViolation,
    DivergenceReason, EdgeCause, EdgeKind, EnforcementGrade, EventKind, FailureCode, GapSeverity,
    NextIntent, NodeKind, NonAssumableChoice, ObservationKey, OutputChannel, PreferenceSource,
    ProbeResult, ProvenanceKind, ReasonCategory, RiskPolicy, RunStatus, SourceKind, TokenKind,
    TraceEntryKind, Unexpected, UserOnlyDependency,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Checks that a set has exactly these names, separated by spaces, in this order.
macro_rules! check {
    ($set:ident, $expected:literal) => {
        check(stringify!($set), $set::ALL, $set::NAMES, $expected)
    };
}

#[track_caller]
fn check<T>(set: &str, all: &[T], names: &[&str], expected: &str)
where
    T: Copy + Debug + PartialEq + FromStr<Err = UnknownValue> + Serialize + DeserializeOwned,
{
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(names, expected, "{set}");
    for (value, name) in all.iter().zip(&expected) {
        assert_eq!(name.parse(), Ok(*value));
        assert_eq!(serde_json::to_value(value).expect("it is valid"), json!(name));
        assert_eq!(serde_json::from_value::<T>(json!(name)).expect("it is valid"), *value);
        for wrong in [name.to_uppercase(), name.to_lowercase(), format!("{name} ")] {
            refuse::<T>(set, &wrong, &expected);
        }
    }
    for wrong in ["", "no_such_value", "true", "0"] {
        refuse::<T>(set, wrong, &expected);
    }
    for wrong in [json!(null), json!(true), json!(0), json!([expected[0]]), json!({})] {
        assert!(serde_json::from_value::<T>(wrong).is_err(), "{set}");
    }
}

/// A name is refused, unless it is one of the set, as text and in JSON, and the error lists the known
/// ones.
#[track_caller]
fn refuse<T: Debug + FromStr<Err = UnknownValue> + DeserializeOwned>(
    set: &str,
    wrong: &str,
    expected: &[&str],
) {
    if expected.contains(&wrong) {
        return;
    }
    let message = format!("`{wrong}` is not one of: {}", expected.join(", "));
    let error = wrong.parse::<T>().expect_err("it must be refused");
    assert_eq!((error.set, error.to_string()), (set, message.clone()));
    assert_eq!(
        serde_json::from_value::<T>(json!(wrong)).expect_err("it must be refused").to_string(),
        message
    );
}

// shows: WR-019, WR-031, WR-032, WR-162
#[test]
fn preferences_have_these_values_and_sources() {
    check!(Autonomy, "guided full_auto_stop_on_user_deps full_auto_never_stop");
    check!(RiskPolicy, "conservative balanced aggressive");
    check!(PreferenceSource, "user workflow_recommendation system");
}

// shows: WR-019, WR-033, WR-035, WR-037, WR-136
#[test]
fn runs_have_these_states_intents_and_sources() {
    check!(RunStatus, "in_progress blocked complete complete_with_gaps");
    check!(
        NextIntent,
        "perform_pending_then_continue await_user_confirmation rehydrate_only complete"
    );
    check!(AttemptIntent, "ack_pending");
    check!(SourceKind, "bundled user project remote plugin");
    check!(ContextSource, "initial agent_delta merge");
}

// shows: WR-019, WR-036
#[test]
fn tokens_are_of_these_kinds() {
    check!(TokenKind, "state ack checkpoint");
}

// shows: WR-019, WR-039, WR-040
#[test]
fn the_graph_of_a_run_has_these_kinds_of_nodes_and_edges() {
    check!(NodeKind, "step checkpoint blocked_attempt");
    check!(EdgeKind, "acked_step checkpoint");
    check!(EdgeCause, "idempotent_replay intentional_fork non_tip_advance checkpoint_created");
}

// shows: WR-019, WR-105, WR-106
#[test]
fn events_are_of_these_thirteen_kinds() {
    check!(
        EventKind,
        "session_created observation_recorded run_started node_created edge_created \
         advance_recorded node_output_appended preferences_changed capability_observed gap_recorded \
         divergence_recorded decision_trace_appended context_set"
    );
    assert_eq!(EventKind::ALL.len(), 13);
}

// shows: WR-019, WR-143, WR-153, WR-155
#[test]
fn outputs_and_observations_have_these_channels_and_keys() {
    check!(OutputChannel, "recap artifact");
    check!(ObservationKey, "git_branch git_head_sha repo_root_hash repo_root");
    check!(Confidence, "low med high");
}

// shows: WR-019, WR-034, WR-169, WR-170
#[test]
fn capabilities_have_these_states_and_provenances() {
    check!(Capability, "delegation web_browsing");
    check!(CapabilityStatus, "unknown available unavailable");
    check!(ProvenanceKind, "probe_step attempted_use manual_claim");
    check!(EnforcementGrade, "strong weak");
    check!(ProbeResult, "success failure");
    check!(FailureCode, "tool_missing tool_error policy_blocked unknown");
    check!(AttemptContext, "workflow_step system_probe");
    check!(ClaimedBy, "agent user");
    check!(Claim, "available unavailable");
}

#[test]
fn only_a_claim_is_weak() {
    let grades = ProvenanceKind::ALL.iter().map(|kind| kind.grade().as_str());
    assert_eq!(grades.collect::<Vec<_>>(), ["strong", "strong", "weak"]);
}

// shows: WR-019, WR-178, WR-269, WR-283, WR-285
#[test]
fn gaps_and_blockers_have_these_reasons() {
    check!(GapSeverity, "info warning critical");
    check!(ReasonCategory, "user_only_dependency contract_violation capability_missing unexpected");
    check!(
        UserOnlyDependency,
        "needs_user_secret_or_token needs_user_account_access needs_user_artifact needs_user_choice \
         needs_user_approval needs_user_environment_action"
    );
    check!(
        NonAssumableChoice,
        "preference_tradeoff scope_boundary irreversible_action external_side_effect \
         policy_or_compliance"
    );
    check!(ContractViolation, "missing_required_output invalid_required_output");
    check!(CapabilityMissing, "required_capability_unavailable required_capability_unknown");
    check!(Unexpected, "invariant_violation storage_corruption_detected");
    check!(
        BlockerCode,
        "INVALID_REQUIRED_OUTPUT INVARIANT_VIOLATION MISSING_REQUIRED_OUTPUT \
         REQUIRED_CAPABILITY_UNAVAILABLE REQUIRED_CAPABILITY_UNKNOWN STORAGE_CORRUPTION_DETECTED \
         USER_ONLY_DEPENDENCY"
    );
}

// shows: WR-019, WR-188, WR-194
#[test]
fn explanations_have_these_reasons_and_entries() {
    check!(
        DivergenceReason,
        "missing_user_context capability_unavailable efficiency_skip safety_stop policy_constraint"
    );
    check!(
        TraceEntryKind,
        "selected_next_step evaluated_condition entered_loop exited_loop detected_non_tip_advance"
    );
}
