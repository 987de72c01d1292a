//! Whether a run goes on, in each mode.

use piton_core::port::fixed::SeededEntropy;
use piton_core::{BoundedText, GapId};
use piton_workflow::compile::{CapabilityNeed, CompiledWorkflow};
use piton_workflow::engine::{
    Decision, Finding, KnownCapabilities, RefusalVerdict, Refusals, StepFacts, Submission, block,
    decide,
};
use piton_workflow::event::{Blocker, Pointer, Preferences, Resolution};
use piton_workflow::{
    Autonomy, BlockerCode, CapabilityMissing, CapabilityStatus, ContractViolation, ExecutionState,
    GapSeverity, Reason, RiskPolicy, TraceEntryKind, Unexpected, UserOnlyDependency,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::properties::{artifacts, steps_max, workflows};
use super::samples::{
    control, decision, looped, pending_key, running, source, start, step, workflow,
};
use super::validate::{behind_probes, browsing, standing};
use crate::source::compile_value;

fn facts(autonomy: Autonomy) -> StepFacts<'static> {
    StepFacts {
        preferences: Preferences { autonomy, risk_policy: RiskPolicy::Balanced },
        standings: KnownCapabilities::new(),
        context: None,
        open_gaps: Vec::new(),
        settled: Vec::new(),
        refusals: Refusals::default(),
    }
}

/// What an output leads to at the first step of `workflow`.
fn decided(
    workflow: &CompiledWorkflow,
    facts: &StepFacts<'_>,
    submission: &Submission<'_>,
) -> Decision {
    decide(workflow, &start(workflow).next, facts, submission).expect("a step is pending")
}

fn reasons() -> Vec<Reason> {
    let user = UserOnlyDependency::ALL.iter().copied().map(Reason::UserOnlyDependency);
    let contract = ContractViolation::ALL.iter().copied().map(Reason::ContractViolation);
    let capability = CapabilityMissing::ALL.iter().copied().map(Reason::CapabilityMissing);
    let unexpected = [Reason::Unexpected(Unexpected::InvariantViolation)];
    user.chain(contract).chain(capability).chain(unexpected).collect()
}

fn finding(reason: Reason) -> Finding {
    Finding {
        reason,
        pointer: Pointer::WorkflowStep { step_id: "one".parse().expect("it is an id") },
        message: BoundedText::new("What is wrong.").expect("it is short"),
        suggested_fix: BoundedText::new("What to do.").expect("it is short"),
        details: None,
    }
}

/// What is recorded of a finding.
fn recorded(finding: &Finding) -> (GapSeverity, Reason) {
    let gap = finding.gap(GapId::from_bytes([1; 16]));
    (gap.severity, gap.reason)
}

// shows: WR-276, WR-278
#[test]
fn one_reason_is_the_source_of_a_blocker_and_of_a_critical_gap() {
    let id = GapId::mint(&SeededEntropy::new(1));
    for reason in reasons() {
        let finding = finding(reason);
        assert_eq!(finding.blocker().code, BlockerCode::from(reason));
        let record = serde_json::to_value(finding.gap(id)).unwrap();
        let told = [&record["reason"]["category"], &record["reason"]["detail"]];
        let text = told.map(|part| part.as_str().unwrap()).join(":");
        assert_eq!((text, &record["severity"]), (reason.to_string(), &json!("critical")));
    }
}

// shows: WR-279, WR-280, WR-286, WR-287
// shows in part: WR-282 (each reason in each mode)
#[test]
fn the_mode_decides_whether_a_run_stops_and_never_what_a_reason_means() {
    for reason in reasons() {
        let finding = finding(reason);
        for autonomy in Autonomy::ALL {
            let report = block(*autonomy, std::slice::from_ref(&finding)).unwrap();
            let codes = report.map(|report| {
                report.blockers().iter().map(|blocker| blocker.code).collect::<Vec<_>>()
            });
            let expected = match autonomy {
                Autonomy::Guided | Autonomy::FullAutoStopOnUserDeps => {
                    Some(vec![BlockerCode::from(reason)])
                }
                Autonomy::FullAutoNeverStop => None,
            };
            assert_eq!(codes, expected, "{autonomy} {reason}");
        }
        assert_eq!(recorded(&finding), (GapSeverity::Critical, reason));
    }
    for autonomy in Autonomy::ALL {
        assert_eq!(block(*autonomy, &[]), Ok(None));
    }
}

