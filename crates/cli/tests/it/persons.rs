//! `piton approve`, `piton answer`, `piton reject` and `piton prefs`.

use crate::rig::{Rig, text};

const ASKS: &str = r#"{
  "id": "project.merge",
  "name": "Merge",
  "description": "Merges what a person agreed to.",
  "steps": [
    {
      "id": "merge",
      "title": "Merge the change",
      "prompt": "Merge it, and write `Merged: …`.",
      "needsUser": { "reason": "needs_user_approval", "question": "Merge the change?" },
      "validationCriteria": [
        { "type": "regex", "pattern": "Merged: \\S", "message": "Write a line `Merged: …`." },
        { "type": "regex", "pattern": "[0-9a-f]{7}", "message": "Give the commit." }
      ]
    },
    { "id": "tell", "title": "Tell", "prompt": "Tell them." }
  ]
}"#;

/// A run that waits for a person.
fn waiting() -> (Rig, String) {
    let rig = Rig::new();
    rig.write(".piton/workflows/merge.json", ASKS);
    let output = rig.type_in(&["workflow", "run", "project.merge"], "Merged: 0123abc\n.\n");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let told = text(&output.stdout);
    let label = rig.newest().label;
    assert!(told.contains(&format!("piton approve {label}")), "{told}");
    (rig, label)
}

#[test]
fn a_yes_lets_a_run_go_on() {
    let (rig, label) = waiting();
    let said = rig.says(&["approve", &label]);
    assert!(said.contains("A person approved. The agent's next call goes on."), "{said}");
    let output =
        rig.type_in(&["workflow", "run", "--resume", &label, "--json"], "Merged: 0123abc\n.\n.\n");
    let walked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(walked["run"]["step"], 2, "{walked}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_no_is_recorded_with_its_reason_and_the_run_stays() {
    let (rig, label) = waiting();
    let told = rig.tells(&["reject", &label, "not before the release"]);
    assert_eq!(told["schema"], "piton.settle/1");
    assert_eq!(told["summary"], "A person refused: not before the release");
    let output = rig.type_in(&["workflow", "run", "--resume", &label], "Merged: 0123abc\n.\n");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    // An answer is as good as a yes.
    rig.tells(&["answer", &label, "go ahead"]);
    let output = rig.type_in(&["workflow", "run", "--resume", &label], "Merged: 0123abc\n.\n.\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn who_waits_for_nobody_is_not_settled() {
    let rig = Rig::new();
    let run = rig.tour();
    let (code, error) = rig.fails(&["approve", &run.label]);
    assert_eq!((code, error["code"].as_str()), (1, Some("VALIDATION_ERROR")), "{error}");
}

#[test]
fn preferences_hold_for_new_runs_or_for_one() {
    let rig = Rig::new();
    let run = rig.tour();
    assert_eq!(rig.tells(&["prefs", "get"])["preferences"]["autonomy"], "guided");
    let set = rig.tells(&["prefs", "set", "--autonomy", "full_auto_never_stop"]);
    assert!(set["writtenTo"].as_str().unwrap().ends_with(".config/piton/config.toml"), "{set}");
    let general = rig.tells(&["prefs", "get"]);
    assert_eq!(general["preferences"]["autonomy"], "full_auto_never_stop");
    let of_run =
        |rig: &Rig| rig.tells(&["prefs", "get", "--run", &run.label])["preferences"].clone();
    assert_eq!(of_run(&rig)["autonomy"], "guided");
    rig.tells(&["prefs", "set", "--run", &run.label, "--risk-policy", "balanced"]);
    assert_eq!(of_run(&rig)["riskPolicy"], "balanced");

    for wrong in [&["prefs", "set"][..], &["prefs", "set", "--autonomy", "bold"]] {
        let output = rig.run(wrong);
        assert_eq!(output.status.code(), Some(2));
        assert!(!output.stderr.is_empty());
    }
}
