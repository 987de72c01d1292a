//! The dialect is told from the shape of a file.

use piton_workflow::source::{Dialect, ProblemCode};
use serde_json::{Value, json};

use super::samples::{compiled, everything, file, step};
use crate::source::{compile_value, rich};

// shows in part: D34 (the dialect is told from the shape and recorded)
#[test]
fn a_file_without_marks_is_strict_and_one_mark_is_enough_for_the_other() {
    let mut plain = json!({"id": "project.plain", "steps": [step("one")]});
    assert_eq!(compiled(&plain).dialect, Dialect::Strict);
    plain["version"] = json!("1.0.0");
    plain["name"] = json!("Plain");
    plain["description"] = json!("Plain.");
    assert_eq!(compiled(&plain).dialect, Dialect::Classic);
    assert_eq!(compiled(&rich()).dialect, Dialect::Strict);
}

// shows in part: D34 (a file that mixes the two dialects does not compile)
#[test]
fn a_strict_file_with_anything_of_the_classic_dialect_is_refused_with_both_marks() {
    let marks = [
        ("/about", "about"),
        ("/assessments", "assessments"),
        ("/clarificationPrompts", "clarificationPrompts"),
        ("/examples", "examples"),
        ("/extensionPoints", "extensionPoints"),
        ("/metaGuidance", "metaGuidance"),
        ("/metricsProfile", "metricsProfile"),
        ("/modelTier", "modelTier"),
        ("/preconditions", "preconditions"),
        ("/references", "references"),
        ("/validatedAgainstSpecVersion", "validatedAgainstSpecVersion"),
        ("/version", "version"),
        ("/steps/0/askForFiles", "askForFiles"),
        ("/steps/0/assessmentConsequences", "assessmentConsequences"),
        ("/steps/0/assessmentRefs", "assessmentRefs"),
        ("/steps/0/audit", "audit"),
        ("/steps/0/functionCalls", "functionCalls"),
        ("/steps/0/guidance", "guidance"),
        ("/steps/0/hasValidation", "hasValidation"),
        ("/steps/1/loop", "loop"),
        ("/steps/0/modelTier", "modelTier"),
        ("/steps/0/parallelDelegations", "parallelDelegations"),
        ("/steps/0/promptFragments", "promptFragments"),
        ("/steps/1/body/0/runCondition", "runCondition"),
        ("/steps/0/synthesis", "synthesis"),
        ("/steps/0/templateCall", "templateCall"),
        ("/steps/0/verification", "verification"),
    ];
    for (path, name) in marks {
        let mut source = rich();
        let (parent, field) = path.rsplit_once('/').unwrap();
        source.pointer_mut(parent).unwrap()[field] = json!({});
        let problems = compile_value(&source).unwrap_err();
        assert_eq!(problems.len(), 1, "{path}: {problems:#?}");
        assert_eq!(problems[0].code, ProblemCode::MixedDialects);
        assert_eq!(problems[0].path.as_str(), "/agentRole");
        let expected = format!(
            "the file mixes two dialects: `agentRole` belongs to the strict one, `{name}` at `{path}` to the classic one"
        );
        assert_eq!(problems[0].reason, expected);
    }
}

#[test]
fn a_classic_file_with_anything_of_the_strict_dialect_is_refused() {
    let check = |path: &str, value: Value| {
        let mut source = everything();
        let (parent, field) = path.rsplit_once('/').unwrap();
        source.pointer_mut(parent).unwrap()[field] = value;
        let problems = compile_value(&source).unwrap_err();
        let found: Vec<_> =
            problems.iter().map(|problem| (problem.code, problem.path.as_str())).collect();
        assert_eq!(found, [(ProblemCode::MixedDialects, path)], "{problems:#?}");
    };
    check("/agentRole", json!("You."));
    check("/capabilities", json!({}));
    check("/conditions", json!([]));
    check("/steps/0/args", json!({}));
    check("/steps/0/needsUser", json!({}));
    check("/steps/0/type", json!("step"));
    check("/steps/0/type", json!("template_call"));
    check("/steps/0/templateId", json!("wr.templates.orientation"));
    check("/steps/2/loopId", json!("rounds"));
    check("/steps/2/while", json!({}));
    check("/steps/2/body/0/while", json!({}));
}

#[test]
fn a_step_of_a_type_tells_the_dialect_too() {
    let parallel = json!({"id": "helpers", "type": "parallel", "title": "Ask"});
    let problems = compile_value(&json!({"id": "a.b", "steps": [parallel]})).unwrap_err();
    assert!(problems.iter().any(|problem| problem.reason.contains("`version`")), "{problems:#?}");
    assert_eq!(compiled(&file(&json!([step("one")]))).dialect, Dialect::Classic);
}