#[test]
fn a_gap_under_its_id_says_what_its_finding_says() {
    let finding = finding(Reason::Unexpected(Unexpected::InvariantViolation));
    let id = GapId::mint(&SeededEntropy::new(7));
    let record = finding.gap(id);
    assert_eq!((record.gap_id, record.resolution), (id, Resolution::Unresolved {}));
    assert_eq!(record.summary.as_str(), "What is wrong.");
}

// shows: WR-280, WR-286, WR-287
#[test]
fn a_missing_output_blocks_or_is_recorded_and_passed_over() {
    let workflow = workflow(&[step("one"), step("two")]);
    for autonomy in Autonomy::ALL {
        let decision = decided(&workflow, &facts(*autonomy), &Submission::default());
        let gaps = match decision {
            Decision::Blocked { report, gaps } => {
                assert_ne!(*autonomy, Autonomy::FullAutoNeverStop);
                assert_eq!(report.blockers()[0].code, BlockerCode::MissingRequiredOutput);
                gaps
            }
            Decision::Advanced { next, gaps, .. } => {
                assert_eq!(*autonomy, Autonomy::FullAutoNeverStop);
                assert_eq!(pending_key(&next).as_deref(), Some("two"));
                gaps
            }
        };
        let reason = Reason::ContractViolation(ContractViolation::MissingRequiredOutput);
        let told: Vec<_> = gaps.iter().map(recorded).collect();
        assert_eq!(told, [(GapSeverity::Critical, reason)], "{autonomy}");
    }
}

// shows: WR-281
#[test]
fn a_capability_stops_a_run_only_if_it_is_required_and_then_by_the_mode() {
    use CapabilityStatus::{Available, Unavailable, Unknown};
    for need in CapabilityNeed::ALL {
        for (status, missing) in [
            (Unknown, Some(CapabilityMissing::RequiredCapabilityUnknown)),
            (Unavailable, Some(CapabilityMissing::RequiredCapabilityUnavailable)),
            (Available, None),
        ] {
            let workflow = browsing(*need);
            let state = behind_probes(&workflow);
            let expected = missing.filter(|_| *need == CapabilityNeed::Required);
            let expected = expected.map(Reason::CapabilityMissing);
            for autonomy in Autonomy::ALL {
                let facts = StepFacts { standings: standing(status, status), ..facts(*autonomy) };
                let submission = Submission { notes: Some("Done."), artifacts: &[] };
                let (codes, gaps) = match decide(&workflow, &state, &facts, &submission).unwrap() {
                    Decision::Blocked { report, gaps } => {
                        (report.blockers().iter().map(|blocker| blocker.code).collect(), gaps)
                    }
                    Decision::Advanced { gaps, .. } => (Vec::new(), gaps),
                };
                let stops = *autonomy != Autonomy::FullAutoNeverStop;
                let blocks = expected.filter(|_| stops).map(BlockerCode::from);
                assert_eq!(codes, Vec::from_iter(blocks), "{need} {status} {autonomy}");
                let told = gaps.iter().map(recorded);
                let critical = expected.map(|reason| (GapSeverity::Critical, reason));
                assert!(told.eq(critical), "{need} {status} {autonomy}: {gaps:?}");
            }
        }
    }
}

// shows: WR-341, WR-343
#[test]
fn without_a_decision_a_run_that_never_stops_leaves_the_loop_and_says_so_twice() {
    let workflow = workflow(&[looped("rounds", 3, &[decision("decide")]), step("report")]);
    let never_stop = facts(Autonomy::FullAutoNeverStop);
    let decision = decided(&workflow, &never_stop, &Submission::default());
    let Decision::Advanced { next, gaps, traces, .. } = decision else {
        panic!("it never stops");
    };
    assert_eq!(pending_key(&next).as_deref(), Some("report"));
    let reason = Reason::ContractViolation(ContractViolation::MissingRequiredOutput);
    assert_eq!(gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [reason]);
    let kinds: Vec<_> = traces.iter().map(|entry| entry.kind).collect();
    assert_eq!(
        kinds,
        [
            TraceEntryKind::EvaluatedCondition,
            TraceEntryKind::ExitedLoop,
            TraceEntryKind::SelectedNextStep,
        ]
    );
}

