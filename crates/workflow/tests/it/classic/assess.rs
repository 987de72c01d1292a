//! Assessments that steps ask for, and what follows from them.

use piton_workflow::engine::{
    Finding, KnownCapabilities, Submission, next_step, ratings, validate,
};
use serde_json::{Map, Value, json};

use super::samples::{compiled, file, step};

fn workflow() -> Value {
    let mut rate = step("rate");
    rate["assessmentRefs"] = json!(["readiness"]);
    rate["assessmentConsequences"] = json!([
        {"when": {"anyEqualsLevel": "Vague"}, "effect": {"kind": "require_followup", "guidance": "Ask what is meant."}},
        {
            "when": {"anyEqualsLevel": "high", "forAssessment": "readiness"},
            "effect": {"kind": "require_followup", "guidance": "Split the work."},
        },
    ]);
    let mut file = file(&json!([rate]));
    file["assessments"] = json!([{
        "id": "readiness",
        "purpose": "Whether the work can begin.",
        "dimensions": [
            {"id": "scope", "purpose": "How clear it is.", "levels": ["Clear", "Vague"]},
            {"id": "risk", "purpose": "What can go wrong.", "levels": ["low", "high"], "required": false},
        ],
    }]);
    file
}

fn found(file: &Value, artifacts: &[Value]) -> Vec<Finding> {
    let workflow = compiled(file);
    let state = next_step::begin(&workflow, &Map::new()).expect("it begins").next;
    let submission = Submission { notes: Some("Rated."), artifacts };
    validate(&workflow, &state, &submission, &KnownCapabilities::new(), &Map::new())
        .expect("it is judged")
}

#[track_caller]
fn check(artifacts: &[Value], expected: Option<(&str, &str)>) {
    let findings = found(&workflow(), artifacts);
    let told: Vec<_> = findings
        .iter()
        .map(|finding| (finding.reason.detail(), finding.message.as_str()))
        .collect();
    assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "{artifacts:?}");
}

fn rating(dimensions: &Value) -> Value {
    json!({"kind": "wr.assessment", "assessmentId": "readiness", "dimensions": dimensions})
}

#[test]
fn an_assessment_is_accepted_in_every_form_that_the_contract_allows() {
    check(&[rating(&json!({"scope": "Clear"}))], None);
    check(&[rating(&json!({"scope": "clear", "risk": "LOW"}))], None);
    check(&[rating(&json!({"scope": {"level": "Clear", "rationale": "One page."}}))], None);
    check(&[json!({"kind": "wr.assessment", "dimensions": {"scope": "Clear"}})], None);
    check(&[json!({"kind": "other"}), rating(&json!({"scope": "Clear"}))], None);
}

#[test]
fn an_assessment_that_is_missing_or_wrong_blocks_and_says_what_is_required() {
    let head = "The assessments of the step `rate` are not complete:";
    for (artifacts, detail, told) in [
        (vec![], "missing_required_output", "the assessment `readiness` is not there"),
        (
            vec![json!({"kind": "wr.assessment", "assessmentId": "other", "dimensions": {}})],
            "missing_required_output",
            "the assessment `readiness` is not there",
        ),
        (
            vec![rating(&json!({"risk": "low"}))],
            "invalid_required_output",
            "`readiness`: `scope` is not rated, and must be Clear | Vague",
        ),
        (
            vec![rating(&json!({"scope": "muddy"}))],
            "invalid_required_output",
            "`readiness`: `scope` is \"muddy\", and must be Clear | Vague",
        ),
        (
            vec![rating(&json!({"scope": "Clear", "taste": "good"}))],
            "invalid_required_output",
            "`readiness`: there is no dimension `taste`",
        ),
    ] {
        check(&artifacts, Some((detail, format!("{head}\n- {told}").as_str())));
    }
    let findings = found(&workflow(), &[rating(&json!({"scope": 7}))]);
    assert!(findings[0].message.as_str().contains("`/dimensions/scope` is 7"), "{findings:?}");
    insta::assert_snapshot!(found(&workflow(), &[])[0].suggested_fix.as_str());
}

#[test]
fn a_level_from_which_something_follows_blocks_with_the_guidance_of_the_author() {
    let findings = found(&workflow(), &[rating(&json!({"scope": "vague", "risk": "High"}))]);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.reason.to_string(), "contract_violation:invalid_required_output");
    assert_eq!(
        finding.message.as_str(),
        "The step `rate` is not left at these levels:\n- `scope` of `readiness` is `Vague`\n- `risk` of `readiness` is `high`"
    );
    assert_eq!(
        finding.suggested_fix.as_str(),
        "Do this, assess again, and submit the whole output again:\n- Ask what is meant.\n- Split the work."
    );
    assert_eq!(
        serde_json::to_value(&finding.pointer).unwrap(),
        json!({"kind": "workflow_step", "stepId": "rate"})
    );
}

#[test]
fn levels_are_told_as_their_author_writes_them_with_what_was_given() {
    let workflow = compiled(&workflow());
    let state = next_step::begin(&workflow, &Map::new()).expect("it begins").next;
    let artifact =
        rating(&json!({"scope": {"level": " clear ", "rationale": "Short."}, "risk": "low"}));
    let ratings = ratings(&workflow, &state, &[artifact]).unwrap();
    let dimensions: Vec<_> = ratings[0]
        .dimensions
        .iter()
        .map(|rated| {
            (
                rated.dimension_id.as_str(),
                rated.level.as_str(),
                rated.given.as_deref(),
                rated.rationale.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        dimensions,
        [("scope", "Clear", Some(" clear "), Some("Short.")), ("risk", "low", None, None)]
    );
}

#[test]
fn of_two_assessments_each_is_known_by_its_id() {
    let mut file = workflow();
    let mut second = file["assessments"][0].clone();
    second["id"] = json!("taste");
    file["assessments"].as_array_mut().unwrap().push(second);
    file["steps"][0]["assessmentRefs"] = json!(["readiness", "taste"]);
    let unnamed = json!({"kind": "wr.assessment", "dimensions": {"scope": "Clear"}});
    let findings = found(&file, &[unnamed, rating(&json!({"scope": "Clear"}))]);
    assert_eq!(
        findings[0].message.as_str(),
        "The assessments of the step `rate` are not complete:\n- the assessment `taste` is not there"
    );
}
