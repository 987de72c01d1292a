//! Routines from files, and files that were written for another namespace.

use std::fs;

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

fn workflow(id: &str, steps: &Value) -> String {
    let file = json!({
        "id": id, "name": "Sample", "description": "A sample.", "version": "1.0.0", "steps": steps,
    });
    format!("{}\n", serde_json::to_string_pretty(&file).unwrap())
}

fn call(routine: &str, args: &Value) -> Value {
    let id = format!("wr.templates.routine.{routine}");
    json!([{ "id": "again", "title": "Again", "templateCall": { "templateId": id, "args": args } }])
}

fn routine(id: &str, word: &str) -> String {
    let prompt = format!("{word} at {{what}}, {{{{goal}}}}.");
    workflow(id, &json!([{ "id": "look", "title": "Look", "prompt": prompt }]))
}

fn compiled(rig: &Rig, id: &str) -> Value {
    rig.tells(&["workflow", "compile", id])
}

const USER: &str = "../.config/piton/workflows";
const PROJECT: &str = ".piton/workflows";

#[test]
fn a_routine_is_taken_in_from_a_file_beside_its_caller_and_pinned() {
    let rig = Rig::new();
    let caller = workflow("project.caller", &call("second-look", &json!({ "what": "it" })));
    rig.write(&format!("{PROJECT}/caller.json"), &caller);
    rig.write(&format!("{PROJECT}/look.json"), &routine("project.routine-second-look", "Look"));
    let first = compiled(&rig, "project.caller");
    let step = &first["workflow"]["steps"][0];
    assert_eq!(step["stepId"], "again--look");
    assert!(step["prompt"].as_str().unwrap().starts_with("Look at it, {{goal}}."), "{step}");
    // A routine that changed is another workflow.
    rig.write(&format!("{PROJECT}/look.json"), &routine("project.routine-second-look", "Stare"));
    let second = compiled(&rig, "project.caller");
    assert!(second["workflow"]["steps"][0]["prompt"].as_str().unwrap().starts_with("Stare"));
    assert_ne!(first["workflowHash"], second["workflowHash"]);
    rig.says(&["workflow", "validate", &format!("{PROJECT}/caller.json")]);
}

