//! Several runs in one conversation, and finding the one to resume.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::{agent::Agent, rig::Rig};

const TWO_STEPS: &str = r#"{
  "id": "project.two",
  "name": "Two",
  "description": "For tests.",
  "steps": [
    { "id": "one", "title": "Look", "prompt": "Look at it." },
    { "id": "two", "title": "Write", "prompt": "Write it down." }
  ]
}"#;

fn rig() -> Rig {
    let rig = Rig::new();
    rig.write(".piton/workflows/two.json", TWO_STEPS);
    rig.write(".git/HEAD", "ref: refs/heads/main\n");
    rig
}

fn start(agent: &mut Agent, goal: &str) -> Value {
    agent.call("start_workflow", &json!({ "workflowId": "project.two", "goal": goal }))
}

/// The next call of a reply with its output.
fn call_of(reply: &Value) -> Value {
    let mut call = reply["nextCall"]["params"].clone();
    call["output"] = json!({ "notesMarkdown": "Done." });
    call
}

fn submit(agent: &mut Agent, reply: &Value) -> Value {
    agent.call("continue_workflow", &call_of(reply))
}

fn labels(found: &Value) -> Vec<String> {
    let candidates = found["candidates"].as_array().unwrap();
    candidates.iter().map(|it| it["label"].as_str().unwrap().to_owned()).collect()
}

fn label(reply: &Value) -> String {
    reply["run"]["label"].as_str().unwrap().to_owned()
}

/// The runs with these labels, those that were active last first.
fn newest_first(rig: &Rig, labels: &[String]) -> Vec<String> {
    let listed = rig.tells(&["session", "list"])["runs"].clone();
    let mut runs: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|run| {
            let text = |name: &str| run[name].as_str().unwrap().to_owned();
            (Reverse(run["activeAt"].as_u64().unwrap()), text("sessionId"), text("label"))
        })
        .filter(|(_, _, label)| labels.contains(label))
        .collect();
    runs.sort();
    runs.into_iter().map(|(_, _, label)| label).collect()
}

/// How many events the session of a reply has.
fn events(rig: &Rig, reply: &Value) -> usize {
    let session = reply["run"]["sessionId"].as_str().unwrap();
    let events = rig.data().join("sessions").join(session).join("events");
    std::fs::read_dir(events).unwrap().count()
}

// shows in part: WR-454, WR-455
#[test]
fn the_open_runs_that_were_active_last_are_offered_however_long_the_others_are() {
    let rig = rig();
    let mut agent = Agent::start(&rig);
    let mut finished = Vec::new();
    for number in 0..6 {
        let first = start(&mut agent, &format!("finished {number}"));
        let second = submit(&mut agent, &first);
        let done = submit(&mut agent, &second);
        assert_eq!(done["isComplete"], true, "{done}");
        finished.push(label(&first));
    }
    let mut open = Vec::new();
    for number in 0..6 {
        let first = start(&mut agent, &format!("half {number}"));
        submit(&mut agent, &first);
        open.push(label(&first));
    }
    open.push(label(&start(&mut agent, "only just begun")));
    let by_goal = open.clone();
    // Runs may begin in the same millisecond, so the order is that of the recorded times.
    let open = newest_first(&rig, &open);
    // In this process, and in one that has seen none of it.
    for agent in [&mut agent, &mut Agent::start(&rig)] {
        let found = agent.call("resume_session", &json!({}));
        assert_eq!(labels(&found), open[..5], "{found}");
        let found = agent.call("resume_session", &json!({ "query": "half 3" }));
        assert_eq!(labels(&found)[0], by_goal[3], "{found}");
        let found = agent.call("resume_session", &json!({ "query": by_goal[0].replace('-', " ") }));
        assert_eq!(labels(&found)[0], by_goal[0], "{found}");
        let query = json!({ "query": "finished 2", "includeCompleted": true });
        let found = agent.call("resume_session", &query);
        assert_eq!(labels(&found)[0], finished[2], "{found}");
        let found = agent.call("resume_session", &json!({ "query": "finished 2" }));
        assert!(!labels(&found).contains(&finished[2]), "{found}");
        assert_eq!(found["completedLeftOut"], 1, "{found}");
    }
}

