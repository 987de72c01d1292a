//! What agents submit and what people decide is there to be read again: by the agent, by the next one, and by people.

use serde_json::{Value, json};

use crate::{
    agent::Agent,
    rig::{Rig, text},
};

/// A workflow that asks a person, wants a verdict, and uses both.
const REVIEW: &str = r#"{
  "id": "project.review",
  "name": "Review",
  "description": "Reviews a change and fixes it.",
  "steps": [
    {
      "id": "ask",
      "title": "Ask when",
      "prompt": "Ask the person when.",
      "needsUser": { "reason": "needs_user_approval", "question": "May it start?" }
    },
    {
      "id": "verdict",
      "title": "Give a verdict",
      "prompt": "Review the change.",
      "outputContract": { "contractRef": "wr.contracts.review_verdict" }
    },
    { "id": "fix", "title": "Fix", "prompt": "Fix every finding of the verdict." },
    { "id": "tell", "title": "Tell", "prompt": "Tell them." }
  ]
}"#;

const PLAIN: &str = r#"{
  "id": "project.plain",
  "name": "Plain",
  "description": "Three plain steps.",
  "steps": [
    { "id": "one", "title": "One", "prompt": "Do one." },
    { "id": "two", "title": "Two", "prompt": "Do two." },
    { "id": "three", "title": "Three", "prompt": "Do three." }
  ]
}"#;

fn verdict() -> Value {
    json!({
        "kind": "wr.review_verdict",
        "verdict": "blocking",
        "confidence": "high",
        "findings": [{ "severity": "major", "summary": "the lock is never released" }],
        "summary": "One finding.",
    })
}

fn rig() -> Rig {
    let rig = Rig::new();
    rig.write(".piton/workflows/review.json", REVIEW);
    rig.write(".piton/workflows/plain.json", PLAIN);
    rig
}

/// A run at its first step, with an agent that reads text and structure.
fn begun(rig: &Rig, workflow: &str) -> (Agent, Value, String) {
    let mut agent = Agent::start(rig);
    let first = agent.call("start_workflow", &json!({ "workflowId": workflow, "goal": "a goal" }));
    let label = first["run"]["label"].as_str().unwrap_or_else(|| panic!("{first}")).to_owned();
    (agent, first, label)
}

fn submit(reply: &Value, output: &Value) -> Value {
    json!({ "ackToken": reply["nextCall"]["params"]["ackToken"], "output": output })
}

fn notes(text: &str) -> Value {
    json!({ "notesMarkdown": text })
}

/// Where a run stands, as an agent reads it that knows nothing else.
fn rehydrated(agent: &mut Agent, reply: &Value) -> String {
    let call = json!({ "stateToken": reply["stateToken"] });
    let (text, failed) = agent.call_text("continue_workflow", &call);
    assert!(!failed, "{text}");
    text
}

#[test]
fn what_a_person_decided_reaches_the_agent_with_its_next_call_and_ever_after() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.review");
    let blocked = agent.call("continue_workflow", &submit(&first, &notes("I asked.")));
    assert_eq!(blocked["kind"], "blocked", "{blocked}");
    rig.says(&["reject", &label, "not before Monday"]);

    let again = submit(&blocked, &notes("I ask again."));
    let (text, _) = agent.call_text("continue_workflow", &again);
    assert!(text.contains("- Ask when: refused: not before Monday"), "{text}");
    assert_eq!(agent.call_text("continue_workflow", &again).0, text, "a repetition repeats");
    assert!(rehydrated(&mut agent, &first).contains("refused: not before Monday"));

    let refused = agent.call("continue_workflow", &again);
    rig.says(&["answer", &label, "Monday is here, start with the lock"]);
    let go_on = submit(&refused, &notes("They agreed."));
    let (text, _) = agent.call_text("continue_workflow", &go_on);
    assert!(text.contains("Give a verdict"), "{text}");
    assert!(text.contains("- Ask when: answered: Monday is here, start with the lock"), "{text}");

    // Two steps on, and in another process: the next agent reads both, the newest last.
    let verdict_step = agent.call("continue_workflow", &go_on);
    let output = json!({ "notesMarkdown": "Reviewed.", "artifacts": [verdict()] });
    let fix = agent.call("continue_workflow", &submit(&verdict_step, &output));
    assert_eq!(fix["pending"]["stepId"], "fix", "{fix}");
    agent.leave();
    let mut other = Agent::start(&rig);
    let text = rehydrated(&mut other, &fix);
    let (no, yes) = (text.find("refused: not before"), text.find("answered: Monday is here"));
    assert!(no.is_some() && no < yes, "{text}");
    other.leave();
}

