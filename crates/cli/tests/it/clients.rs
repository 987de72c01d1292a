//! `piton mcp install`, `piton mcp uninstall`, `piton mcp status`, `piton install` and `piton doctor`.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::rig::{Rig, text};

const FILES: [(&str, &str, &str); 4] = [
    ("claude", ".claude.json", ".mcp.json"),
    ("codex", ".codex/config.toml", ".codex/config.toml"),
    ("cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json"),
];

#[test]
fn every_client_is_told_once_and_can_be_told_otherwise() {
    let rig = Rig::new();
    for (client, in_home, in_project) in FILES {
        for (scope, file) in
            [("user", rig.home().join(in_home)), ("project", rig.project().join(in_project))]
        {
            let target = ["--client", client, "--scope", scope];
            let install = [&["mcp", "install", "--force"][..], &target].concat();
            let told = rig.tells(&[&install[..], &["--dry-run"]].concat());
            assert!(!file.exists(), "{client}");
            let rehearsed = told["text"].as_str().unwrap().to_owned();
            rig.says(&install);
            let written = fs::read_to_string(&file).unwrap();
            assert_eq!(written, rehearsed);
            let program = if scope == "user" { env!("CARGO_BIN_EXE_piton") } else { "\"piton\"" };
            assert!(written.contains(program) && written.contains("mcp"), "{written}");
            assert_eq!(rig.tells(&install)["isChanged"], false, "{client}");
            let removed = rig.tells(&[&["mcp", "uninstall"][..], &target].concat());
            assert!(removed["backup"].is_string(), "{removed}");
            let after = fs::read_to_string(&file).unwrap();
            assert!(!after.contains("piton"), "{after}");
            let again = rig.tells(&[&["mcp", "uninstall"][..], &target].concat());
            assert_eq!(again["isChanged"], false);
        }
    }
}

#[test]
fn what_a_person_wrote_stays_and_is_backed_up() {
    let rig = Rig::new();
    let file = rig.home().join(".claude.json");
    let before =
        "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\"other\": {\"command\": \"x\"}}\n}\n";
    fs::write(&file, before).unwrap();
    let told = rig.tells(&["mcp", "install", "--client", "claude", "--force"]);
    let after = fs::read_to_string(&file).unwrap();
    assert!(
        after.starts_with(
            "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"},\n"
        ),
        "{after}"
    );
    let parsed: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(parsed["mcpServers"]["piton"]["args"][0], "mcp");
    assert_eq!(fs::read_to_string(told["backup"].as_str().unwrap()).unwrap(), before);

    fs::write(&file, "{ not json").unwrap();
    let (code, error) = rig.fails(&["mcp", "install", "--client", "claude", "--force"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("left as it is"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ not json");
}

#[test]
fn a_program_that_the_next_build_replaces_is_refused() {
    let rig = Rig::new();
    let (code, error) = rig.fails(&["mcp", "install", "--client", "codex"]);
    assert_eq!(code, 1);
    assert!(error["suggestion"].as_str().unwrap().contains("piton install"), "{error}");
    // The copy that is installed is not refused.
    rig.says(&["install"]);
    let installed = rig.home().join(".local/bin/piton");
    let mut command = Command::new(&installed);
    command.args(["mcp", "install", "--client", "codex"]).env_clear().env("HOME", rig.home());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = fs::read_to_string(rig.home().join(".codex/config.toml")).unwrap();
    assert!(written.contains(installed.to_str().unwrap()), "{written}");

    let doctor = rig.says(&["doctor"]);
    assert!(doctor.contains("Codex"), "{doctor}");
    assert!(doctor.contains("starts ~/.local/bin/piton, which answers"), "{doctor}");
    fs::remove_file(&installed).unwrap();
    fs::write(&installed, "#!/bin/sh\necho 'no room left' >&2\nexit 1\n").unwrap();
    Command::new("chmod").arg("+x").arg(&installed).status().unwrap();
    let output = rig.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("ends before it answers: no room left"), "{told}");
    assert!(told.contains("run it yourself: "), "{told}");
    fs::remove_file(&installed).unwrap();
    let output = rig.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("which does not exist") && told.contains("--client codex"), "{told}");
}

