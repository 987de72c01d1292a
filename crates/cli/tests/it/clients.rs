//! `piton mcp install`, `piton mcp uninstall`, `piton install` and `piton doctor`.

use std::{fs, process::Command};

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
            assert!(written.contains(env!("CARGO_BIN_EXE_piton")) && written.contains("mcp"));
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
