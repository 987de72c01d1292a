//! Steps that call a routine.

use piton_workflow::compile::{
    CompiledWorkflow, Definitions, ProvenanceSource, SequenceEntry, WarningCode, compile,
};
use piton_workflow::source::SourceProblem;
use serde_json::{Value, json};

use super::samples::{file, step};
use crate::source::origin;

const NAME: &str = "wr.templates.routine.second-look";

fn routine() -> Value {
    json!({
        "id": "wr.second_look",
        "name": "Second look",
        "description": "Looks a second time.",
        "version": "1.0.0",
        "metaGuidance": ["Doubt {nothing} here."],
        "functionDefinitions": [{"name": "doubt", "definition": "Argue against it."}],
        "steps": [
            {"id": "look", "title": "Look at {what}", "prompt": "Look at {what} {times} times and doubt() {{goal}}."},
            {"id": "tell", "title": "Tell", "prompt": "Tell. {not this} {\"json\": 1}", "runCondition": {"var": "b"}},
        ],
    })
}

fn compile_with(routine: &Value, caller: &Value) -> Result<CompiledWorkflow, Vec<SourceProblem>> {
    let mut catalog = Definitions::standard();
    catalog.routines.insert(NAME.parse().expect("it is an id"), routine.to_string());
    compile(&file(&json!([caller])).to_string(), &origin(), &catalog)
}

fn caller() -> Value {
    json!({
        "id": "again",
        "title": "Again",
        "templateCall": {"templateId": NAME, "args": {"what": "the plan", "times": 2}},
        "runCondition": {"var": "a"},
        "guidance": ["Be short."],
        "requireConfirmation": true,
    })
}

#[track_caller]
fn check(routine: &Value, caller: &Value, expected: &[&str]) -> Vec<SourceProblem> {
    let problems = compile_with(routine, caller).map(|_| ()).err().unwrap_or_default();
    let found: Vec<_> =
        problems.iter().map(|problem| format!("{} {}", problem.code, problem.path)).collect();
    assert_eq!(found, expected, "{problems:#?}");
    problems
}

// shows in part: D34 (expanded step ids join with `--`)
#[test]
fn the_steps_of_a_routine_take_the_place_of_its_call() {
    let workflow = compile_with(&routine(), &caller()).unwrap();
    let [look, tell] = workflow.steps.as_slice() else { panic!("{:?}", workflow.steps) };
    assert_eq!((look.step_id.as_str(), tell.step_id.as_str()), ("again--look", "again--tell"));
    assert_eq!(look.title, "Look at the plan");
    assert_eq!(
        look.prompt,
        "Look at the plan 2 times and doubt() {{goal}}.\n\n## Guidance\n- Doubt {nothing} here.\n- Be short."
    );
    assert!(tell.prompt.starts_with("Tell. {not this} {\"json\": 1}"));
    assert_eq!(look.provenance.source, ProvenanceSource::TemplateInjected);
    assert_eq!(look.provenance.origin_id.as_deref(), Some(NAME));
    assert!(look.require_confirmation && !tell.require_confirmation);
    assert_eq!(look.run_condition.as_ref().unwrap().to_string(), "`a` is set");
    assert_eq!(tell.run_condition.as_ref().unwrap().to_string(), "`a` is set and `b` is set");
    assert_eq!(workflow.functions_of(look)[0].definition, "Argue against it.");
}

// shows in part: WR-373 (a template of several steps)
#[test]
fn the_steps_of_a_routine_stand_in_its_order_between_those_of_its_caller() {
    let mut routine = routine();
    routine["steps"] = json!([step("z"), step("m"), step("a")]);
    let mut catalog = Definitions::standard();
    catalog.routines.insert(NAME.parse().unwrap(), routine.to_string());
    let call = |id: &str| {
        let arguments = json!({"templateId": NAME, "args": {}});
        json!({"id": id, "title": "Again", "templateCall": arguments})
    };
    let source = file(&json!([step("y"), call("q"), step("b"), call("c"), step("a")]));
    let workflow = compile(&source.to_string(), &origin(), &catalog).unwrap();
    let steps: Vec<_> = workflow.steps.iter().map(|step| step.step_id.as_str()).collect();
    let expected = ["y", "q--z", "q--m", "q--a", "b", "c--z", "c--m", "c--a", "a"];
    assert_eq!(steps, expected);
    let sequence = workflow.sequence.iter().map(|entry| match entry {
        SequenceEntry::Step { step_id } => step_id.as_str(),
        SequenceEntry::Loop { loop_id } => loop_id.as_str(),
    });
    assert_eq!(sequence.collect::<Vec<_>>(), expected);
}