#[test]
fn a_routine_is_a_part_of_workflows_and_is_neither_listed_nor_started() {
    let rig = Rig::new();
    let caller = workflow("project.caller", &call("second_look", &json!({ "what": "it" })));
    rig.write(&format!("{PROJECT}/caller.json"), &caller);
    rig.write(&format!("{PROJECT}/look.json"), &routine("project.routine-second-look", "Look"));
    rig.write(&format!("{PROJECT}/routines/spare.json"), &routine("old-spare", "Spare"));
    let mut agent = Agent::start(&rig);
    let listed = agent.call("list_workflows", &json!({}));
    let listed: Vec<&str> = listed["workflows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["workflowId"].as_str().unwrap())
        .filter(|id| !id.starts_with("wr."))
        .collect();
    assert_eq!(listed, ["project.caller"]);
    let said = rig.says(&["workflow", "list"]);
    assert!(said.contains("project.caller") && !said.contains("second-look"), "{said}");
    // Whoever asks for it reads what uses it.
    let start = |agent: &mut Agent, id: &str| {
        agent.call("start_workflow", &json!({ "workflowId": id, "goal": "x" }))
    };
    let refused = start(&mut agent, "project.routine-second-look");
    assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
    let (message, advice) =
        (refused["message"].as_str().unwrap(), refused["suggestion"].as_str().unwrap());
    assert!(
        message.contains("is a routine") && message.contains("Used by: project.caller."),
        "{message}"
    );
    assert!(advice.starts_with("Start a workflow that uses it: project.caller."), "{advice}");
    let refused = start(&mut agent, "old-spare");
    assert!(refused["message"].as_str().unwrap().contains("No workflow uses it."), "{refused}");
    assert_eq!(start(&mut agent, "project.caller")["pending"]["stepId"], "again--look");
    let read =
        agent.call("inspect_workflow", &json!({ "workflowId": "project.routine-second-look" }));
    assert_eq!(read["stepTitles"], json!(["Look"]), "{read}");
    agent.leave();
    let (_, error) = rig.fails(&["workflow", "run", "project.routine-second-look"]);
    assert!(error["message"].as_str().unwrap().contains("is a routine"), "{error}");
    assert!(advice.contains("`piton workflow compile project.routine-second-look`"), "{advice}");
    let shown = rig.says(&["workflow", "show", "project.routine-second-look"]);
    assert!(shown.contains("Look") && !shown.contains("Walk it"), "{shown}");
    // It is checked like any other file, and what is wrong with it is listed.
    let said = rig.says(&["workflow", "validate"]);
    assert!(
        said.contains("look.json: in order") && said.contains("spare.json: in order"),
        "{said}"
    );
    rig.write(
        &format!("{PROJECT}/look.json"),
        &routine("project.routine-second-look", "Look").replace("\"title\"", "\"titel\""),
    );
    let output = rig.run(&["workflow", "validate"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("look.json"), "{}", text(&output.stdout));
    assert!(rig.says(&["workflow", "list"]).contains("look.json"));
}

#[test]
fn a_routine_is_found_in_other_directories_and_ones_own_comes_first() {
    let rig = Rig::new();
    rig.write("more/routines/other.json", &routine("team.other", "Other"));
    rig.write("../.config/piton/config.toml", "");
    rig.write("piton.toml", "[workflows]\ndirs = [\"more\"]\n");
    rig.write(&format!("{USER}/look.json"), &routine("routine-second-look", "Mine"));
    let mine = workflow("user.mine", &call("second_look", &json!({ "what": "it" })));
    rig.write(&format!("{USER}/mine.json"), &mine);
    rig.write(&format!("{PROJECT}/look.json"), &routine("wr.routine-second-look", "Theirs"));
    let theirs = workflow("project.theirs", &call("second-look", &json!({ "what": "it" })));
    rig.write(&format!("{PROJECT}/theirs.json"), &theirs);
    let far = workflow("project.far", &call("other", &json!({ "what": "it" })));
    rig.write(&format!("{PROJECT}/far.json"), &far);
    for (id, begins) in
        [("user.mine", "Mine"), ("project.theirs", "Theirs"), ("project.far", "Other")]
    {
        let compiled = compiled(&rig, id);
        let prompt = compiled["workflow"]["steps"][0]["prompt"].as_str().unwrap();
        assert!(prompt.starts_with(begins), "{id}: {prompt}");
    }
}

#[test]
fn a_call_that_cannot_be_expanded_says_what_is_wrong() {
    let rig = Rig::new();
    let file = format!("{PROJECT}/caller.json");
    let problem = |steps: &Value| {
        rig.write(&file, &workflow("project.caller", steps));
        let output = rig.run(&["--json", "workflow", "validate", &file]);
        let validated: Value = serde_json::from_slice(&output.stdout).unwrap();
        let problems = validated["files"][0]["problems"].as_array().unwrap().clone();
        assert_eq!(problems.len(), 1, "{validated}");
        format!("{} {} {}", problems[0]["path"], problems[0]["reason"], problems[0]["fix"])
    };
    let unknown = problem(&call("missing", &json!({})));
    assert!(unknown.contains("there is no routine `wr.templates.routine.missing`"), "{unknown}");
    assert!(unknown.contains("user.routine-missing"), "{unknown}");
    rig.write(&format!("{PROJECT}/look.json"), &routine("project.routine-look", "Look"));
    let unknown = problem(&call("missing", &json!({})));
    assert!(unknown.contains("use one of: wr.templates.routine.look"), "{unknown}");
    let missing = problem(&call("look", &json!({})));
    assert!(missing.contains("needs the argument `what`"), "{missing}");
    let wrong = problem(&call("look", &json!({ "what": ["a"] })));
    assert!(wrong.contains("/args/what") && wrong.contains("no text"), "{wrong}");
    let circle = workflow("project.routine-circle", &call("circle", &json!({})));
    rig.write(&format!("{PROJECT}/circle.json"), &circle);
    let circular = problem(&call("circle", &json!({})));
    assert!(circular.contains("it calls itself"), "{circular}");
}

/// A set as the earlier system ships it: reserved ids, routines, mentions.
fn set(rig: &Rig) {
    let main = json!([
        { "id": "plan", "title": "Plan", "prompt": "Run wr.review-deep next.\nNot wr.review-deeper. See `old-style-flow`." },
        { "id": "again", "title": "Again", "templateCall": {
            "templateId": "wr.templates.routine.second-look", "args": { "what": "the plan" } } },
    ]);
    rig.write("set/main.json", &workflow("wr.main", &main));
    let deep = json!([{ "id": "one", "title": "One", "prompt": "Go back to wr.main.",
        "runCondition": { "var": "next", "equals": "wr.main" } }]);
    rig.write("set/review-deep.json", &workflow("wr.review-deep", &deep));
    rig.write(
        "set/routines/look.json",
        &routine("wr.routine-second-look", "Look").replace("{what}", "{what} (wr.main)"),
    );
    rig.write(
        "set/old.json",
        &workflow("old-style-flow", &json!([{ "id": "a-step", "title": "A", "prompt": "Do." }])),
    );
    rig.write(
        "set/team.json",
        &workflow("team.own", &json!([{ "id": "a-step", "title": "A", "prompt": "Do." }])),
    );
    rig.write("set/package.json", "{\"name\":\"x\"}\n");
}

#[test]
fn a_set_for_another_namespace_is_adopted_once_and_for_all() {
    let rig = Rig::new();
    set(&rig);
    let target = rig.home().join(".config/piton/workflows");
    let dry = rig.says(&["workflow", "adopt", "set", "--dry-run"]);
    assert!(dry.contains("+ \"id\": \"user.main\""), "{dry}");
    assert!(dry.contains("- \"id\": \"wr.main\""), "{dry}");
    assert!(dry.contains("Would write 5 files"), "{dry}");
    assert!(dry.contains("package.json: skipped"), "{dry}");
    assert!(!target.exists());
    let adopted = rig.tells(&["workflow", "adopt", "set"]);
    assert_eq!(adopted["written"].as_array().unwrap().len(), 5);
    let main = fs::read_to_string(target.join("main.json")).unwrap();
    let main: Value = serde_json::from_str(&main).unwrap();
    assert_eq!(main["id"], "user.main");
    assert_eq!(
        main["steps"][0]["prompt"],
        "Run user.review-deep next.\nNot wr.review-deeper. See `user.old-style-flow`."
    );
    assert_eq!(main["steps"][1]["templateCall"]["templateId"], "wr.templates.routine.second-look");
    let deep = fs::read_to_string(target.join("review-deep.json")).unwrap();
    assert!(deep.contains("\"equals\": \"user.main\"") && deep.contains("back to user.main."));
    assert!(fs::read_to_string(target.join("team.json")).unwrap().contains("\"team.own\""));
    // The files load, with their routine, and the originals are as they were.
    let compiled = compiled(&rig, "user.main");
    let prompt = compiled["workflow"]["steps"][1]["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("Look at the plan (user.main)"), "{prompt}");
    assert!(
        fs::read_to_string(rig.project().join("set/main.json")).unwrap().contains("\"wr.main\"")
    );
    rig.says(&["workflow", "validate"]);
    // A second time there is nothing to do.
    let again = rig.says(&["workflow", "adopt", "set"]);
    assert!(again.contains("Nothing to do: 5 files are already in"), "{again}");
    assert_eq!(rig.tells(&["workflow", "adopt", "set"])["written"], json!([]));
}

#[test]
fn adopting_overwrites_nothing_and_writes_nothing_that_does_not_load() {
    let rig = Rig::new();
    set(&rig);
    let target = rig.home().join(".config/piton/workflows");
    rig.write(&format!("{USER}/main.json"), &workflow("user.something", &call("x", &json!({}))));
    let (code, error) = rig.fails(&["workflow", "adopt", "set"]);
    assert_eq!(code, 1);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("main.json already exists with other content"), "{message}");
    assert!(message.contains("Nothing was written"), "{message}");
    assert!(!target.join("old.json").exists());
    let advice = error["suggestion"].as_str().unwrap();
    assert!(advice.contains("`piton workflow adopt set --namespace NAME`"), "{advice}");
    assert!(advice.contains("`piton workflow adopt set --to DIR`"), "{advice}");
    // An id that another file has is nobody else's.
    fs::remove_file(target.join("main.json")).unwrap();
    let holder = workflow("user.main", &json!([{ "id": "a-step", "title": "A", "prompt": "Do." }]));
    rig.write(&format!("{USER}/elsewhere.json"), &holder);
    let (_, error) = rig.fails(&["workflow", "adopt", "set"]);
    assert!(
        error["message"].as_str().unwrap().contains("already has the id `user.main`"),
        "{error}"
    );
    let advice = error["suggestion"].as_str().unwrap();
    assert!(advice.contains("--namespace NAME`.") && !advice.contains("--to"), "{advice}");
    // One that keeps its id is in the way of itself under any namespace.
    rig.write(&format!("{USER}/elsewhere.json"), &holder.replace("user.main", "team.own"));
    let (_, error) = rig.fails(&["workflow", "adopt", "set", "--namespace", "second"]);
    assert!(
        error["message"].as_str().unwrap().contains("already has the id `team.own`"),
        "{error}"
    );
    assert!(!error["suggestion"].as_str().unwrap().contains("--namespace"), "{error}");
    rig.write(&format!("{USER}/elsewhere.json"), &holder);
    // Another namespace and another directory stand in nobody's way.
    rig.tells(&["workflow", "adopt", "set", "--namespace", "old", "--to", "elsewhere"]);
    let main = fs::read_to_string(rig.project().join("elsewhere/main.json")).unwrap();
    assert!(main.contains("\"old.main\""), "{main}");
    for (arguments, says) in [
        (["set", "--namespace", "wr"], "is no namespace"),
        (["set", "--namespace", "No Good"], "is no namespace"),
        (["absent", "--namespace", "old"], "cannot be read"),
        (["set", "--to", "set"], "is the target directory, or overlaps with it"),
        (["set", "--to", "set/below"], "is the target directory, or overlaps with it"),
    ] {
        let (code, error) = rig.fails(&[&["workflow", "adopt"], &arguments[..]].concat());
        assert_eq!(code, 1);
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
    // What would not load is named and left out; the rest is adopted.
    rig.write("set/broken.json", &workflow("wr.broken", &call("absent", &json!({}))));
    rig.write(
        "set/twice.json",
        &workflow("main", &json!([{ "id": "a-step", "title": "A", "prompt": "Do." }])),
    );
    let output = rig.run(&["workflow", "adopt", "set", "--namespace", "third", "--to", "third"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("broken.json: not adopted: it would not load"), "{said}");
    assert!(said.contains("twice.json: not adopted: it would be `third.main`"), "{said}");
    assert!(rig.project().join("third/main.json").exists());
    assert!(!rig.project().join("third/broken.json").exists());
}

/// Every way that the advice names leads around a file that stands in the way.
#[test]
fn what_stands_in_the_way_of_an_adoption_is_avoided_as_the_advice_says() {
    for way in [["--namespace", "second"], ["--to", "aside"]] {
        let rig = Rig::new();
        set(&rig);
        rig.write(&format!("{USER}/main.json"), &workflow("user.other", &call("x", &json!({}))));
        rig.fails(&["workflow", "adopt", "set"]);
        let again = [&["workflow", "adopt", "set"], &way[..]].concat();
        let adopted = rig.tells(&again);
        assert_eq!(adopted["written"].as_array().unwrap().len(), 5, "{way:?}: {adopted}");
        assert!(rig.says(&again).contains("Nothing to do: 5 files are already in"), "{way:?}");
        if way[0] == "--namespace" {
            let file = rig.home().join(".config/piton/workflows/second/main.json");
            assert!(fs::read_to_string(file).unwrap().contains("\"second.main\""));
            let compiled = compiled(&rig, "second.main");
            assert_eq!(compiled["workflow"]["steps"][1]["stepId"], "again--look");
        }
    }
}