/// A run of `project.review` with two branches, on each of which a person decided, and the node where the first ended.
fn two_branches(rig: &Rig) -> (String, String) {
    let (mut agent, first, label) = begun(rig, "project.review");
    let blocked = agent.call("continue_workflow", &submit(&first, &notes("I asked.")));
    rig.says(&["answer", &label, "after lunch"]);
    let verdict_step = agent.call("continue_workflow", &submit(&blocked, &notes("They agreed.")));
    let output = json!({ "notesMarkdown": "Reviewed.", "artifacts": [verdict()] });
    agent.call("continue_workflow", &submit(&verdict_step, &output));
    let tree = rig.tells(&["session", "tree", &label]);
    let tip = tree["nodes"].as_array().unwrap().iter().find(|node| node["isTip"] == true).unwrap();
    let tip = tip["nodeId"].as_str().unwrap().to_owned();
    let forked = rig.tells(&["fork", &label, "--at", "verdict"]);
    let taken = agent.call("continue_workflow", &forked["nextCall"]["params"]);
    agent.call("continue_workflow", &submit(&taken, &output));
    agent.leave();
    (label, tip)
}

#[test]
fn what_a_person_decided_is_in_what_explains_and_compares_a_run() {
    let rig = rig();
    let (label, tip) = two_branches(&rig);
    let place = format!("{label}@{tip}");
    let blame = rig.tells(&["blame", "run", &place]);
    assert_eq!(blame["chain"][0]["decisions"][0]["text"], "after lunch", "{blame}");
    assert!(rig.says(&["blame", "run", &place]).contains("a person answered: after lunch"));
    let recap = rig.tells(&["blame", "recap", &place]);
    let line = recap["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["text"].as_str().unwrap() == "- Ask when: answered: after lunch");
    let line = line.unwrap_or_else(|| panic!("{recap}"));
    assert_eq!(line["from"]["event"], blame["chain"][0]["decisions"][0]["event"], "{recap}");
    assert!(rig.says(&["blame", "recap", &place]).contains("after lunch"));

    // Compared with the step before it was asked, the first side has the decision and the other one does not.
    let begin = format!("{label}@ask");
    let compared = rig.tells(&["diff", &place, &begin]);
    assert_eq!(compared["ancestor"]["step"]["decisions"][0]["text"], "after lunch", "{compared}");
    let said = rig.says(&["diff", &place, &begin]);
    assert_eq!(said.matches("a person answered: after lunch").count(), 1, "{said}");
}

#[test]
fn a_branch_that_the_run_does_not_follow_is_shown_by_its_node() {
    let rig = Rig::new();
    let asks = r#"{
      "id": "project.drop", "name": "Drop", "description": "Drops a table.",
      "steps": [
        { "id": "look", "title": "Look", "prompt": "Look." },
        { "id": "drop", "title": "Drop", "prompt": "Drop it.",
          "needsUser": { "reason": "needs_user_approval", "question": "Drop it?" } }
      ]
    }"#;
    rig.write(".piton/workflows/drop.json", asks);
    let (mut agent, first, label) = begun(&rig, "project.drop");
    let second = agent.call("continue_workflow", &submit(&first, &notes("Looked.")));
    agent.call("continue_workflow", &submit(&second, &notes("Dropped.")));
    rig.says(&["reject", &label, "not on a Friday"]);
    let tree = rig.tells(&["session", "tree", &label]);
    let tip = tree["nodes"].as_array().unwrap().iter().find(|node| node["isTip"] == true).unwrap();
    let tip = tip["nodeId"].as_str().unwrap().to_owned();
    let forked = rig.tells(&["fork", &label, "--at", "look"]);
    let taken = agent.call("continue_workflow", &forked["nextCall"]["params"]);
    agent.call("continue_workflow", &submit(&taken, &notes("Looked again.")));
    agent.leave();

    assert!(!rig.says(&["session", "show", &label]).contains("not on a Friday"));
    let place = format!("{label}@{}", &tip[tip.len() - 8..]);
    let said = rig.says(&["session", "show", &place]);
    assert!(said.contains("refused: not on a Friday") && said.contains("Looked."), "{said}");
    assert!(!said.contains("Looked again."), "{said}");
    let shown = rig.tells(&["session", "show", &place]);
    assert_eq!(shown["runs"][0]["steps"][1]["decisions"][0]["text"], "not on a Friday", "{shown}");
    let (code, error) = rig.fails(&["session", "show", &format!("{label}@nowhere")]);
    assert_eq!((code, error["code"].as_str()), (1, Some("SESSION_NOT_FOUND")), "{error}");
    let compared = rig.tells(&["diff", &place, &label]);
    let decisions = &compared["left"]["steps"][1]["decisions"];
    assert_eq!(decisions[0]["text"], "not on a Friday", "{compared}");
    assert!(rig.says(&["diff", &place, &label]).contains("a person refused: not on a Friday"));
}

