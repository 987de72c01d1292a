//! What becomes of the fields of a file.

use piton_workflow::compile::{
    CompiledStep, ModelTier, PreferenceWarning, ProvenanceSource, WarningCode,
};
use piton_workflow::source::IdStatus;
use piton_workflow::{Autonomy, RiskPolicy};
use serde_json::{Value, json};

use super::samples::{PLAIN, compiled, everything, file, looped, step};
use crate::source::compile_value;

#[track_caller]
fn hash_changes(change: impl FnOnce(&mut Value), expected: bool) {
    let mut source = everything();
    change(&mut source);
    let same = compiled(&source).workflow_hash() == compiled(&everything()).workflow_hash();
    assert_eq!(!same, expected, "{source:#}");
}

#[test]
fn what_people_read_is_kept() {
    let workflow = compiled(&everything());
    assert_eq!(workflow.name.as_deref(), Some("Everything"));
    assert_eq!(workflow.description.as_deref(), Some("Uses every field of the dialect once."));
    assert_eq!(workflow.metadata.version.as_deref(), Some("1.2.0"));
    assert_eq!(workflow.metadata.model_tier, Some(ModelTier::Mid));
    assert_eq!(workflow.metadata.examples.len(), 1);
    assert!(workflow.metadata.about.is_some());
    let tier = |id: &str| workflow.step(&id.parse().unwrap()).unwrap().model_tier;
    assert_eq!(tier("plan"), Some(ModelTier::Heavy));
    assert_eq!(tier("helpers"), Some(ModelTier::Lightweight));
    assert_eq!(tier("look"), None);
}

#[test]
fn steps_that_follow_from_others_join_their_ids_and_share_their_condition() {
    let mut one = step("one");
    one["runCondition"] = json!({"var": "x"});
    one["verification"] = json!({});
    one["audit"] = json!({});
    let workflow = compiled(&file(&json!([one])));
    let steps: Vec<_> = workflow
        .steps
        .iter()
        .map(|step| {
            let origin = step.provenance.origin_id.as_deref();
            (step.step_id.as_str(), step.needs_notes(), step.run_condition.is_some(), origin)
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("one", true, true, None),
            ("one--verification", false, true, Some("one")),
            ("one--audit", false, true, Some("one")),
        ]
    );
    let all: Vec<_> =
        compiled(&everything()).steps.iter().map(|step| step.step_id.to_string()).collect();
    assert_eq!(
        all,
        [
            "plan",
            "plan--verification",
            "plan--audit",
            "shape",
            "look",
            "decide",
            "helpers",
            "helpers--synthesis"
        ]
    );
}

#[test]
fn fields_that_mean_nothing_are_named_in_warnings() {
    let workflow = compiled(&everything());
    let subjects: Vec<_> = workflow
        .compiled_warnings
        .iter()
        .filter(|warning| warning.code == WarningCode::NoEffect)
        .map(|warning| warning.subject.as_str())
        .collect();
    assert_eq!(subjects, ["metricsProfile", "plan.hasValidation", "validatedAgainstSpecVersion"]);
}

// shows: WR-316
#[test]
fn contracts_and_criteria_both_compile_and_the_contract_is_preferred() {
    let workflow = compiled(&everything());
    let codes: Vec<_> = workflow
        .compiled_warnings
        .iter()
        .filter(|warning| warning.subject == "plan")
        .map(|warning| warning.code)
        .collect();
    assert_eq!(codes, [WarningCode::ContractPreferred]);
    let mut source = everything();
    source["steps"][1]["validationCriteria"] = source["steps"][0]["validationCriteria"].clone();
    let workflow = compiled(&source);
    assert!(workflow.steps[3].validation_criteria.is_empty());
    let ignored = |code| code == WarningCode::CriteriaIgnored;
    assert!(workflow.compiled_warnings.iter().any(|warning| ignored(warning.code)));
}

