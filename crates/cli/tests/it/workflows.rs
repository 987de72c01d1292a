//! `piton workflow`.

use std::fs;
use std::path::Path;

use crate::rig::{Rig, text};

#[test]
fn the_workflows_that_come_with_piton_are_listed_and_shown() {
    let rig = Rig::new();
    insta::assert_snapshot!("workflows", rig.says(&["workflow", "list"]));
    let shown = rig.says(&["workflow", "show", "wr.tour"]);
    assert!(shown.contains("1. Leave notes") && shown.contains("The first step asks:"), "{shown}");
    assert!(shown.lines().last().unwrap().contains("piton workflow run wr.tour"), "{shown}");
    let found = rig.tells(&["workflow", "list", "merged"]);
    assert_eq!(found["workflows"][0]["workflowId"], "wr.code_review");
    assert_eq!(found["leftOut"], 5);
}

#[test]
fn a_workflow_that_is_not_there_is_answered_with_those_that_are_close() {
    let rig = Rig::new();
    for arguments in [
        ["workflow", "show", "wr.code_revew"],
        ["workflow", "compile", "wr.code_revew"],
        ["workflow", "run", "wr.code_revew"],
    ] {
        let (code, error) = rig.fails(&arguments);
        assert_eq!((code, error["code"].as_str()), (1, Some("VALIDATION_ERROR")));
        assert!(error["suggestion"].as_str().unwrap().contains("wr.code_review"), "{error}");
    }
}