#[test]
fn a_decision_that_was_passed_over_stops_no_later_step_which_could_not_mend_it() {
    let body = [decision("decide"), step("work")];
    let workflow = workflow(&[looped("rounds", 3, &body), step("report")]);
    let never_stop = facts(Autonomy::FullAutoNeverStop);
    let Decision::Advanced { next, gaps, .. } =
        decided(&workflow, &never_stop, &Submission::default())
    else {
        panic!("it never stops");
    };
    assert_eq!(gaps.len(), 1);
    let submission = Submission { notes: Some("Done."), artifacts: &[] };
    let Decision::Advanced { next, gaps, traces, .. } =
        decide(&workflow, &next, &facts(Autonomy::Guided), &submission).unwrap()
    else {
        panic!("the notes are there");
    };
    assert_eq!(gaps, []);
    assert_eq!(pending_key(&next).as_deref(), Some("report"));
    let told = "Condition `rounds-again` of the loop `rounds` after turn 1 does not hold: no valid decision was submitted.";
    assert_eq!(traces[0].summary.as_str(), told);
}

// shows: WR-350, WR-351, WR-352
// shows: WR-282 (with the_mode_decides_whether_a_run_stops_and_never_what_a_reason_means, an_attempt_whose_record_is_not_whole_is_an_error_and_not_tried_again, a_damaged_session_is_refused_by_every_use_and_nothing_is_written)
#[test]
fn a_loop_that_is_to_go_on_and_may_not_blocks_or_ends_with_a_gap() {
    let workflow = workflow(&[looped("rounds", 1, &[decision("decide")]), step("report")]);
    let again = [control("rounds", "continue")];
    let submission = Submission { notes: None, artifacts: &again };
    let details =
        json!({"kind": "loop_limit", "loopId": "rounds", "iteration": 0, "maxIterations": 1});
    for autonomy in Autonomy::ALL {
        let gaps = match decided(&workflow, &facts(*autonomy), &submission) {
            Decision::Blocked { report, gaps } => {
                assert_ne!(*autonomy, Autonomy::FullAutoNeverStop);
                let blocker = &report.blockers()[0];
                assert_eq!(blocker.code, BlockerCode::InvariantViolation);
                assert_eq!(serde_json::to_value(&blocker.details).unwrap(), details);
                gaps
            }
            Decision::Advanced { next, gaps, .. } => {
                assert_eq!(*autonomy, Autonomy::FullAutoNeverStop);
                assert_eq!(pending_key(&next).as_deref(), Some("report"));
                gaps
            }
        };
        assert_eq!(gaps.len(), 1);
        assert_eq!(gaps[0].reason, Reason::Unexpected(Unexpected::InvariantViolation));
        assert_eq!(serde_json::to_value(&gaps[0].details).unwrap(), details);
    }
}

#[test]
fn an_output_with_nothing_wrong_resolves_the_open_gaps_of_its_node_and_no_other_output_does() {
    let workflow = workflow(&[step("one"), step("two")]);
    let entropy = SeededEntropy::new(1);
    let open_gaps = vec![GapId::mint(&entropy), GapId::mint(&entropy)];
    let with_gaps = |autonomy| StepFacts { open_gaps: open_gaps.clone(), ..facts(autonomy) };
    let resolved = |autonomy, notes| {
        let submission = Submission { notes, artifacts: &[] };
        match decided(&workflow, &with_gaps(autonomy), &submission) {
            Decision::Advanced { resolves, .. } => resolves,
            Decision::Blocked { .. } => panic!("it goes on"),
        }
    };
    assert_eq!(resolved(Autonomy::Guided, Some("Done.")), open_gaps);
    assert_eq!(resolved(Autonomy::FullAutoNeverStop, Some("Done.")), open_gaps);
    assert_eq!(resolved(Autonomy::FullAutoNeverStop, None), []);
}

