//! `piton approve`, `piton answer`, `piton reject` and `piton prefs`.

use serde_json::json;

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

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
    assert!(
        said.contains("A person approved.\nThe agent's next call continues the run."),
        "{said}"
    );
    let output =
        rig.type_in(&["workflow", "run", "--resume", &label, "--json"], "Merged: 0123abc\n.\n.\n");
    let walked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(walked["run"]["step"], 2, "{walked}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_no_is_recorded_with_its_reason_and_the_run_stays() {
    let (rig, label) = waiting();
    let said = rig.says(&["reject", &label, "not before the release"]);
    assert!(
        said.contains("A person refused: not before the release.\nThe run stays at this step"),
        "{said}"
    );
    let told = rig.tells(&["reject", &label, "not before the release"]);
    assert_eq!(told["isHeld"], true, "{told}");
    assert_eq!(told["schema"], "piton.settle/1");
    assert_eq!(told["summary"], "A person refused: not before the release");
    let output = rig.type_in(&["workflow", "run", "--resume", &label], "Merged: 0123abc\n.\n");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    // An answer is as good as a yes.
    rig.tells(&["answer", &label, "go ahead"]);
    let output = rig.type_in(&["workflow", "run", "--resume", &label], "Merged: 0123abc\n.\n.\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

/// A person who walks a run reads what was decided, before the step and when it is blocked again.
#[test]
fn what_was_decided_is_shown_to_the_person_who_walks_the_run() {
    let (rig, label) = waiting();
    let walk =
        |input: &str| text(&rig.type_in(&["workflow", "run", "--resume", &label], input).stdout);
    rig.says(&["reject", &label, "not before\nMonday"]);
    let said = walk("");
    assert!(said.contains("Merge the change: refused: not before\n    Monday"), "{said}");
    assert!(said.contains("refused this step"), "{said}");
    let said = walk("Merged: 0123abc\n.\n");
    assert_eq!(said.matches("refused: not before").count(), 2, "{said}");
    rig.says(&["answer", &label, "yes, with a backup"]);
    let said = walk("Merged: 0123abc\n.\n.\n");
    let (step, next) = said.split_once("step 2 of 2: Tell").expect("the run continues");
    for part in [step, next] {
        assert!(part.contains("Merge the change: answered: yes, with a backup"), "{said}");
    }
}

/// A step that wants confirmation does not wait for it, and no reply says that it does.
#[test]
fn a_no_to_a_step_that_does_not_wait_says_so_and_reaches_the_agent() {
    let rig = Rig::new();
    let steps = json!([
        { "id": "publish", "title": "Publish", "prompt": "Publish it.", "requireConfirmation": true },
        { "id": "report", "title": "Report", "prompt": "Report it." },
    ]);
    let file = json!({ "id": "project.publish", "name": "P", "description": "d", "steps": steps });
    rig.write(".piton/workflows/publish.json", &file.to_string());
    let mut agent = Agent::start(&rig);
    let start = json!({ "workflowId": "project.publish", "goal": "x" });
    let started = agent.call("start_workflow", &start);
    let label = rig.newest().label;
    let said = rig.says(&["reject", &label, "not before Monday"]);
    assert!(said.contains("does not wait for it: the agent may continue"), "{said}");
    assert!(!said.contains("stays at this step"), "{said}");
    // Whoever reads the step again reads the no in place of the question.
    let state = json!({ "stateToken": started["stateToken"] });
    let (read, _) = agent.call_text("continue_workflow", &state);
    assert!(read.contains("Publish: refused: not before Monday"), "{read}");
    assert!(
        read.contains("The person refused this step") && !read.contains("Ask the person before"),
        "{read}"
    );
    // Whoever had read it before continues, and reads the no then.
    let ack = &started["nextCall"]["params"]["ackToken"];
    let output = json!({ "ackToken": ack, "output": { "notesMarkdown": "Published." } });
    let (read, is_error) = agent.call_text("continue_workflow", &output);
    assert!(!is_error && read.contains("step 2 of 2: Report"), "{read}");
    assert!(read.contains("Publish: refused: not before Monday"), "{read}");
    assert!(read.contains("The run continued from a step that the person refused."), "{read}");
    agent.leave();
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

#[test]
fn a_decision_is_recorded_with_the_name_of_the_person() {
    let (rig, label) = waiting();
    let told = rig.tells(&["reject", &label, "not yet", "--as", "Anna"]);
    assert_eq!(told["summary"], "A person (Anna) refused: not yet");
    // Without a name, it is that of the user.
    let mut command = rig.command(&["approve", &label]);
    let output = command.env("USER", "bert").output().unwrap();
    assert!(text(&output.stdout).contains("A person (bert) approved."), "{output:?}");
    let shown = rig.says(&["session", "show", &label]);
    assert!(shown.contains("bert approved, just now"), "{shown}");
    let output = rig.run(&["approve", &label, "--as", "a (b)"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}