/// Where `--allow` writes, and a part of what it writes there.
const PERMISSIONS: [(&str, &str, &str, &str); 5] = [
    ("claude", "user", ".claude/settings.json", "\"mcp__piton\""),
    ("claude", "project", ".claude/settings.json", "\"mcp__piton\""),
    ("codex", "user", ".codex/config.toml", "default_tools_approval_mode = \"approve\""),
    ("codex", "project", ".codex/config.toml", "default_tools_approval_mode = \"approve\""),
    ("cursor", "user", ".cursor/permissions.json", "\"piton:*\""),
];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_permission_is_written_when_it_is_asked_for_and_goes_with_the_entry() {
    let rig = Rig::new();
    for (client, scope, file, permission) in PERMISSIONS {
        let file = if scope == "user" { rig.home().join(file) } else { rig.project().join(file) };
        let target = ["--client", client, "--scope", scope];
        let install = [&["mcp", "install", "--force"][..], &target].concat();
        let told = rig.says(&install);
        assert!(!read(&file).contains(permission), "{client}: it was not asked for");
        assert!(told.contains("--allow"), "{client} is not told how: {told}");
        let allow = [&install[..], &["--allow"]].concat();
        let told = rig.says(&[&allow[..], &["--dry-run"]].concat());
        let added = told.lines().filter(|line| line.starts_with('+')).collect::<String>();
        assert!(added.contains(permission) && told.contains("\n@@ "), "{client}: {told}");
        assert!(!read(&file).contains(permission), "{client}: a rehearsal writes nothing");
        rig.says(&allow);
        assert_eq!(read(&file).matches(permission).count(), 1, "{client}");
        let before = read(&file);
        assert!(!rig.says(&allow).contains("To let "), "{client}");
        assert_eq!(read(&file), before, "{client}");
        let told = rig.says(&install);
        assert!(!told.contains("To let "), "{client} is allowed already: {told}");
        rig.says(&[&["mcp", "uninstall"][..], &target].concat());
        assert!(!read(&file).contains("piton"), "{client}: {}", read(&file));
    }
    for (client, scope) in [("cursor", "project"), ("vscode", "user"), ("vscode", "project")] {
        let target = ["--client", client, "--scope", scope, "--allow", "--force"];
        let (code, error) = rig.fails(&[&["mcp", "install"][..], &target].concat());
        assert_eq!(code, 1);
        assert!(error["message"].as_str().unwrap().contains("Nothing was changed"), "{error}");
        let told = rig.says(&["mcp", "install", "--client", client, "--scope", scope, "--force"]);
        assert!(told.contains("without asking: "), "{told}");
        rig.says(&["mcp", "uninstall", "--client", client, "--scope", scope]);
    }
}

#[test]
fn permissions_of_a_person_stay() {
    let rig = Rig::new();
    let file = rig.home().join(".claude/settings.json");
    let before = "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\", \"mcp__piton__list_workflows\"],\n    \
                  \"deny\": [\"Read(.env)\"]\n  }\n}\n";
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, before).unwrap();
    let told = rig.tells(&["mcp", "install", "--client", "claude", "--allow", "--force"]);
    let backup = told["permission"]["backup"].as_str().unwrap();
    assert_eq!(read(Path::new(backup)), before);
    let added = "\"mcp__piton__list_workflows\", \"mcp__piton\"]";
    assert_eq!(read(&file), before.replace("\"mcp__piton__list_workflows\"]", added));
    rig.says(&["mcp", "uninstall", "--client", "claude"]);
    assert_eq!(read(&file), before);

    // A file that cannot be changed leaves the other one as it was too.
    fs::write(&file, "{ not json").unwrap();
    let (code, error) = rig.fails(&["mcp", "install", "--client", "claude", "--allow", "--force"]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().unwrap().contains("settings.json:1"), "{error}");
    assert!(!read(&rig.home().join(".claude.json")).contains("piton"));
}

#[test]
fn a_file_for_everybody_names_nothing_of_this_machine() {
    let rig = Rig::new();
    for (client, _, in_project) in FILES {
        let install = ["mcp", "install", "--client", client, "--scope", "project"];
        let told = rig.says(&install);
        assert!(told.contains("names no path of this machine"), "{told}");
        assert!(told.contains("Your PATH has no `piton` yet: piton install"), "{told}");
        let written = read(&rig.project().join(in_project));
        assert!(!written.contains('/'), "{client}: {written}");
        let (code, error) = rig.fails(&[&["--data-dir", "elsewhere"][..], &install].concat());
        assert_eq!(code, 1);
        assert!(error["suggestion"].as_str().unwrap().contains("--scope user"), "{error}");
    }
}

#[test]
fn the_status_shows_every_client_in_both_scopes_and_what_to_do_next() {
    let rig = Rig::new();
    let status = || rig.tells(&["mcp", "status"])["clients"].as_array().unwrap().clone();
    assert_eq!(status().len(), 8);
    assert!(status().iter().all(|one| one["isConfigured"] == false));
    let told = rig.says(&["mcp", "status"]);
    assert!(told.ends_with("Connect an agent: piton mcp install --client claude\n"), "{told}");

    rig.says(&["mcp", "install", "--client", "claude", "--force"]);
    let claude = &status()[0];
    assert_eq!(claude["answers"], true, "{claude}");
    assert_eq!(claude["isAllowed"], false);
    assert_eq!(claude["next"], "piton mcp install --client claude --allow");
    rig.says(&["mcp", "install", "--client", "claude", "--force", "--allow"]);
    let claude = &status()[0];
    assert_eq!((&claude["isAllowed"], claude.get("next")), (&Value::Bool(true), None), "{claude}");

    // Nothing of that name is in this PATH.
    rig.says(&["mcp", "install", "--client", "codex", "--scope", "project"]);
    let output = rig.run(&["mcp", "status"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("which is not in your PATH"), "{told}");
    assert!(told.contains("Next for Codex (project): piton install"), "{told}");
    fs::create_dir_all(rig.project().join(".vscode")).unwrap();
    fs::write(rig.project().join(".vscode/mcp.json"), "{ no").unwrap();
    let told = text(&rig.run(&["mcp", "status"]).stdout);
    assert!(told.contains("mcp.json:1 is not JSON"), "{told}");
}