/// Whatever was submitted can be named and read by the next agent, be it old or large.
#[test]
fn an_agent_that_continues_a_run_reaches_older_artifacts_and_reads_what_large_ones_are() {
    let rig = rig();
    let (mut agent, first, _) = begun(&rig, "project.plain");
    let artifacts: Vec<_> =
        (0..20).map(|number| json!({ "kind": "a.part", "number": number })).collect();
    let output = json!({ "notesMarkdown": "One.", "artifacts": artifacts });
    let two = agent.call("continue_workflow", &submit(&first, &output));
    let large = json!({ "kind": "a.large", "text": "x".repeat(300 << 10) });
    let output = json!({ "notesMarkdown": "Two.", "artifacts": [large] });
    let three = agent.call("continue_workflow", &submit(&two, &output));
    let told = rehydrated(&mut agent, &three);
    assert!(told.contains("\n- a.large of Two: "), "{told}");
    let older: Vec<&str> = told.lines().filter(|line| line.starts_with("  sha256:")).collect();
    assert_eq!(told.matches("\n- a.part of One: ").count() + older.len(), 20, "{told}");
    let read = agent.call("get_artifact", &json!({ "digest": older[0].trim() }));
    assert_eq!(read["kind"], "a.part", "{read}");
    agent.leave();
}

/// The next action of a reply fits what the reply says.
#[test]
fn a_step_that_waits_for_a_person_or_was_refused_is_not_to_be_performed() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.review");
    assert_eq!(first["nextIntent"], "perform_pending_then_continue", "{first}");
    let blocked = agent.call("continue_workflow", &submit(&first, &notes("I asked once.")));
    assert_eq!(blocked["nextIntent"], "await_user_confirmation", "{blocked}");
    let state = json!({ "stateToken": first["stateToken"] });
    let waiting = agent.call("continue_workflow", &state);
    assert_eq!(waiting["nextIntent"], "await_user_confirmation", "{waiting}");

    rig.says(&["reject", &label, "not before Monday"]);
    let refused = agent.call("continue_workflow", &state);
    assert_eq!(refused["nextIntent"], "await_user_confirmation", "{refused}");
    let told = rehydrated(&mut agent, &first);
    assert!(told.contains("### Ask when (a person refused this)\nI asked once."), "{told}");
    assert!(
        told.contains("\nOnly after the person allows it: ") && !told.contains("\nNext: "),
        "{told}"
    );

    rig.says(&["approve", &label]);
    let allowed = agent.call("continue_workflow", &state);
    assert_eq!(allowed["nextIntent"], "perform_pending_then_continue", "{allowed}");
    let told = rehydrated(&mut agent, &first);
    assert!(told.contains("### Ask when\nI asked once.") && told.contains("\nNext: "), "{told}");
    agent.leave();
}

#[test]
fn the_record_shows_the_decision_that_counts_and_those_before_it() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.review");
    agent.call("continue_workflow", &submit(&first, &notes("I asked.")));
    rig.says(&["reject", &label, "not before Monday"]);
    rig.says(&["approve", &label]);
    let shown = rig.tells(&["session", "show", &label]);
    let decisions = shown["runs"][0]["steps"][0]["decisions"].as_array().unwrap();
    let kinds: Vec<_> = decisions.iter().map(|one| one["decision"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["approved", "refused"], "{shown}");
    assert_eq!(decisions[1]["text"], "not before Monday");
    let said = rig.says(&["session", "show", &label]);
    let (now, before) = (said.find("a person approved"), said.find("before that refused"));
    assert!(now.is_some() && now < before, "{said}");
    assert_eq!(said.matches("May it start?").count(), 1, "a refusal is told once: {said}");
    agent.leave();
}