#[test]
fn an_argument_that_is_missing_is_a_problem_and_one_too_many_is_told() {
    let mut one = caller();
    one["templateCall"]["args"] = json!({"what": ["no", "text"]});
    let problems = check(
        &routine(),
        &one,
        &["missing_field /steps/0/templateCall/args", "wrong_type /steps/0/templateCall/args/what"],
    );
    assert!(
        problems[0].reason.contains("`times`") && problems[1].reason.contains("`what`"),
        "{problems:?}"
    );
    one["templateCall"]["args"] = json!({"what": "x", "times": 1, "colour": "blue"});
    let workflow = compile_with(&routine(), &one).unwrap();
    let told =
        workflow.compiled_warnings.iter().find(|warning| warning.code == WarningCode::NoEffect);
    assert_eq!(told.unwrap().subject, "again.templateCall.args.colour");
}

#[test]
fn a_routine_that_is_not_there_or_cannot_be_used_is_a_problem_of_the_call() {
    let at = "unresolved_reference /steps/0/templateCall/templateId";
    let mut one = caller();
    one["templateCall"]["templateId"] = json!("wr.templates.routine.other");
    assert!(check(&routine(), &one, &[at])[0].fix.ends_with(NAME));
    let mut nested = routine();
    nested["steps"][1] = caller();
    assert!(check(&nested, &caller(), &[at])[0].reason.contains("it calls itself"));
    nested["steps"][1]["templateCall"]["templateId"] = json!("wr.templates.routine.third");
    assert!(check(&nested, &caller(), &[at])[0].reason.contains("a call of a routine itself"));
    let mut long = caller();
    long["templateCall"]["args"]["what"] = json!("x".repeat(200_000));
    let mut often = routine();
    often["steps"][0]["prompt"] = json!("{what} {what} {what} {what} {what} {what} {times}");
    assert!(check(&often, &long, &[at])[0].reason.contains("arguments filled in"));
    let mut other = caller();
    other["templateCall"]["templateId"] = json!("wr.templates.routine.second_look");
    check(&routine(), &other, &[]);
    let mut broken = routine();
    broken["steps"][0]["colour"] = json!("blue");
    assert!(check(&broken, &caller(), &[at])[0].reason.contains("`/steps/0/colour`"));
    let bare = compile(&file(&json!([caller()])).to_string(), &origin(), &Definitions::standard());
    assert!(bare.unwrap_err()[0].fix.contains("`user.routine-second-look`"));
    one["templateCall"]["templateId"] = json!("wr.templates.orientation");
    check(&routine(), &one, &["invalid_id /steps/0/templateCall/templateId"]);
}

#[test]
fn a_call_says_nothing_of_its_own_about_what_the_routine_says() {
    let fields = json!({
        "validationCriteria": [{"type": "contains", "value": "x", "message": "y"}],
        "outputContract": {"contractRef": "wr.contracts.gate_verdict"},
        "promptFragments": [{"id": "a", "text": "b"}],
        "askForFiles": true,
        "audit": {},
        "verification": {},
    });
    for (field, value) in fields.as_object().unwrap() {
        let mut one = caller();
        one[field] = value.clone();
        check(&routine(), &one, &[format!("conflicting_fields /steps/0/{field}").as_str()]);
    }
    let mut one = caller();
    one["prompt"] = json!("x");
    check(&routine(), &one, &["conflicting_fields /steps/0/prompt"]);
}

#[test]
fn ids_that_do_not_fit_together_are_a_problem_of_the_call() {
    let mut one = caller();
    one["id"] = json!("a".repeat(126));
    check(&routine(), &one, &["invalid_id /steps/0/id"]);
    let mut catalog = Definitions::standard();
    catalog.routines.insert(NAME.parse().expect("it is an id"), routine().to_string());
    let twice = file(&json!([caller(), step("again--look")]));
    let problems = compile(&twice.to_string(), &origin(), &catalog).unwrap_err();
    assert_eq!(problems[0].path.as_str(), "/steps/1/id");
}