// shows: WR-563
#[test]
fn a_label_that_does_not_fit_its_token_is_refused_with_the_calls_for_both_runs() {
    let rig = rig();
    let mut agent = Agent::start(&rig);
    let (one, other) = (start(&mut agent, "one"), start(&mut agent, "other"));
    let before = (events(&rig, &one), events(&rig, &other));
    let mut crossed = call_of(&one);
    crossed["label"] = json!(label(&other));
    let (refused, is_error) = agent.call_text("continue_workflow", &crossed);
    assert!(is_error && refused.starts_with("TOKEN_SCOPE_MISMATCH"), "{refused}");
    let bookmark = json!({ "checkpointToken": one["checkpointToken"], "label": label(&other) });
    let (unmade, is_error) = agent.call_text("checkpoint_workflow", &bookmark);
    assert!(is_error && unmade.starts_with("TOKEN_SCOPE_MISMATCH"), "{unmade}");
    for run in [&one, &other] {
        for (text, kind) in [(&refused, "nextCall"), (&unmade, "checkpointCall")] {
            let params = run[kind]["params"].as_object().unwrap();
            let token = params.iter().find(|(name, _)| name.ends_with("Token")).unwrap().1;
            let line = format!("Next for {}: ", label(run));
            let line =
                text.lines().find(|it| it.starts_with(&line)).unwrap_or_else(|| panic!("{text}"));
            assert!(line.contains(token.as_str().unwrap()) && line.contains(&label(run)), "{line}");
        }
    }
    assert_eq!(before, (events(&rig, &one), events(&rig, &other)), "nothing was written");
    assert_eq!(submit(&mut agent, &one)["run"]["step"], 2);

    // A label that no run has.
    let mut unknown = call_of(&other);
    unknown["label"] = json!("no such run");
    let (refused, _) = agent.call_text("continue_workflow", &unknown);
    assert!(refused.contains("No open run has the label no such run"), "{refused}");
    // However its words are written, and whoever asks for a label in a process that remembers nothing.
    let mut loose = call_of(&other);
    loose["label"] = json!(label(&other).replace('-', " ").to_uppercase());
    assert_eq!(Agent::start(&rig).call("continue_workflow", &loose)["run"]["step"], 2);
}

// shows: WR-563
#[test]
fn a_label_is_required_while_several_runs_are_open_and_a_replay_needs_none() {
    let rig = rig();
    let mut agent = Agent::start(&rig);
    let one = start(&mut agent, "one");
    let mut bare = call_of(&one);
    bare.as_object_mut().unwrap().remove("label");
    let second = agent.call("continue_workflow", &bare);
    assert_eq!(second["run"]["step"], 2, "one run needs no label: {second}");

    let other = start(&mut agent, "other");
    assert_eq!(agent.call("continue_workflow", &bare), second, "what is on record is told again");
    let mut unlabelled = call_of(&second);
    unlabelled.as_object_mut().unwrap().remove("label");
    let before = events(&rig, &one);
    let (refused, is_error) = agent.call_text("continue_workflow", &unlabelled);
    assert!(is_error && refused.starts_with("TOKEN_LABEL_REQUIRED"), "{refused}");
    for run in [&second, &other] {
        let token = run["nextCall"]["params"]["ackToken"].as_str().unwrap();
        assert!(refused.contains(token) && refused.contains(&label(run)), "{refused}");
    }
    let bookmark = json!({ "checkpointToken": other["checkpointToken"] });
    let (unmade, _) = agent.call_text("checkpoint_workflow", &bookmark);
    assert!(unmade.starts_with("TOKEN_LABEL_REQUIRED"), "{unmade}");
    assert_eq!(events(&rig, &one), before, "nothing was written");
    // To ask where a run stands writes nothing, and names the run.
    let state = json!({ "stateToken": other["stateToken"] });
    assert_eq!(label(&agent.call("continue_workflow", &state)), label(&other));

    // Once one of them is done, the other is the only one.
    assert_eq!(submit(&mut agent, &second)["isComplete"], true);
    let mut bare = call_of(&other);
    bare.as_object_mut().unwrap().remove("label");
    assert_eq!(agent.call("continue_workflow", &bare)["run"]["step"], 2);
}