proptest! {
    // shows: WR-279, WR-287
    // shows in part: WR-290, WR-291 (blocks and gaps, for any workflow and any output)
    #[test]
    fn a_run_that_never_stops_never_blocks_and_the_risk_policy_changes_nothing(
        workflow in workflows(),
        choices in prop::collection::vec(0_u8..6, 1..40),
    ) {
        let (mut state, mut left) = (start(&workflow).next, 0);
        let facts = facts(Autonomy::FullAutoNeverStop);
        let mut choices = choices.iter().cycle();
        while state != ExecutionState::Complete {
            let key = running(&state).pending_key().unwrap();
            let choice = *choices.next().unwrap();
            let artifacts = artifacts(&key, choice);
            let notes = (choice % 2 == 0).then_some("Done.");
            let submission = Submission { notes, artifacts: &artifacts };
            for autonomy in Autonomy::ALL {
                let decisions = RiskPolicy::ALL.iter().map(|risk_policy| {
                    let preferences = Preferences { autonomy: *autonomy, risk_policy: *risk_policy };
                    let facts = StepFacts { preferences, ..facts.clone() };
                    decide(&workflow, &state, &facts, &submission).unwrap()
                });
                let decisions: Vec<_> = decisions.collect();
                prop_assert!(decisions.windows(2).all(|pair| pair[0] == pair[1]));
            }
            let preferences = Preferences { autonomy: Autonomy::Guided, ..facts.preferences };
            let guided = StepFacts { preferences, ..facts.clone() };
            let recorded = match decide(&workflow, &state, &guided, &submission).unwrap() {
                Decision::Blocked { gaps, .. } => gaps,
                Decision::Advanced { gaps, .. } => {
                    prop_assert_eq!(&gaps, &[]);
                    gaps
                }
            };
            match decide(&workflow, &state, &facts, &submission).unwrap() {
                Decision::Blocked { .. } => prop_assert!(false, "it never stops"),
                Decision::Advanced { next, gaps, .. } => {
                    prop_assert_eq!(gaps, recorded, "the same is missing in every mode");
                    state = next;
                }
            }
            left += 1;
            prop_assert!(left <= steps_max(&workflow, &workflow.sequence));
        }
    }
}

/// The decision about any output, and the one with these refusals before it.
fn with_refusals(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    facts: &StepFacts<'_>,
    submission: &Submission<'_>,
    refusals: Refusals,
) -> (Decision, Decision) {
    let refused = StepFacts { refusals, ..facts.clone() };
    let plain = decide(workflow, state, facts, submission).unwrap();
    (plain, decide(workflow, state, &refused, submission).unwrap())
}

proptest! {
    // shows in part: WR-287 (too many refusals), WR-565 (any workflow and any output)
    #[test]
    fn refusals_add_one_question_where_something_is_missing_and_change_nothing_else(
        workflow in workflows(),
        choices in prop::collection::vec(0_u8..6, 1..40),
        in_a_row in 0_usize..6,
        ask_after in 1_usize..6,
    ) {
        let mut state = start(&workflow).next;
        let (guided, never) = (facts(Autonomy::Guided), facts(Autonomy::FullAutoNeverStop));
        let asking = Refusals { in_a_row, ask_after: Some(ask_after), verdict: None };
        for choice in choices {
            if state == ExecutionState::Complete {
                break;
            }
            let artifacts = artifacts(&running(&state).pending_key().unwrap(), choice);
            let notes = (choice % 2 == 0).then_some("Done.");
            let submission = Submission { notes, artifacts: &artifacts };
            let (plain, asked) = with_refusals(&workflow, &state, &guided, &submission, asking);
            let accepting = Refusals { verdict: Some(RefusalVerdict::Accept), ..asking };
            let (_, accepted) = with_refusals(&workflow, &state, &guided, &submission, accepting);
            let rejecting = Refusals { verdict: Some(RefusalVerdict::Reject), ..asking };
            let (_, rejected) = with_refusals(&workflow, &state, &guided, &submission, rejecting);
            match (&plain, &asked) {
                (Decision::Blocked { gaps, .. }, Decision::Blocked { gaps: now, .. }) => {
                    prop_assert_eq!(&now[..gaps.len()], &gaps[..]);
                    let more: Vec<_> = now[gaps.len()..].iter().map(|gap| gap.reason).collect();
                    let question = Reason::UserOnlyDependency(UserOnlyDependency::Approval);
                    let expected = (in_a_row + 1 >= ask_after).then_some(question);
                    prop_assert_eq!(more, Vec::from_iter(expected));
                }
                (Decision::Advanced { .. }, asked) => prop_assert_eq!(asked, &plain),
                _ => prop_assert!(false, "refusals let nothing pass"),
            }
            let is_rejected = matches!(rejected, Decision::Blocked { .. });
            prop_assert!(is_rejected, "a rejected step is not left");
            // An accepted output passes exactly as in a run that never stops.
            let (passed, never_asked) =
                with_refusals(&workflow, &state, &never, &submission, asking);
            prop_assert_eq!(&never_asked, &passed);
            prop_assert_eq!(&accepted, &passed);
            let Decision::Advanced { next, .. } = passed else {
                panic!("it never stops");
            };
            state = next;
        }
    }
}