// shows in part: WR-328..330 (in the classic dialect)
#[test]
fn weak_criteria_are_told() {
    let lint = |rules: Value| {
        let mut one = step("one");
        one["validationCriteria"] = rules;
        let workflow = compiled(&file(&json!([one])));
        workflow.compiled_warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    let contains = |value: &str| json!({"type": "contains", "value": value, "message": "Say it."});
    let weak =
        [WarningCode::ContractPreferred, WarningCode::CompletionFlag, WarningCode::TriviallyMet];
    assert_eq!(lint(json!([contains("planComplete = true")])), weak);
    let long = json!({"type": "length", "min": 200, "message": "Write more."});
    assert_eq!(
        lint(json!({"or": [contains("done"), contains("ready")]})),
        [WarningCode::ContractPreferred, WarningCode::TriviallyMet]
    );
    assert_eq!(lint(json!({"or": [long, long]})), [WarningCode::ContractPreferred]);
}

#[test]
fn a_contract_that_is_not_required_may_be_left_out_and_must_be_kept_if_it_is_not() {
    use piton_workflow::engine::{KnownCapabilities, Submission, next_step, validate};
    let mut one = step("one");
    one["outputContract"] = json!({"contractRef": "wr.contracts.gate_verdict", "required": false});
    let workflow = compiled(&file(&json!([one])));
    assert!(workflow.steps[0].prompt.ends_with("- The artifact may be left out."));
    let state = next_step::begin(&workflow, &serde_json::Map::new()).unwrap().next;
    let judged = |artifacts: &[Value]| {
        let submission = Submission { notes: None, artifacts };
        validate(&workflow, &state, &submission, &KnownCapabilities::new(), &serde_json::Map::new())
            .unwrap()
            .len()
    };
    assert_eq!(judged(&[]), 0);
    assert_eq!(judged(&[json!({"kind": "wr.gate_verdict"})]), 1);
}

// shows: WR-389, WR-394
// shows in part: WR-391 (the functions of step, loop and workflow)
#[test]
fn functions_are_known_by_their_place_and_shown_where_they_are_referred_to_called_or_mentioned() {
    let function = |name: &str, text: &str| json!({"name": name, "definition": text});
    let mut one = step("one");
    one["prompt"] = json!("Use zeta() and alpha(\"x\"), not alphabet.");
    one["functionReferences"] = json!(["beta()", "gamma"]);
    one["functionCalls"] = json!([{"name": "delta", "args": {"n": 1}}]);
    one["functionDefinitions"] = json!([function("zeta", "Own.")]);
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let mut of = looped("l", &turning, &json!([one]));
    of["functionDefinitions"] =
        json!([function("beta", "Of the loop."), function("alpha", "Of the loop.")]);
    let mut source = file(&json!([of]));
    let all = ["alpha", "beta", "gamma", "delta", "alphabet"];
    source["functionDefinitions"] = json!(all.map(|name| function(name, "Of the workflow.")));
    let workflow = compiled(&source);
    let shown: Vec<_> = workflow
        .functions_of(&workflow.steps[0])
        .iter()
        .map(|function| format!("{}: {}", function.key.name, function.definition))
        .collect();
    assert_eq!(
        shown,
        [
            "zeta: Own.",
            "alpha: Of the loop.",
            "beta: Of the loop.",
            "delta: Of the workflow.",
            "gamma: Of the workflow."
        ]
    );
    let unused: Vec<_> = workflow
        .compiled_warnings
        .iter()
        .filter(|warning| warning.code == WarningCode::UnusedFunction)
        .map(|warning| warning.subject.as_str())
        .collect();
    assert_eq!(unused, ["alpha", "alphabet", "beta"]);
    source["functionDefinitions"][2]["definition"] = json!("Another.");
    assert_ne!(compiled(&source).workflow_hash(), workflow.workflow_hash());
}

// shows in part: WR-399, WR-401 (in the classic dialect)
#[test]
fn an_id_without_a_namespace_is_loaded_with_a_warning() {
    let workflow = compiled(&serde_json::from_str(PLAIN).unwrap());
    assert_eq!(workflow.workflow_id.as_str(), "project.old_review");
    let warning = &workflow.compiled_warnings[0];
    assert_eq!(
        (warning.code, warning.subject.as_str()),
        (WarningCode::LegacyWorkflowId, "Old-Review")
    );
    assert_eq!(IdStatus::Legacy.as_str(), "legacy");
    assert!(!workflow.steps[1].needs_notes());
}

// shows in part: WR-408, WR-409 (in the classic dialect)
#[test]
fn recommendations_count_and_are_compared() {
    hash_changes(
        |source| {
            source["recommendedPreferences"]["recommendedAutonomy"] = json!("full_auto_never_stop");
        },
        true,
    );
    let workflow = compiled(&everything());
    let warnings: Vec<PreferenceWarning> =
        workflow.preference_warnings(Autonomy::FullAutoNeverStop, RiskPolicy::Balanced);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn what_an_agent_reads_or_is_checked_against_counts_and_what_does_not_matter_does_not() {
    hash_changes(|source| source["metaGuidance"] = json!(["Another."]), true);
    hash_changes(|source| source["steps"][1]["runCondition"] = json!({"var": "other"}), true);
    hash_changes(
        |source| source["steps"][0]["promptFragments"][1]["text"] = json!("Another."),
        true,
    );
    hash_changes(|source| source["extensionPoints"][0]["default"] = json!("another"), true);
    hash_changes(|source| source["references"][0]["source"] = json!("other.md"), true);
    hash_changes(
        |source| {
            source["assessments"][0]["dimensions"][0]["levels"] = json!(["Clear", "Vague", "Dark"]);
        },
        true,
    );
    hash_changes(|source| source["metricsProfile"] = json!("coding"), false);
    hash_changes(|source| source["functionDefinitions"][1]["scope"] = json!("step"), false);
    hash_changes(|source| source["steps"][1]["runCondition"]["or"][0]["gte"] = json!(3.0), false);
}

#[test]
fn loops_may_waive_the_notes_of_their_steps() {
    let turning = json!({"type": "for", "count": 1, "maxIterations": 1});
    let mut of = looped("l", &turning, &json!([step("work")]));
    of["notesOptional"] = json!(true);
    let workflow = compiled(&file(&json!([of, step("end")])));
    let needs: Vec<_> = workflow.steps.iter().map(CompiledStep::needs_notes).collect();
    assert_eq!(needs, [false, true]);
}

#[test]
fn every_ref_of_existing_files_is_there_and_features_reach_every_prompt() {
    for name in [
        "memory_usage",
        "memory_store",
        "memory_query",
        "notes_first_durability",
        "synthesis_under_disagreement",
        "parallelize_cognition_serialize_synthesis",
        "adversarial_challenge_rules",
    ] {
        let mut source = everything();
        source["steps"][1]["promptBlocks"]["constraints"][0][1]["refId"] =
            json!(format!("wr.refs.{name}"));
        assert!(compile_value(&source).is_ok(), "{name}");
    }
    let mut source = everything();
    source["features"] = json!([
        "wr.features.subagent_guidance",
        "wr.features.capabilities",
        "wr.features.capabilities"
    ]);
    let workflow = compiled(&source);
    let features: Vec<_> =
        workflow.features.iter().map(|feature| feature.feature_id.as_str()).collect();
    assert_eq!(features, ["wr.features.capabilities", "wr.features.subagent_guidance"]);
    for step in &workflow.steps {
        assert!(
            step.prompt.contains("\n\n## Tools\n") && step.prompt.contains("\n\n## Other agents\n")
        );
        assert_eq!(step.additions.len(), 2);
    }
    assert_eq!(workflow.steps[0].provenance.source, ProvenanceSource::Authored);
}