#[test]
fn what_a_step_produced_is_read_by_the_next_agent_and_by_people() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.review");
    rig.says(&["approve", &label]);
    let step = agent.call("continue_workflow", &submit(&first, &notes("They agreed.")));
    let divergence = json!({
        "kind": "wr.divergence", "reason": "efficiency_skip", "summary": "read only the lock",
    });
    let observed = json!({
        "kind": "wr.capability_observation", "capability": "web_browsing", "result": "failure",
        "failureCode": "tool_missing",
    });
    let large = json!({ "kind": "my.table", "rows": vec!["a row of the table"; 9_000] });
    let output = json!({ "artifacts": [verdict(), divergence, observed, large] });
    let fix = agent.call("continue_workflow", &submit(&step, &output));
    assert_eq!(fix["pending"]["stepId"], "fix", "{fix}");
    agent.leave();

    let mut other = Agent::start(&rig);
    let text = rehydrated(&mut other, &fix);
    for part in [
        "wr.review_verdict of Give a verdict: {",
        "the lock is never released",
        "efficiency_skip",
        "read only the lock",
        "web_browsing is unavailable",
        "my.table of Give a verdict: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.len() < 32 * 1024, "{}", text.len());

    // A large one is read by its digest, part by part.
    let digest = text.split("\"digest\": \"").nth(1).unwrap().split('"').next().unwrap();
    let mut whole = String::new();
    let mut call = json!({ "digest": digest });
    loop {
        let part = other.call("get_artifact", &call);
        whole.push_str(part["text"].as_str().unwrap_or_else(|| panic!("{part}")));
        let Some(next) = part.get("nextOffset") else { break };
        call = json!({ "digest": digest, "offset": next });
    }
    assert_eq!(serde_json::from_str::<Value>(&whole).unwrap(), large);
    for (digest, code) in [("nonsense", "VALIDATION_ERROR"), (MISSING, "STORE_NOT_FOUND")] {
        let refused = other.call("get_artifact", &json!({ "digest": digest }));
        assert_eq!(refused["code"], code, "{refused}");
    }
    other.leave();

    let shown = rig.tells(&["session", "show", &label]);
    let step = &shown["runs"][0]["steps"][1];
    let artifacts = step["artifacts"].as_array().unwrap();
    assert!(artifacts.iter().any(|one| one["content"] == verdict()), "{step}");
    let records = step["records"].to_string();
    assert!(records.contains("read only the lock") && records.contains("web_browsing"), "{step}");
    for command in [["session", "show"], ["blame", "run"]] {
        let said = rig.says(&[&command[..], &[label.as_str()]].concat());
        for part in ["wr.review_verdict", "never released", "read only the lock", "my.table"] {
            assert!(said.contains(part), "{command:?} {part}: {said}");
        }
    }
    assert_eq!(
        rig.tells(&["session", "artifact", &label, "wr.review_verdict"])["content"],
        verdict()
    );
    let ending = &digest[digest.len() - 8..];
    let said = rig.says(&["session", "artifact", &label, ending]);
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), large);
    let file = rig.project().join("table.json");
    rig.says(&["session", "artifact", &label, ending, "--output", file.to_str().unwrap()]);
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(written, large);
    let (code, error) = rig.fails(&["session", "artifact", &label, "no.such_kind"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("STORE_NOT_FOUND")), "{error}");
}

/// A digest under which there is nothing.
const MISSING: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// The file of the artifact with this digest.
fn blob_file(rig: &Rig, digest: &str) -> std::path::PathBuf {
    let hex = digest.trim_start_matches("sha256:");
    let mut waiting = vec![rig.data()];
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            let path = entry.to_string_lossy().replace('/', "");
            if entry.is_dir() {
                waiting.push(entry);
            } else if path.contains(hex) || path.ends_with(&hex[2..]) {
                return entry;
            }
        }
    }
    panic!("there is no file for {digest}");
}