#[test]
fn a_new_workflow_can_be_run_as_it_is_written() {
    let rig = Rig::new();
    for (id, flags) in [("user.release", &[][..]), ("project.release_notes", &["--project"][..])] {
        let written = rig.tells(&[&["workflow", "new", id], flags].concat());
        let file = written["file"].as_str().unwrap();
        assert!(fs::read_to_string(file).unwrap().contains(id));
        rig.says(&["workflow", "validate", file]);
        let compiled = rig.tells(&["workflow", "compile", id]);
        assert_eq!(compiled["workflow"]["workflowId"], id);
        let (code, error) = rig.fails(&[&["workflow", "new", id], flags].concat());
        assert_eq!(code, 1, "{error}");
    }
    // The namespace of what comes with Piton is nobody else's.
    let (code, error) = rig.fails(&["workflow", "new", "wr.mine"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("not written"), "{error}");
}

#[test]
fn a_new_workflow_names_the_schema_beside_it_and_is_valid_by_it() {
    let rig = Rig::new();
    let parsed = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let written = rig.tells(&["workflow", "new", "project.notes", "--project"]);
    let file = Path::new(written["file"].as_str().unwrap());
    let source = parsed(&fs::read_to_string(file).unwrap());
    let beside = file.parent().unwrap().join(source["$schema"].as_str().unwrap());
    let schema = parsed(&fs::read_to_string(&beside).unwrap());
    assert!(jsonschema::is_valid(&schema, &source));
    let mut misspelt = source.clone();
    misspelt["steps"][0]["titel"] = "Plan".into();
    assert!(!jsonschema::is_valid(&schema, &misspelt));
    assert_eq!(parsed(&rig.says(&["workflow", "schema"])), schema);
    assert_eq!(rig.tells(&["workflow", "schema", "--dialect", "strict"])["title"], schema["title"]);
    let classic = parsed(&rig.says(&["workflow", "schema", "--dialect", "classic"]));
    assert!(!jsonschema::is_valid(&classic, &source), "it is another form");
    assert_eq!(rig.run(&["workflow", "schema", "--dialect", "shipped"]).status.code(), Some(2));

    // Another version of Piton may have left its own. It is no workflow, whatever it holds.
    fs::write(&beside, "{").unwrap();
    rig.says(&["workflow", "validate"]);
    rig.tells(&["workflow", "new", "project.more", "--project"]);
    assert_eq!(parsed(&fs::read_to_string(&beside).unwrap()), schema);
}

// shows: WR-400 (with nothing_is_saved_under_an_older_name, a_new_workflow_needs_a_namespace)
#[test]
fn nothing_is_written_under_an_id_without_a_namespace() {
    let rig = Rig::new();
    for id in ["code-review", "tour", "no namespace", "Release"] {
        for arguments in [&["workflow", "new", id][..], &["workflow", "fork", "wr.tour", id]] {
            for place in [&[][..], &["--project"]] {
                let output = rig.run(&[arguments, place].concat());
                assert_eq!(output.status.code(), Some(2), "{id}");
            }
        }
    }
    let listed = rig.tells(&["workflow", "list"]);
    let is_own = |one: &&serde_json::Value| !one["workflowId"].as_str().unwrap().starts_with("wr.");
    assert_eq!(listed["workflows"].as_array().unwrap().iter().find(is_own), None, "{listed}");
    assert!(!rig.project().join(".piton").exists());
}

// shows: WR-509
#[test]
fn a_copy_of_a_bundled_workflow_is_ones_own() {
    let rig = Rig::new();
    let written = rig.tells(&["workflow", "fork", "wr.tour", "user.my_tour"]);
    let file = written["file"].as_str().unwrap();
    let copy = fs::read_to_string(file).unwrap();
    fs::write(file, copy.replace("Two minutes with Piton", "My minutes")).unwrap();
    let listed = rig.tells(&["workflow", "list", "minutes"]);
    let names: Vec<_> =
        listed["workflows"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["My minutes", "Two minutes with Piton"]);
    // A copy of a copy.
    rig.tells(&["workflow", "fork", "user.my_tour", "project.tour", "--project"]);
    assert!(rig.project().join(".piton/workflows/tour.json").exists());
    // What comes with Piton is not edited, neither by a command nor by a file that takes its id.
    let before = rig.tells(&["workflow", "compile", "wr.tour"])["workflow"].clone();
    for refused in [
        &["workflow", "new", "wr.tour", "--force"][..],
        &["workflow", "fork", "user.my_tour", "wr.tour"],
    ] {
        let (_, error) = rig.fails(refused);
        let offered = error["suggestion"].as_str().unwrap();
        assert!(offered.contains("piton workflow fork") && offered.contains("user."), "{error}");
    }
    rig.write(
        ".piton/workflows/edited.json",
        &fs::read_to_string(file).unwrap().replace("user.my_tour", "wr.tour"),
    );
    let listed = rig.says(&["workflow", "list"]);
    assert!(listed.contains("edited.json does not load"), "{listed}");
    assert_eq!(rig.tells(&["workflow", "compile", "wr.tour"])["workflow"], before);
}

#[test]
fn every_problem_of_a_file_is_told_with_its_place() {
    let rig = Rig::new();
    let broken =
        rig.write(".piton/workflows/broken.json", r#"{"id": "project.x", "nam": 1, "steps": []}"#);
    let sound = rig.project().join("sound.json");
    fs::write(&sound, rig.says(&["workflow", "compile", "wr.tour"])).unwrap();
    let output = rig.run(&["workflow", "validate", broken.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(
        told.contains("2 problems") && told.contains("nam") && told.contains("steps"),
        "{told}"
    );
    // With the line and the column, as editors count them.
    assert!(told.contains("  1:21 `/nam`:"), "{told}");
    // Without a name, all that are found here are looked at.
    let output = rig.run(&["workflow", "validate", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("broken.json"));
    let listed = rig.says(&["workflow", "list"]);
    assert!(listed.contains("broken.json does not load"), "{listed}");
    let (code, error) = rig.fails(&["workflow", "validate", "/nonexistent.json"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("STORE_IO")));
}

#[test]
fn a_person_walks_a_workflow_in_the_terminal() {
    let rig = Rig::new();
    let input = "Hello\n.\nProject: x\nSeen: 3 files\n.\n.\n";
    let output = rig.type_in(&["workflow", "run", "wr.tour", "--goal", "look around"], input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let run = rig.newest();
    insta::assert_snapshot!("walk", run.stable(&text(&output.stdout), &rig));

    // Going on where it was left.
    let fixed = "Refused: two lines\nFixed: wrote them\n.\n.\n";
    let output = rig.type_in(&["workflow", "run", "--resume", &run.label, "--json"], fixed);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let walked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(walked["schema"], "piton.workflow.run/1");
    assert_eq!((&walked["run"]["step"], &walked["isComplete"]), (&3.into(), &false.into()));
}

#[test]
fn workflows_are_listed_by_kind_of_work() {
    let rig = Rig::new();
    let listed = rig.tells(&["workflow", "list", "--tag", "review"]);
    assert_eq!(listed["workflows"][0]["workflowId"], "wr.code_review");
    assert_eq!(listed["workflows"].as_array().unwrap().len(), 1);
    let none = rig.says(&["workflow", "list", "--tag", "pizza"]);
    assert!(none.starts_with("No workflow matches.\n6 do not match. Tags: coding,"), "{none}");
    assert!(none.ends_with("List all: piton workflow list\n"), "{none}");
}

#[test]
fn people_are_told_of_commands_and_not_of_tools() {
    let rig = Rig::new();
    rig.write("own.json", "{}");
    for (arguments, part) in [
        (&["workflow", "show", "wr.tuor"][..], "Did you mean wr.tour? The list of workflows shows"),
        (&["workflow", "run", "pizza"], "The list of workflows says what each is for"),
        (&["workflow", "compile", "own.json"], "piton workflow validate own.json"),
    ] {
        let (_, error) = rig.fails(arguments);
        let advice = error["suggestion"].as_str().unwrap();
        assert!(advice.contains(part) && !advice.contains("list_workflows"), "{advice}");
    }
}
