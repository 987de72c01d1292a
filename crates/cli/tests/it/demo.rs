//! `piton demo` tells a story; these tests look whether it is true.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::{document, piton, text};

fn play(data_dir: &Path) -> Value {
    let data_dir = data_dir.to_str().unwrap();
    let output = piton(&["demo", "--json", "--data-dir", data_dir], Path::new("/nonexistent"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    document(&output)
}

/// Runs a command on what a demo left, in its project.
fn look(facts: &Value, arguments: &[&str]) -> Value {
    let data_dir = facts["dataDir"].as_str().unwrap();
    let arguments: Vec<&str> =
        arguments.iter().copied().chain(["--json", "--data-dir", data_dir]).collect();
    let output = Command::new(crate::program())
        .args(&arguments)
        .current_dir(facts["project"].as_str().unwrap())
        .env("HOME", "/nonexistent")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    document(&output)
}

#[test]
fn the_story_that_the_demo_tells_is_true() {
    let home = tempfile::tempdir().unwrap();
    let facts = play(home.path());
    assert_eq!(facts["schema"], "piton.demo/2");
    assert_eq!((facts["signal"].as_u64(), facts["lost"].as_u64()), (Some(9), Some(0)));
    assert!(facts["blocked"].as_str().unwrap().contains("Project"), "{facts}");
    assert!(facts["refused"].as_str().unwrap().contains("read-only"), "{facts}");
    let project = Path::new(facts["project"].as_str().unwrap());
    let retry = project.join("retry.rs");
    assert!(fs::read_to_string(&retry).unwrap().contains("    what()\n"), "it is as it was");

    // What it says is there is there.
    let run = facts["run"].as_str().unwrap();
    let tree = look(&facts, &["session", "tree", run]);
    let blocked = tree["nodes"].as_array().unwrap().iter().filter(|node| node["blocked"] == 1);
    assert_eq!(blocked.count(), 1);
    assert_eq!(tree["summary"]["status"], "complete");
    let state = look(&facts, &["backpack", "blame", "login"]).to_string();
    let session = facts["session"].as_str().unwrap();
    assert!(state.contains("suspect") && state.contains(session), "{state}");
    let log = look(&facts, &["workspace", "log", "/scratch/retry.rs"]).to_string();
    assert!(log.contains("demo-agent") && log.contains(session), "{log}");
    look(&facts, &["workspace", "apply", "/scratch", "--yes"]);
    assert!(fs::read_to_string(&retry).unwrap().contains("(0..3)"));
}

#[test]
fn the_demo_can_be_played_again_in_the_same_data_directory() {
    let home = tempfile::tempdir().unwrap();
    let (first, second) = (play(home.path()), play(home.path()));
    assert_ne!(first["project"], second["project"]);
    look(&first, &["session", "show", first["run"].as_str().unwrap()]);
}

#[test]
fn a_person_reads_what_happened_and_what_to_type_next() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().to_str().unwrap();
    let output = piton(&["demo", "--data-dir", data_dir], Path::new("/nonexistent"));
    let told = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // Its last lines work when they are typed, by somebody who has no `piton` in their path.
    let (_, closing) = told.split_once("\n  cd ").expect("the last lines say what to type");
    let script =
        format!("set -e\ncd {}", closing.replace("workspace apply", "workspace apply --yes"));
    let typed = Command::new("sh")
        .args(["-c", &script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(typed.status.success(), "{script}\n{}", text(&typed.stderr));
    let project = closing.lines().next().unwrap();
    let retry = fs::read_to_string(Path::new(project).join("retry.rs")).unwrap();
    assert!(retry.contains("(0..3)"), "the change is applied: {retry}");
    for part in ["kill -9", "Acknowledged and lost: 0.", "$ piton session tree", "+    (0..3)"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