/// A report as an agent reads it.
fn shown(
    workflow: &CompiledWorkflow,
    state: &ExecutionState,
    submission: &Submission<'_>,
) -> String {
    let decision = decide(workflow, state, &facts(Autonomy::Guided), submission);
    let Decision::Blocked { report, .. } = decision.expect("a step is pending") else {
        panic!("nothing is wrong");
    };
    let shown = |blocker: &Blocker| {
        let pointer = serde_json::to_string(&blocker.pointer).expect("it is JSON");
        let fix = blocker.suggested_fix.as_ref().expect("every finding has a fix");
        format!("{} {pointer}\n{}\n→ {fix}", blocker.code, blocker.message)
    };
    report.blockers().iter().map(shown).collect::<Vec<_>>().join("\n\n")
}

fn first(steps: &[Value], notes: Option<&str>, artifacts: &[Value]) -> String {
    let workflow = workflow(steps);
    shown(&workflow, &start(&workflow).next, &Submission { notes, artifacts })
}

fn with(mut step: Value, field: &str, value: Value) -> Value {
    step[field] = value;
    step
}

fn criteria() -> Value {
    json!({"and": [
        {"type": "regex", "pattern": "\\d+ files", "message": "Say how many files."},
        {"type": "contains", "value": "risk"},
        {"type": "length", "min": 100},
    ]})
}

#[test]
fn what_an_agent_reads_about_notes() {
    insta::assert_snapshot!("notes_missing", first(&[step("plan")], None, &[]));
    let plan = with(step("plan"), "validationCriteria", criteria());
    let missing = first(std::slice::from_ref(&plan), None, &[]);
    insta::assert_snapshot!("notes_missing_with_criteria", missing);
    insta::assert_snapshot!("criteria_not_met", first(&[plan], Some("I saw a risk."), &[]));
}

#[test]
fn what_an_agent_reads_about_contracts() {
    let contract = json!({"contractRef": "wr.contracts.review_verdict"});
    let steps = [with(step("review"), "outputContract", contract)];
    insta::assert_snapshot!("artifact_missing", first(&steps, Some("It is fine."), &[]));
    let wrong = [json!({"kind": "wr.review_verdict", "verdict": "fine", "mood": ["good"]})];
    insta::assert_snapshot!("artifact_invalid", first(&steps, None, &wrong));
    let steps = [looped("rounds", 1, &[decision("decide")])];
    let other = [json!({"kind": "wr.verdict"}), json!("stop")];
    insta::assert_snapshot!("decision_missing", first(&steps, None, &other));
    let elsewhere = [control("other", "stop")];
    insta::assert_snapshot!("decision_about_another_loop", first(&steps, None, &elsewhere));
    let again = [control("rounds", "continue")];
    insta::assert_snapshot!("decision_beyond_the_limit", first(&steps, None, &again));
}

#[test]
fn what_an_agent_reads_about_capabilities() {
    let mut source = source(&[step("one")]);
    source["capabilities"] = json!({"web_browsing": "required"});
    let workflow = compile_value(&source).unwrap();
    let probe = start(&workflow).next;
    let failed = [json!({
        "kind": "wr.capability_observation",
        "capability": "web_browsing",
        "result": "failure",
        "failureCode": "tool_missing",
    })];
    let submission = Submission { notes: None, artifacts: &failed };
    insta::assert_snapshot!("capability_unavailable", shown(&workflow, &probe, &submission));
    let never_stop = facts(Autonomy::FullAutoNeverStop);
    let passed = decide(&workflow, &probe, &never_stop, &Submission::default()).unwrap();
    let Decision::Advanced { next, .. } = passed else {
        panic!("it never stops");
    };
    let submission = Submission { notes: Some("Done."), artifacts: &[] };
    insta::assert_snapshot!("capability_unknown", shown(&workflow, &next, &submission));
}