#[test]
fn an_artifact_that_is_damaged_or_gone_is_told_as_that() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.plain");
    let output = json!({ "notesMarkdown": "One.", "artifacts": [{ "kind": "my.note", "a": 1 }] });
    let second = agent.call("continue_workflow", &submit(&first, &output));
    let shown = rig.tells(&["session", "show", &label]);
    let digest = &shown["runs"][0]["steps"][0]["artifacts"][0]["digest"];
    let file = blob_file(&rig, digest.as_str().unwrap());
    crate::rig::damage(&file);
    let refused = agent.call("get_artifact", &json!({ "digest": digest }));
    assert_eq!(refused["code"], "STORE_CORRUPT_BLOB", "{refused}");
    let text = rehydrated(&mut agent, &second);
    assert!(text.contains("of One: cannot be read"), "the rest is told: {text}");
    std::fs::remove_file(&file).unwrap();
    let name = digest.as_str().unwrap();
    let (code, error) = rig.fails(&["session", "artifact", &label, name]);
    assert_eq!((code, error["code"].as_str()), (5, Some("STORE_INVARIANT_VIOLATION")), "{error}");
    let said = rig.says(&["session", "show", &label]);
    assert!(said.contains("cannot be read"), "{said}");
    agent.leave();
}

#[test]
fn each_branch_is_told_by_what_was_submitted_on_it() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.plain");
    let with = |word: &str| json!({ "notesMarkdown": word, "artifacts": [{ "kind": "my.way", "way": word }] });
    let left = agent.call("continue_workflow", &submit(&first, &with("ORIGINAL")));
    let taken = agent.call("continue_workflow", &json!({ "stateToken": first["stateToken"] }));
    let right = agent.call("continue_workflow", &submit(&taken, &with("FORKED")));
    let tree = rig.tells(&["session", "tree", &label]);
    let nodes = tree["nodes"].as_array().unwrap();
    let node = |place: usize| format!("{label}@{}", nodes[place]["nodeId"].as_str().unwrap());
    for (reply, place, own, other) in
        [(&left, 1, "ORIGINAL", "FORKED"), (&right, 2, "FORKED", "ORIGINAL")]
    {
        let name = node(place);
        let mut told = vec![("rehydration", rehydrated(&mut agent, reply))];
        told.push(("blame run", rig.says(&["blame", "run", &name])));
        told.push(("blame recap", rig.says(&["blame", "recap", &name])));
        for (what, text) in told {
            assert!(text.contains(own) && !text.contains(other), "{what}: {text}");
        }
    }
    let diff = rig.says(&["diff", &node(1), &node(2)]);
    for part in ["- ORIGINAL", "+ FORKED", "notes of one", "my.way of one"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    agent.leave();
}

/// What an agent noted with a bookmark is there for whoever continues the run, however far it went since.
#[test]
fn what_a_bookmark_keeps_is_read_by_agents_at_every_later_step_of_its_branch() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.plain");
    let mark = |agent: &mut Agent, reply: &Value, word: &str| {
        let output = json!({
            "notesMarkdown": format!("{word}: the lock is held\nby the watcher"),
            "artifacts": [{ "kind": "my.draft", "word": word }],
        });
        let call = json!({ "checkpointToken": reply["checkpointToken"], "output": output });
        agent.call("checkpoint_workflow", &call)
    };
    mark(&mut agent, &first, "EARLY");
    let two = agent.call("continue_workflow", &submit(&first, &notes("left")));
    mark(&mut agent, &two, "LATE");
    let three = agent.call("continue_workflow", &submit(&two, &notes("and on")));
    agent.leave();

    let mut other = Agent::start(&rig);
    let told = rehydrated(&mut other, &three);
    let late = told.find("- Two: LATE: the lock is held\n  by the watcher\n");
    let early = told.find("- One: EARLY: the lock is held\n  by the watcher\n");
    assert!(late.is_some() && late < early, "{told}");
    assert!(told.contains("\"word\":\"EARLY\"") && told.contains("\"word\":\"LATE\""), "{told}");
    let (resumed, _) = other.call_text("resume_session", &json!({ "query": label }));
    let state = resumed.split("\"stateToken\": \"").nth(1).and_then(|rest| rest.split('"').next());
    let call = json!({ "stateToken": state.unwrap_or_else(|| panic!("{resumed}")) });
    assert_eq!(other.call_text("continue_workflow", &call).0, told, "{resumed}");
    let lines = rig.tells(&["blame", "recap", &label])["lines"].clone();
    let mut lines = lines.as_array().unwrap().iter();
    let line = lines.find(|line| line["text"].as_str().unwrap().starts_with("- Two: LATE"));
    assert!(line.unwrap()["from"]["outputId"].is_string(), "{line:?}");

    // Another branch has what was bookmarked where it begins, and nothing that came after it.
    let taken = other.call("continue_workflow", &json!({ "stateToken": first["stateToken"] }));
    let branch = other.call("continue_workflow", &submit(&taken, &notes("right")));
    let told = rehydrated(&mut other, &branch);
    assert!(told.contains("- One: EARLY") && !told.contains("LATE"), "{told}");
    other.leave();
}

