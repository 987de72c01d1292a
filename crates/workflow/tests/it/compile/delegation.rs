//! Prompts that have work done by subagents.

use piton_workflow::compile::{CompiledStep, WarningCode};
use piton_workflow::contract::criteria::failures;
use piton_workflow::source::ProblemCode;
use serde_json::{Value, json};

use crate::source::compile_value;

fn call(args: &Value) -> Value {
    json!({"id": "a.b", "steps": [
        {"type": "template_call", "id": "work", "templateId": "wr.templates.delegation", "args": args},
    ]})
}

fn task(name: &str) -> Value {
    json!({
        "name": name,
        "routine": format!("Read the {name}."),
        "params": "the range main..head",
        "description": format!("Reads {name}"),
    })
}

fn delegated() -> CompiledStep {
    let source = call(&json!({"tasks": [task("code"), task("tests")]}));
    let workflow = compile_value(&source).expect("it compiles");
    let [step] = workflow.steps.as_slice() else {
        panic!("the template gives one step");
    };
    step.clone()
}

/// A step with `prompt`, and the codes of the warnings about it.
fn warnings(prompt: &str) -> Vec<WarningCode> {
    let source = json!({"id": "a.b", "steps": [{"id": "s", "title": "S", "prompt": prompt}]});
    let warnings = compile_value(&source).expect("a lint never refuses").compiled_warnings;
    assert!(warnings.iter().all(|warning| warning.subject == "s"));
    warnings.into_iter().map(|warning| warning.code).collect()
}

// shows: WR-556..560
#[test]
fn the_template_says_how_to_delegate() {
    let step = delegated();
    assert_eq!(step.step_id.as_str(), "work--delegate");
    insta::assert_snapshot!(step.prompt);
    assert_eq!(warnings(&step.prompt), []);
}

// shows: WR-556..560
#[test]
fn a_prompt_that_leaves_out_a_part_of_it_is_flagged_for_that_part() {
    let prompt = delegated().prompt;
    for (part, code) in [
        ("not by workflows", WarningCode::DelegationWithoutTasks),
        ("do the tasks yourself", WarningCode::DelegationWithoutTasks),
        ("in parallel", WarningCode::DelegationNotParallel),
        ("in one message", WarningCode::DelegationNotParallel),
        ("Do not delegate with `start_workflow`", WarningCode::DelegationByWorkflow),
        ("Do not start subagents sequentially", WarningCode::DelegationInSequence),
        ("Subagent 1", WarningCode::DelegationIncomplete),
        ("Prompt:", WarningCode::DelegationIncomplete),
        ("Description:", WarningCode::DelegationIncomplete),
    ] {
        assert!(prompt.contains(part), "{part}");
        assert_eq!(
            warnings(&prompt.replace(part, "").replace("did yourself", "")),
            [code],
            "without {part}"
        );
    }
    let all = [
        WarningCode::DelegationWithoutTasks,
        WarningCode::DelegationNotParallel,
        WarningCode::DelegationByWorkflow,
        WarningCode::DelegationInSequence,
        WarningCode::DelegationIncomplete,
    ];
    for vague in ["Delegate the reading.", "Use a sub-agent.", "Start subagents as you like."] {
        assert_eq!(warnings(vague), all, "{vague}");
    }
    let opposite = "Make another note: delegate with start_workflow, sequentially.";
    assert_eq!(warnings(opposite), all);
    for alone in ["Read the change yourself.", "Read it. Do not delegate, and use no subagents."] {
        assert_eq!(warnings(alone), [], "{alone}");
    }
}

#[test]
fn the_notes_have_a_heading_for_each_subagent() {
    let step = delegated();
    let failed = failures(&step.validation_criteria, "## code\nNothing. The tests are fine.");
    let expected = "Write a heading `## tests`, and under it what was found.";
    assert_eq!(failed.iter().map(|failure| &failure.message).collect::<Vec<_>>(), [expected]);
    let others = "## code-style\nNothing.\n## tests_added\nTwo.";
    assert_eq!(failures(&step.validation_criteria, others).len(), 2);
    let both = "# code\nNothing.\n\n### tests: one\nIt cannot fail.";
    assert_eq!(failures(&step.validation_criteria, both), []);
}

#[test]
fn an_author_may_choose_the_type_of_subagent() {
    assert!(!delegated().prompt.contains("Type:"));
    let source = call(&json!({"tasks": [task("code")], "executor": "reader"}));
    let prompt = compile_value(&source).unwrap().steps[0].prompt.clone();
    assert!(prompt.contains("- Type: `reader`, or a general one"));
}

#[test]
fn a_call_with_wrong_arguments_says_what_is_wrong() {
    #[track_caller]
    fn check(args: &Value, path: &str, code: ProblemCode) {
        let problems = compile_value(&call(args)).expect_err("it must be refused");
        let found: Vec<_> =
            problems.iter().map(|problem| (problem.path.as_str(), problem.code)).collect();
        assert_eq!(found, [(path, code)]);
    }
    let at = |place: &str| format!("/steps/0/args/{place}");
    check(&json!({}), "/steps/0/args", ProblemCode::MissingField);
    check(&json!({"tasks": []}), &at("tasks"), ProblemCode::Empty);
    let twice = json!({"tasks": [task("code"), task("code")]});
    check(&twice, &at("tasks/1/name"), ProblemCode::DuplicateId);
    let mut nameless = task("code");
    nameless.as_object_mut().unwrap().remove("name");
    check(&json!({"tasks": [nameless]}), &at("tasks/0"), ProblemCode::MissingField);
    let many: Vec<_> = (0..9).map(|number| task(&format!("t{number}"))).collect();
    check(&json!({"tasks": many}), &at("tasks"), ProblemCode::TooMany);
    let unknown = json!({"tasks": [task("code")], "model": "large"});
    check(&unknown, &at("model"), ProblemCode::UnknownField);
}
