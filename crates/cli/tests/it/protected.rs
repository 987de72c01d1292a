//! Names that agents only read, whatever their Workspaces permit.

use std::fs;

use serde_json::json;

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

const READ_WRITE: &str = r#"
[[workspaces]]
prefix = "/project"
scope = "read-write"
directory = "."
deny = [".env"]
"#;

fn rig() -> Rig {
    let rig = Rig::new();
    rig.write("piton.toml", READ_WRITE);
    rig.write(".env", "KEY=1\n");
    rig.write(".git/config", "[core]\n");
    rig.write("lib/.git", "gitdir: ../.git/modules/lib\n");
    rig.write("made/hooks/pre-commit", "#!/bin/sh\n");
    rig.write("Makefile", "all:\n");
    rig
}

#[test]
fn an_agent_with_a_read_write_project_cannot_widen_its_own_scope() {
    let rig = rig();
    let mut agent = Agent::start(&rig);
    assert!(agent.instructions.contains("piton.toml"), "{}", agent.instructions);
    let write = |path: &str| ("write", json!({ "path": path, "content": "x" }));
    for (tool, arguments) in [
        (
            "edit",
            json!({ "path": "/project/piton.toml", "old_string": ".env", "new_string": ".none" }),
        ),
        write("/project/piton.toml"),
        write("/project/sub/piton.toml"),
        write("/project/.git/hooks/pre-commit"),
        write("/project/sub/.git/config"),
        write("/project/lib/.git"),
        write("/project/.GIT/config"),
        write("/project/.mcp.json"),
        write("/project/.claude/settings.json"),
        write("/project/.vscode/tasks.json"),
        write("/project/.envrc"),
        ("mkdir", json!({ "path": "/project/.git/hooks" })),
        ("delete", json!({ "path": "/project/.git", "recursive": true })),
        ("delete", json!({ "path": "/project/lib", "recursive": true })),
        ("move", json!({ "from": "/project/lib", "to": "/project/lib2" })),
        ("move", json!({ "from": "/project/made", "to": "/project/sub/.git" })),
        ("move", json!({ "from": "/project/piton.toml", "to": "/project/old.toml" })),
        ("copy", json!({ "from": "/project/Makefile", "to": "/project/.envrc" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(is_error && text.contains("protected"), "{tool} {arguments}: {text}");
        assert!(text.contains("writable"), "it says who can allow it: {text}");
    }
    let (text, is_error) = agent.call_text("read", &json!({ "path": "/project/.git/config" }));
    assert!(!is_error && text.contains("[core]"), "{text}");
    let (text, is_error) = agent.call_text(
        "edit",
        &json!({ "path": "/project/Makefile", "old_string": "all", "new_string": "test" }),
    );
    assert!(!is_error, "build files are the work: {text}");
    agent.leave();
    assert_eq!(fs::read_to_string(rig.project().join("piton.toml")).unwrap(), READ_WRITE);
    assert!(!rig.project().join(".vscode").exists());
    let resolved = rig.tells(&["workspace", "resolve", "/project/.git/config"]);
    let tools = resolved["tools"].as_array().unwrap();
    let refused =
        |name: &str| tools.iter().find(|one| one["tool"] == name).unwrap()["refused"].clone();
    assert!(refused("read").is_null() && refused("write").as_str().unwrap().contains("protected"));
}

#[test]
fn a_person_lists_what_agents_may_change_in_the_file_or_on_the_command_line() {
    let rig = rig();
    rig.write("piton.toml", &READ_WRITE.replace("deny", "writable = [\".vscode\"]\ndeny"));
    let write = |agent: &mut Agent, path: &str| {
        agent.call_text("write", &json!({ "path": path, "content": "{}\n" }))
    };
    let mut agent =
        Agent::start_as(&rig, &["--workspace", "/other=.:rw,writable=.git,writable=.envrc"]);
    for (path, permitted) in [
        ("/project/.vscode/tasks.json", true),
        ("/project/.envrc", false),
        ("/other/.git/new", true),
        ("/other/.envrc", true),
        ("/other/.vscode/tasks.json", false),
    ] {
        let (text, is_error) = write(&mut agent, path);
        assert_eq!(is_error, !permitted, "{path}: {text}");
    }
    agent.leave();
    // What is not protected needs no permission, and says so.
    let (_, error) = rig.fails(&["workspace", "map", "--workspace", "/w=.:rw,writable=src"]);
    assert!(error["message"].as_str().unwrap().contains("not protected"), "{error}");
    let output = rig.run(&["workspace", "map", "--workspace", "/w=.:rw,loud"]);
    assert!(text(&output.stderr).contains("`loud` is no option"), "{}", text(&output.stderr));
}

#[test]
fn a_project_cannot_open_git_to_agents() {
    let rig = rig();
    for wider in ["writable = [\".git\"]\ndeny", "writable = [\".GIT/\"]\ndeny"] {
        rig.write("piton.toml", &READ_WRITE.replace("deny", wider));
        let (_, error) = rig.fails(&["workspace", "map"]);
        assert!(error["message"].as_str().unwrap().contains("a project may not"), "{error}");
    }
    rig.write("piton.toml", &READ_WRITE.replace("\".\"", "\".git\""));
    let (_, error) = rig.fails(&["workspace", "map"]);
    assert!(error["message"].as_str().unwrap().contains("a project may not"), "{error}");
    // The person may.
    rig.write("piton.toml", "");
    assert!(rig.says(&["workspace", "map", "--workspace", "/git=.git:rw"]).contains("/git"));
}

/// The line of configuration that a refusal names is enough, in the file that it names.
#[test]
fn what_a_refusal_says_to_write_works_in_the_file_that_it_names() {
    let allowed = |rig: &Rig, path: &str| {
        let mut agent = Agent::start(rig);
        let (text, is_error) =
            agent.call_text("write", &json!({ "path": path, "content": "{}\n" }));
        agent.leave();
        (text, !is_error)
    };
    for (path, in_project) in [("/project/.vscode/x", true), ("/project/.git/x", false)] {
        let rig = rig();
        let (refused, _) = allowed(&rig, path);
        assert!(refused.contains("their own configuration file"), "{refused}");
        assert_eq!(refused.contains("piton.toml of a project cannot"), !in_project, "{refused}");
        let mut quoted = refused.split('`').skip(1).step_by(2);
        let line = quoted.find(|text| text.starts_with("writable")).unwrap();
        let with_line = READ_WRITE.replace("deny", &format!("{line}\ndeny"));
        if in_project {
            rig.write("piton.toml", &with_line);
            assert!(allowed(&rig, path).1, "{line}");
        }
        rig.write("piton.toml", READ_WRITE);
        let shown = rig.tells(&["config", "show"]);
        let file = std::path::Path::new(shown["userFile"].as_str().unwrap());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, with_line.replace("\".\"", "\"~/project\"")).unwrap();
        assert!(allowed(&rig, path).1, "{line}");
    }
}

#[test]
fn no_agent_changes_what_piton_keeps_and_is_told_by() {
    let rig = rig();
    let mut agent = Agent::start_as(&rig, &["--workspace", "/home=~:rw"]);
    for (tool, arguments) in [
        ("write", json!({ "path": "/home/.config/piton/config.toml", "content": "x" })),
        // A directory that is made ready elsewhere, and moved to where configuration is read.
        ("move", json!({ "from": "/home/project/made", "to": "/home/.config" })),
        ("move", json!({ "from": "/home/project/made", "to": "/home/.config/piton" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(is_error && text.contains("protected"), "{tool} {arguments}: {text}");
    }
    let (text, is_error) =
        agent.call_text("write", &json!({ "path": "/home/notes.md", "content": "x" }));
    assert!(!is_error, "{text}");
    agent.leave();
}

#[test]
fn no_agent_sees_the_keys_and_records_of_piton() {
    let rig = rig();
    let mut agent = Agent::start_as(&rig, &["--workspace", "/home=~:rw"]);
    let start = json!({ "workflowId": "wr.tour", "goal": "Look." });
    let (text, is_error) = agent.call_text("start_workflow", &start);
    assert!(!is_error, "there are keys now: {text}");
    let keys = "/home/.local/share/piton/keys/keyring.json";
    for (tool, arguments) in [
        ("read", json!({ "path": keys })),
        ("read", json!({ "path": "/home/.local/share/PITON/keys/keyring.json" })),
        ("stat", json!({ "path": keys })),
        ("ls", json!({ "path": "/home/.local/share/piton" })),
        ("grep", json!({ "pattern": ".", "path": "/home/.local/share/piton" })),
        ("copy", json!({ "from": keys, "to": "/home/mine.json" })),
        ("write", json!({ "path": "/home/.local/share/piton/new", "content": "x" })),
        ("delete", json!({ "path": "/home/.local", "recursive": true })),
        ("move", json!({ "from": "/home/.local/share", "to": "/home/.local/shared" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(is_error, "{tool} {arguments}: {text}");
        assert!(!text.contains("hmac"), "{tool} {arguments}: {text}");
        // It says why, and where nothing of the machine is.
        let is_reason = text.contains("Piton's own data") || text.contains("Piton keeps its keys");
        assert!(is_reason && text.contains("obody can"), "{tool} {arguments}: {text}");
        assert!(!text.contains("configuration of its Workspace"), "{tool} {arguments}: {text}");
        assert!(!text.contains("agents only read it"), "{tool} {arguments}: {text}");
        assert!(!text.contains(rig.home().to_str().unwrap()), "{tool} {arguments}: {text}");
    }
    for (tool, arguments) in [
        ("ls", json!({ "path": "/home/.local/share" })),
        ("glob", json!({ "pattern": "**/keyring.json", "path": "/home" })),
        ("grep", json!({ "pattern": "hmac_sha256", "path": "/home" })),
    ] {
        let (text, _) = agent.call_text(tool, &arguments);
        assert!(!text.contains("keyring") && !text.contains("share/piton"), "{tool}: {text}");
    }
    agent.leave();
    assert!(rig.home().join(".local/share/piton/keys/keyring.json").exists());
    // A Workspace that lies in it shows nothing at all.
    let mut agent = Agent::start_as(&rig, &["--workspace", "/keys=~/.local/share/piton/keys:ro"]);
    let (text, is_error) = agent.call_text("read", &json!({ "path": "/keys/keyring.json" }));
    assert!(is_error && !text.contains("hmac"), "{text}");
    assert!(text.contains("Piton's own data"), "{text}");
    agent.leave();
}

#[test]
fn applying_an_overlay_leaves_what_is_protected_and_names_it() {
    let rig = Rig::new();
    rig.write(
        "piton.toml",
        r#"
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "."

[[workspaces]]
prefix = "/draft"
scope = "read-write"
virtual = ["draft"]
over = "/project"
writable = [".vscode"]
"#,
    );
    rig.write("a.txt", "one\n");
    let mut agent = Agent::start(&rig);
    for (path, permitted) in
        [("/draft/a.txt", true), ("/draft/.vscode/tasks.json", true), ("/draft/.git/config", false)]
    {
        let (text, is_error) =
            agent.call_text("write", &json!({ "path": path, "content": "two\n" }));
        assert_eq!(is_error, !permitted, "{path}: {text}");
    }
    agent.leave();
    let said = rig.says(&["workspace", "apply", "--yes"]);
    assert!(said.contains("/project/.vscode/tasks.json  it is protected"), "{said}");
    assert!(said.contains("writable"), "{said}");
    assert_eq!(fs::read_to_string(rig.project().join("a.txt")).unwrap(), "two\n");
    assert!(!rig.project().join(".vscode").exists());
    let applied = rig.tells(&["workspace", "apply", "--yes"]);
    assert_eq!(applied["paths"], json!([]));
    assert_eq!(applied["left"][1]["path"], "/project/.vscode/tasks.json");
}