#[test]
fn what_a_bookmark_keeps_is_shown_to_people_as_outputs_are() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.plain");
    let mark = |reply: &Value, word: &str| {
        json!({ "checkpointToken": reply["checkpointToken"], "output": {
            "notesMarkdown": format!("{word} notes"),
            "artifacts": [{ "kind": "my.draft", "word": word }] } })
    };
    let made = agent.call("checkpoint_workflow", &mark(&first, "EARLY"));
    assert!(made["nextCall"].is_object(), "{made}");
    let left = agent.call("continue_workflow", &submit(&first, &notes("left")));
    agent.call("checkpoint_workflow", &mark(&left, "LATE"));
    let taken = agent.call("continue_workflow", &json!({ "stateToken": first["stateToken"] }));
    agent.call("continue_workflow", &submit(&taken, &notes("right")));
    agent.leave();

    let tree = rig.tells(&["session", "tree", &label]);
    let nodes: Vec<&Value> = tree["nodes"].as_array().unwrap().iter().collect();
    let steps: Vec<_> = nodes.iter().filter(|node| node["kind"] == "step").collect();
    let node = |place: usize| format!("{label}@{}", steps[place]["nodeId"].as_str().unwrap());
    let marks: Vec<_> = nodes.iter().filter(|node| node["kind"] == "checkpoint").collect();
    let mark_ids: Vec<&Value> = marks.iter().map(|mark| &mark["nodeId"]).collect();

    // The run follows the branch on the right.
    let shown = rig.tells(&["session", "show", &label]);
    let kept = &shown["runs"][0]["steps"][0]["bookmarked"];
    assert_eq!(kept[0]["notes"], "EARLY notes", "{shown}");
    assert_eq!(&kept[0]["nodeId"], mark_ids[0], "{shown}");
    assert_eq!(kept[0]["artifacts"][0]["content"]["word"], "EARLY", "{shown}");
    let said = rig.says(&["session", "show", &label]);
    assert_eq!(said.matches("EARLY").count(), 2, "notes and artifact: {said}");

    let blame = rig.tells(&["blame", "run", &node(1)]);
    for (place, word) in ["EARLY", "LATE"].into_iter().enumerate() {
        let kept = &blame["chain"][place]["bookmarks"][0];
        assert_eq!(&kept["nodeId"], mark_ids[place], "{blame}");
        assert_eq!(kept["outputs"][0]["headline"], format!("{word} notes"), "{blame}");
        assert_eq!(kept["outputs"][1]["artifact"]["content"]["word"], word, "{blame}");
    }
    let said = rig.says(&["blame", "run", &node(1)]);
    for word in ["EARLY", "LATE"] {
        assert_eq!(said.matches(word).count(), 2, "{said}");
    }

    let tree = rig.says(&["session", "tree", &label]);
    assert!(tree.contains("1 bookmark: EARLY notes"), "{tree}");
    assert!(tree.contains("1 bookmark: LATE notes"), "{tree}");

    let diff = rig.says(&["diff", &node(1), &node(2)]);
    for part in ["- LATE notes", "bookmark of two", "bookmarked my.draft of two"] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    assert!(!diff.contains("- EARLY"), "both sides have it: {diff}");
}

