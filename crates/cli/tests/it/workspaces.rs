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
    insta::assert_snapshot!("workspace_conflict", rig.says(&["workspace", "diff", "/scratch"]));
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

// shows in part: WS-054 (part of an overlay is applied and dropped)
#[test]
fn an_overlay_is_applied_and_dropped_in_parts() {
    let rig = rig();
    work(&rig);
    let applied = rig.says(&["workspace", "apply", "/scratch", "tests", "--yes"]);
    insta::assert_snapshot!("workspace_applied_part", applied);
    assert!(
        rig.project().join("tests/port.rs").exists() && rig.project().join("notes.md").exists()
    );
    // A path is written as an agent writes it, as it is called below, or without the prefix.
    let (_, error) = rig.fails(&["workspace", "apply", "/scratch", "src/none.rs", "--yes"]);
    let message = error["message"].as_str().unwrap();
    assert_eq!(message, "/scratch changes nothing at /scratch/src/none.rs.");
    let advice = error["suggestion"].as_str().unwrap();
    assert!(advice.contains("piton workspace diff /scratch --stat"), "{advice}");
    let dropped = rig.says(&["workspace", "drop", "/scratch", "/scratch/notes.md", "--yes"]);
    assert_eq!(dropped, "Forgot 1 change of /scratch. The others stay.\n");
    // What changed below since is replaced only on request.
    rig.write("src/retry.rs", "fn retry() {}\n");
    let path = "/project/src/retry.rs";
    let (_, error) = rig.fails(&["workspace", "apply", "/scratch", path, "--yes"]);
    assert_eq!(error["code"], "WORKSPACE_CONFLICT");
    let replaced = ["workspace", "apply", "/scratch", path, "--yes", "--replace-changed"];
    assert_eq!(rig.tells(&replaced)["paths"], json!([path]));
    let below = fs::read_to_string(rig.project().join("src/retry.rs")).unwrap();
    assert!(below.contains("twice"), "{below}");
    assert!(rig.says(&["workspace", "diff", "/scratch"]).contains("changes nothing"));
}

// shows in part: WS-058 (the changes of all files)
#[test]
fn the_changes_of_all_files_are_listed_page_by_page() {
    let rig = rig();
    work(&rig);
    let all = rig.tells(&["workspace", "log"]);
    let records = all["records"].as_array().unwrap();
    assert!(records.len() > 2, "{all}");
    let first = rig.tells(&["workspace", "log", "--limit", "1"]);
    let from = first["next"].as_str().unwrap();
    let second = rig.tells(&["workspace", "log", "--limit", "1", "--from", from]);
    assert_eq!([&first["records"][0], &second["records"][0]], [&records[0], &records[1]]);
    let said = rig.says(&["workspace", "log", "--limit", "1"]);
    assert!(said.contains(&format!("older ones: add --from {from}")), "{said}");
    let none = rig.says(&["workspace", "log", "--agent", "nobody"]);
    assert_eq!(none, "No such change is recorded here.\n");
}

// shows in part: WS-059 (what fits is applied if conflicts are left, and what was left is named)
#[test]
fn what_changed_below_is_left_and_named_and_the_rest_is_applied_if_a_person_says_so() {
    let rig = rig();
    work(&rig);
    rig.write("src/retry.rs", "fn retry() {}\n");
    let (_, error) = rig.fails(&["workspace", "apply", "/scratch", "--yes"]);
    assert_eq!(
        error["message"],
        "Nothing was applied, and nothing is lost: 1 of 4 changed paths changed below as well since the overlay \
         changed them: /project/src/retry.rs."
    );
    let advice = error["suggestion"].as_str().unwrap();
    let advised = ["workspace", "apply", "/scratch", "--leave-conflicts"];
    assert!(advice.contains(&format!("`piton {}`", advised.join(" "))), "{advice}");
    let output = rig.run(&[&advised[..], &["--yes"]].concat());
    assert_eq!(output.status.code(), Some(1), "something was left");
    insta::assert_snapshot!("workspace_left", text(&output.stdout));
    let below = |name: &str| fs::read_to_string(rig.project().join(name)).ok();
    assert_eq!(below("src/retry.rs").as_deref(), Some("fn retry() {}\n"));
    assert_eq!((below("tests/port.rs").as_deref(), below("notes.md")), (Some("new\n"), None));
    let diff = rig.tells(&["workspace", "diff", "/scratch"]);
    assert_eq!(diff["changes"].as_array().unwrap().len(), 1, "{diff}");
    assert_eq!(diff["changes"][0]["changedBelow"], true, "{diff}");
    // By hand: what is below is now what the overlay has, and that is no conflict.
    rig.write("src/retry.rs", "fn retry() {\n    twice();\n}\n");
    let applied = rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    assert_eq!((&applied["paths"], applied.get("left")), (&json!([]), None), "{applied}");
}

#[test]
fn a_person_who_reviews_what_an_agent_wrote_sees_every_character_of_it() {
    let rig = rig();
    let name = "is\u{200b}safe.rs";
    let line = "let a = 1; \u{202e}\u{1b}[2Jgnissim\u{2066} // \u{feff}ok\u{7}";
    let shown = r"let a = 1; \u{202e}\u{1b}[2Jgnissim\u{2066} // \u{feff}ok\u{7}";
    let mut agent = Agent::start(&rig);
    for (tool, arguments) in [
        ("write", json!({ "path": format!("/scratch/{name}"), "content": format!("{line}\n") })),
        ("write", json!({ "path": "/scratch/notes.md", "content": format!("note\n{line}\n") })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(!is_error, "{text}");
    }
    agent.leave();
    let sees = |arguments: &[&str], expected: &str| {
        let output = rig.run(arguments);
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(said.contains(expected), "{arguments:?}: {said}");
        for raw in ['\u{200b}', '\u{202e}', '\u{1b}', '\u{2066}', '\u{feff}', '\u{7}'] {
            assert!(!said.contains(raw), "{arguments:?} shows {raw:?}: {said}");
        }
    };
    let path = format!("/scratch/{name}");
    sees(&["workspace", "diff", "/scratch"], &format!("+{shown}"));
    sees(&["workspace", "diff", "/scratch"], r"A is\u{200b}safe.rs");
    sees(&["workspace", "log", &path], r"/scratch/is\u{200b}safe.rs");
    sees(&["blame", "file", &path], r"/scratch/is\u{200b}safe.rs");
    let diff = rig.tells(&["workspace", "diff", "/scratch"]);
    assert_eq!(diff["changes"][0]["path"], name, "{diff}");
    assert!(diff["changes"][0]["diff"].as_str().unwrap().contains(line), "{diff}");
    // What cannot be applied is named, as it can be read.
    rig.write(name, "theirs\n");
    sees(&["workspace", "apply", "/scratch", "--yes"], r"/project/is\u{200b}safe.rs");
    let left = ["workspace", "apply", "/scratch", "--yes", "--leave-conflicts"];
    sees(&left, r"/project/is\u{200b}safe.rs  changed below");
    // Frames, notes of runs and values of backpacks.
    rig.says(&["context", "scan"]);
    rig.says(&["context", "put-frame", "notes.md", "--type", "summary", "--text", line]);
    sees(&["context", "get-node", "notes.md"], shown);
    let input = format!("Hello\n.\nProject: {line}\nSeen: 3 files\n.\n.\n");
    rig.type_in(&["workflow", "run", "wr.tour", "--goal", line], &input);
    let label = rig.newest().label;
    sees(&["session", "show", &label], shown);
    sees(&["session", "tree", &label], "Project");
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
