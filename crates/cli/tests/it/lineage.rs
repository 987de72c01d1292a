//! `piton blame`, `piton fork` and `piton diff`.

use crate::agent::Agent;
use crate::rig::{Rig, text};
use serde_json::json;

#[test]
fn a_run_is_forked_from_the_terminal_and_its_branches_are_compared() {
    let rig = Rig::new();
    let run = rig.tour();
    let tree = rig.tells(&["session", "tree", &run.label]);
    let first = tree["nodes"][0]["nodeId"].as_str().unwrap().to_owned();
    let forked = rig.tells(&["fork", &run.label, "--at", &first]);
    assert_eq!(
        (forked["nodeId"].as_str(), forked["wasLeft"].as_bool()),
        (Some(first.as_str()), Some(true))
    );
    assert_eq!(rig.tells(&["session", "tree", &run.label])["nodes"], tree["nodes"]);

    // An agent makes the call that it was told.
    let mut agent = Agent::start(&rig);
    let taken = agent.call("continue_workflow", &forked["nextCall"]["params"]);
    let output = json!({ "notesMarkdown": "Another way." });
    let call = json!({ "ackToken": taken["ackToken"], "output": output });
    agent.call("continue_workflow", &call);
    agent.leave();

    let left =
        tree["nodes"].as_array().unwrap().iter().rfind(|node| node["isTip"] == true).unwrap();
    let left = format!("{}@{}", run.label, left["nodeId"].as_str().unwrap());
    let right = format!("{}@{first}", run.label);
    let compared = rig.tells(&["diff", &left, &right]);
    assert_eq!(compared["ancestor"]["step"]["nodeId"], first.as_str());
    assert!(compared["left"]["steps"].as_array().unwrap().len() > 1);
    let blame = rig.tells(&["blame", "run", &left]);
    assert_eq!(blame["chain"][0]["nodeId"], first.as_str());
    let recap = rig.says(&["blame", "recap", &left]);
    assert!(recap.contains("composed by Piton") && recap.contains(" event "), "{recap}");
    assert!(
        rig.says(&["session", "tree", &run.label, "--ids"]).contains(&first[first.len() - 8..])
    );
}

#[test]
fn the_comparison_that_a_fork_prints_compares_the_two_branches() {
    let rig = Rig::new();
    let run = rig.tour();
    let said = rig.says(&["fork", &run.label, "--at", "notes"]);
    let command = said.lines().find_map(|line| line.split_once("later: piton ")).unwrap().1;
    let words: Vec<&str> = command.split(' ').collect();
    let place = format!("{}@notes", run.label);
    let notes = "Project: another\nSeen: 1 file\n.\n";
    let output = rig.type_in(&["workflow", "run", "--resume", &place], notes);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let compared = rig.tells(&words);
    let steps = |side: &str| compared[side]["steps"].as_array().unwrap().len();
    assert!(steps("left") > 1 && steps("right") > 1, "{compared}");
    assert_eq!(compared["outputs"][0]["step"], "notes");
    assert_ne!(compared["left"]["nodeId"], compared["right"]["nodeId"]);

    // Each branch is drawn with its own notes: the one that was left first, the one that the run follows last.
    let drawn = rig.says(&["session", "tree", &run.label]);
    let line = |words: &str| drawn.lines().position(|line| line.contains(words));
    let (old, new) = (line("Project: a login page").unwrap(), line("Project: another").unwrap());
    let left = line("(left)").unwrap();
    assert!(old < left && left < new, "{drawn}");
    assert!(drawn.lines().nth(old).unwrap().starts_with("├─"), "{drawn}");
    assert!(drawn.lines().nth(new).unwrap().starts_with("└─"), "{drawn}");

    // Where a run stands there is nothing to compare it with.
    let said = rig.says(&["fork", &run.label]);
    assert!(!said.contains("piton diff"), "{said}");
}

#[test]
fn a_person_walks_on_from_a_step_that_the_run_left() {
    let rig = Rig::new();
    let run = rig.tour();
    let place = format!("{}@notes", run.label);
    let output = rig.type_in(&["workflow", "run", "--resume", &place], "Project: x\nSeen: 1\n.\n");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tree = rig.tells(&["session", "tree", &run.label]);
    let tips = tree["nodes"].as_array().unwrap().iter().filter(|node| node["isTip"] == true);
    assert_eq!(tips.count(), 2, "{tree}");
    let unknown = format!("{}@nowhere", run.label);
    let (code, error) = rig.fails(&["workflow", "run", "--resume", &unknown]);
    assert_eq!((code, error["code"].as_str()), (1, Some("SESSION_NOT_FOUND")));
}

#[test]
fn a_node_that_is_not_there_is_told_with_what_to_do() {
    let rig = Rig::new();
    let run = rig.tour();
    let (code, error) = rig.fails(&["fork", &run.label, "--at", "nowhere"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("SESSION_NOT_FOUND")));
    assert!(error["suggestion"].as_str().unwrap().contains("session tree"), "{error}");
    assert_eq!(rig.run(&["diff", "@x", &run.label]).status.code(), Some(2));
    let end = format!("{}@", run.label);
    assert_eq!(rig.run(&["blame", "run", &end]).status.code(), Some(2));
}
