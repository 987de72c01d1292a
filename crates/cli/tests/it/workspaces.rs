//! `piton workspace`.

use std::fs;

use serde_json::json;

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

const PROJECT: &str = r#"
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "."
purpose = "the code under review"
deny = [".env", ".git/**"]

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"
purpose = "copy-on-write over /project"

[[workspaces]]
prefix = "/outbox"
scope = "write-only"
directory = "outbox"
purpose = "drop finished reports here"
"#;

fn rig() -> Rig {
    let rig = Rig::new();
    rig.write("piton.toml", PROJECT);
    rig.write("src/retry.rs", "fn retry() {\n    once();\n}\n");
    rig.write("notes.md", "note\n");
    rig.write(".env", "KEY=1\n");
    rig.write("outbox/old.md", "old\n");
    rig
}

/// An agent that changes a bit of everything in the overlay.
fn work(rig: &Rig) {
    let mut agent = Agent::start(rig);
    for (tool, arguments) in [
        (
            "edit",
            json!({ "path": "/scratch/src/retry.rs", "old_string": "once", "new_string": "twice" }),
        ),
        ("write", json!({ "path": "/scratch/tests/port.rs", "content": "new\n" })),
        ("delete", json!({ "path": "/scratch/notes.md" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(!is_error, "{text}");
    }
    agent.leave();
}

/// What a command says, without what differs from run to run.
fn said(rig: &Rig, arguments: &[&str]) -> String {
    rig.says(arguments).replace(rig.home().to_str().unwrap(), "~")
}

#[test]
fn a_person_sees_the_map_and_the_tools_of_an_agent() {
    let rig = rig();
    insta::assert_snapshot!("workspace_map", said(&rig, &["workspace", "map"]));
    let agent = Agent::start(&rig);
    let map = rig.tells(&["workspace", "map"]);
    assert!(agent.instructions.contains(map["map"].as_str().unwrap().trim_end()));
    agent.leave();
    let tools = rig.tells(&["workspace", "tools"]);
    assert_eq!(tools["tools"][0]["name"], "ls");
    assert_eq!(tools["tools"][0]["annotations"]["readOnlyHint"], true);
    assert!(rig.says(&["workspace", "tools"]).contains("edit     new_string old_string path"));
}

#[test]
fn a_path_is_told_with_its_workspace_and_why_it_is_refused() {
    let rig = rig();
    insta::assert_snapshot!(
        "workspace_resolve",
        said(&rig, &["workspace", "resolve", "/project/src/retry.rs"])
    );
    let hidden = rig.tells(&["workspace", "resolve", "/project/.env"]);
    assert!(hidden["hidden"].as_str().unwrap().contains("hidden by the configuration"));
    let (_, error) = rig.fails(&["workspace", "resolve", "/elsewhere"]);
    assert_eq!(error["code"], "WORKSPACE_UNMAPPED");
}

// shows in part: WS-054 (reviewed by a person), WS-059 (the command line applies)
#[test]
fn an_overlay_is_reviewed_applied_and_dropped() {
    let rig = rig();
    work(&rig);
    let diff = rig.says(&["workspace", "diff", "/scratch"]);
    insta::assert_snapshot!("workspace_diff", diff);
    let before = fs::read_to_string(rig.project().join("src/retry.rs")).unwrap();
    assert!(before.contains("once"), "nothing is changed below");
    // Nobody is there to be asked.
    let (code, _) = rig.fails(&["workspace", "apply", "/scratch"]);
    assert_eq!(code, 1);
    // Somebody else changed a file in between: it is named, and nothing is applied.
    let other = before.replace("once", "thrice");
    rig.write("src/retry.rs", &other);
    let (_, error) = rig.fails(&["workspace", "apply", "/scratch", "--yes"]);
    assert_eq!(error["code"], "WORKSPACE_CONFLICT");
    assert!(error["message"].as_str().unwrap().contains("/project/src/retry.rs"), "{error}");
    assert!(rig.project().join("notes.md").exists());
    rig.write("src/retry.rs", &before);
    let applied = rig.tells(&["workspace", "apply", "--yes"]);
    assert_eq!(applied["over"], "/project");
    assert_eq!(
        fs::read_to_string(rig.project().join("src/retry.rs")).unwrap(),
        before.replace("once", "twice")
    );
    assert!(!rig.project().join("notes.md").exists());
    assert!(rig.says(&["workspace", "diff"]).contains("/scratch changes nothing in /project."));
    let log = rig.tells(&["workspace", "log", "/project/src/retry.rs"]);
    assert_eq!(log["records"][0]["agent"], "person");
    // What is dropped is gone from above, and below nothing changes.
    let mut agent = Agent::start(&rig);
    agent.call_text("write", &json!({ "path": "/scratch/more", "content": "more\n" }));
    agent.leave();
    assert_eq!(rig.tells(&["workspace", "drop", "/scratch", "--yes"])["changes"], 1);
    assert!(!rig.project().join("more").exists());
}

#[test]
fn a_file_that_somebody_changed_outside_is_told_as_such() {
    let rig = rig();
    work(&rig);
    rig.tells(&["workspace", "apply", "--yes"]);
    rig.write("src/retry.rs", "by hand\n");
    let said = rig.says(&["workspace", "log", "/project/src/retry.rs"]);
    assert!(said.contains("person") && said.contains("changed outside Piton"), "{said}");
    let never = rig.says(&["workspace", "log", "/project/src/never.rs"]);
    assert!(never.contains("Nobody changed /project/src/never.rs through Piton."), "{never}");
}

#[test]
fn a_person_types_calls_and_reads_what_an_agent_would() {
    let rig = rig();
    let typed = "help\n\
        write /scratch/n.txt \"one\\ntwo\\n\"\n\
        read /scratch/n.txt\n\
        edit {\"path\": \"/project/notes.md\", \"old_string\": \"a\", \"new_string\": \"b\"}\n\
        fly /x\n\
        read 'x\n\
        exit\n\
        read /scratch/n.txt\n";
    let output = rig.type_in(&["workspace", "shell"], typed);
    assert_eq!(output.status.code(), Some(1), "a call failed");
    insta::assert_snapshot!("workspace_shell", text(&output.stdout));
    let output = rig.type_in(&["workspace", "shell", "--json"], "ls /\n");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["calls"][0]["isError"], false, "{told}");
}

#[test]
fn a_call_that_is_longer_than_a_line_may_be_is_not_made_in_part() {
    let rig = rig();
    let long = format!("write /scratch/long.txt {}\n", "x".repeat(2 * 1024 * 1024));
    let output = rig.type_in(&["workspace", "shell"], &long);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("was not called"), "{}", text(&output.stderr));
    let read = rig.type_in(&["workspace", "shell"], "read /scratch/long.txt\n");
    assert_eq!(read.status.code(), Some(1), "{}", text(&read.stdout));
}

#[test]
fn a_project_names_only_what_lies_inside_and_the_user_counts_more() {
    let rig = rig();
    for (directory, part) in
        [("../other", "outside of it"), ("/etc", "outside of it"), ("~/x", "outside of it")]
    {
        rig.write("piton.toml", &format!("[[workspaces]]\nprefix = \"/x\"\nscope = \"read-only\"\ndirectory = \"{directory}\"\n"));
        let (_, error) = rig.fails(&["workspace", "map"]);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(part) && message.contains("piton.toml:1:"), "{message}");
    }
    // A link that leads out is found when it is opened.
    std::os::unix::fs::symlink("/etc", rig.project().join("link")).unwrap();
    rig.write(
        "piton.toml",
        "[[workspaces]]\nprefix = \"/x\"\nscope = \"read-only\"\ndirectory = \"link\"\n",
    );
    let (_, error) = rig.fails(&["workspace", "map"]);
    assert!(error["message"].as_str().unwrap().contains("outside of the project"), "{error}");
    // A prefix that both declare is the user's.
    rig.write("piton.toml", PROJECT);
    let config = rig.home().join(".config/piton/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::create_dir_all(rig.home().join("mine")).unwrap();
    fs::write(
        &config,
        "[[workspaces]]\nprefix = \"/project\"\nscope = \"read-write\"\ndirectory = \"~/mine\"\n",
    )
    .unwrap();
    let map = rig.tells(&["workspace", "map"]);
    let project = map["workspaces"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["prefix"] == "/project")
        .unwrap();
    assert_eq!((&project["scope"], &project["declaredBy"]), (&json!("read-write"), &json!("user")));
    assert!(map["notes"][0].as_str().unwrap().contains("what the user says counts"), "{map}");
}

#[test]
fn what_a_virtual_store_refers_to_survives_cleaning() {
    let rig = rig();
    let large = "x".repeat(10_000);
    let mut agent = Agent::start(&rig);
    agent.call_text("write", &json!({ "path": "/scratch/large", "content": large }));
    agent.leave();
    let cleaned = rig.tells(&["session", "gc"]);
    let virtual_blobs =
        cleaned["blobs"].as_array().unwrap().iter().find(|one| one["namespace"] == "virtual");
    assert_eq!(virtual_blobs.unwrap()["kept"], 1, "{cleaned}");
}
