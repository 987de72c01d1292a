//! `piton inbox` and `piton workflow stats`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::rig::{Rig, text};

const ASKS: &str = r#"{
  "id": "project.merge",
  "name": "Merge",
  "description": "Merges what a person agreed to.",
  "steps": [
    {
      "id": "merge",
      "title": "Merge the change",
      "prompt": "Merge it.",
      "needsUser": { "reason": "needs_user_approval", "question": "Merge the change?" },
      "validationCriteria": [
        { "type": "regex", "pattern": "[0-9a-f]{7}", "message": "Give the commit." }
      ]
    },
    { "id": "tell", "title": "Tell", "prompt": "Tell them." }
  ]
}"#;

/// A run that was refused for its notes, and waits for a person.
fn waiting() -> Rig {
    let rig = Rig::new();
    rig.write(".piton/workflows/merge.json", ASKS);
    let output = rig.type_in(&["workflow", "run", "project.merge"], "Merged.\n.\n");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    rig
}

#[test]
fn an_empty_inbox_says_so() {
    let rig = Rig::new();
    assert_eq!(rig.says(&["inbox"]), "Nothing waits for you.\n");
    assert_eq!(rig.tells(&["inbox"])["schema"], "piton.inbox/1");
}

#[test]
fn an_inbox_shows_questions_and_files_and_how_to_settle_them() {
    let rig = waiting();
    let run = rig.newest();
    rig.write(".piton/workflows/broken.json", "{");
    insta::assert_snapshot!("inbox", run.stable(&rig.says(&["inbox"]), &rig));
    let told = rig.tells(&["inbox"]);
    let question = &told["questions"]["items"][0];
    assert_eq!(question["run"]["label"], run.label.as_str());
    assert_eq!(question["words"], "Merge the change?");
    // What the person decides about is what the agent says, not only what it was told.
    assert_eq!(question["notes"], "Merged.");
    for list in [&["session", "list"][..], &["session", "list", "--limit", "5"]] {
        let listed = rig.says(list);
        assert!(listed.contains("waits for you") && !listed.contains("blocked"), "{listed}");
    }
    rig.says(&["approve", &run.label]);
    assert!(!rig.says(&["session", "list"]).contains("waits for you"));
    assert_eq!(rig.tells(&["inbox"])["questions"]["items"].as_array().unwrap().len(), 0);
}

#[test]
fn a_watched_inbox_is_printed_when_it_changes() {
    let rig = waiting();
    let run = rig.newest();
    let mut command = rig.command(&["inbox", "--watch", "--json"]);
    let mut watch = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut questions = || {
        let line = lines.next().unwrap().unwrap();
        let inbox: serde_json::Value = serde_json::from_str(&line).unwrap();
        inbox["questions"]["items"].as_array().unwrap().len()
    };
    assert_eq!(questions(), 1);
    rig.says(&["approve", &run.label]);
    assert_eq!(questions(), 0, "nothing was printed in between");
    let ended = std::process::Command::new("kill").args(["-INT", &watch.id().to_string()]).status();
    assert!(ended.unwrap().success());
    assert_eq!(watch.wait().unwrap().code(), Some(0));
}

#[test]
fn the_steps_of_a_workflow_are_counted_with_the_reasons_of_refusals() {
    let rig = waiting();
    let told = rig.tells(&["workflow", "stats", "project.merge"]);
    // How long the step took depends on the machine.
    let seconds = told["steps"][0]["spentMedianMs"].as_u64().unwrap() / 1000;
    let cell = |seconds: u64| format!("{:<11}", format!("{seconds} s"));
    let stats = rig.says(&["workflow", "stats", "project.merge"]);
    assert!(stats.contains(&cell(seconds)), "{stats}");
    insta::assert_snapshot!("workflow_stats", stats.replace(&cell(seconds), &cell(0)));
    assert_eq!(told["steps"][0]["refused"], 1, "{told}");
    let (code, error) = rig.fails(&["workflow", "stats", "project.none"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("SESSION_NOT_FOUND")));
}