#[test]
fn notes_that_are_cut_are_told_to_be_cut() {
    let rig = rig();
    let (mut agent, first, _) = begun(&rig, "project.plain");
    let long = notes(&format!("Begin. {}", "x".repeat(5_000)));
    agent.ask_tool("continue_workflow", &submit(&first, &long));
    let reply = agent.reply().unwrap().to_string();
    assert!(reply.contains("NOTES_CUT") && reply.contains("artifact"), "{reply}");
    agent.leave();
}

#[test]
fn what_is_no_artifact_is_refused_with_what_would_be_one() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.plain");
    for wrong in [json!("a text"), json!({ "nokind": 1 }), json!({ "kind": 7 }), json!([1])] {
        let output = json!({ "notesMarkdown": "One.", "artifacts": [{ "kind": "a.b" }, wrong] });
        let refused = agent.call("continue_workflow", &submit(&first, &output));
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("output.artifacts[1]"), "{refused}");
        assert!(refused["suggestion"].as_str().unwrap().contains("\"kind\""), "{refused}");
    }
    let shown = rig.tells(&["session", "show", &label]);
    assert_eq!(shown["runs"][0]["steps"].as_array().unwrap().len(), 1, "nothing was recorded");
    agent.leave();
}

#[test]
fn another_output_for_a_blocked_attempt_is_not_told_to_begin_a_branch() {
    let rig = rig();
    let (mut agent, first, _) = begun(&rig, "project.review");
    agent.call("continue_workflow", &submit(&first, &notes("I asked.")));
    agent.ask_tool("continue_workflow", &submit(&first, &notes("Something else.")));
    let reply = agent.reply().unwrap().to_string();
    assert!(reply.contains("OUTPUT_NOT_RECORDED"), "{reply}");
    assert!(reply.contains("the run still waits at the same step"), "{reply}");
    assert!(!reply.contains("another branch"), "{reply}");
    agent.leave();
}

#[test]
fn two_decisions_about_one_loop_that_contradict_each_other_are_sent_back() {
    let rig = Rig::new();
    rig.write(
        ".piton/workflows/turns.json",
        r#"{
          "id": "project.turns", "name": "Turns", "description": "A loop.", "version": "1.0.0",
          "steps": [
            { "id": "turn", "type": "loop", "title": "Turn",
              "loop": { "type": "while", "maxIterations": 3,
                "conditionSource": { "kind": "artifact_contract", "contractRef": "wr.contracts.loop_control", "loopId": "turn" } },
              "body": [
                { "id": "work", "title": "Work", "prompt": "Work." },
                { "id": "decide", "title": "Decide", "prompt": "Decide.",
                  "outputContract": { "contractRef": "wr.contracts.loop_control" } }
              ] },
            { "id": "end", "title": "End", "prompt": "End." }
          ]
        }"#,
    );
    let (mut agent, first, _) = begun(&rig, "project.turns");
    let decide = agent.call("continue_workflow", &submit(&first, &notes("Worked.")));
    let control = |decision: &str| json!({ "kind": "wr.loop_control", "loopId": "turn", "decision": decision });
    let both =
        json!({ "notesMarkdown": "Hm.", "artifacts": [control("stop"), control("continue")] });
    let blocked = agent.call("continue_workflow", &submit(&decide, &both));
    assert_eq!(blocked["kind"], "blocked", "{blocked}");
    let message = blocked["blockers"].to_string();
    let told = "about the loop `turn`: `artifacts[0]` says stop, `artifacts[1]` says continue. Submit exactly one";
    assert!(message.contains(told), "{message}");
    let same = json!({ "notesMarkdown": "Done.", "artifacts": [control("stop"), control("stop")] });
    let next = agent.call("continue_workflow", &submit(&blocked, &same));
    assert_eq!(next["pending"]["stepId"], "end", "{next}");
    agent.leave();
}

#[test]
fn a_repeated_refusal_is_told_once_with_how_often() {
    let rig = rig();
    let (mut agent, first, label) = begun(&rig, "project.review");
    let mut reply = first;
    for _ in 0..3 {
        reply = agent.call("continue_workflow", &submit(&reply, &notes("I asked.")));
    }
    let output = rig.run(&["session", "show", &label]);
    let said = text(&output.stdout);
    assert_eq!(said.matches("May it start?").count(), 1, "{said}");
    assert!(said.contains("(3 times)"), "{said}");
    agent.leave();
}
