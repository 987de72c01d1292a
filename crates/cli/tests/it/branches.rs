//! `piton fork` and `piton diff` of backpacks, flows, overlays and trees, and of what the steps of runs wrote.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::backpacks::{run, site};
use crate::page::repository;
use crate::rig::Rig;

const PROJECT: &str = r#"
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "src"

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"

[context]
agent = "scribe"

[[context.agents]]
name = "scribe"
role = "writer"
"#;

fn project() -> Rig {
    let rig = Rig::new();
    rig.write("piton.toml", PROJECT);
    rig.write("src/retry.rs", "fn retry() {\n    once();\n}\n");
    rig.write("src/notes.md", "note\n");
    rig
}

fn names<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|one| one[name].as_str().unwrap()).collect()
}

/// Holds a document against the schema that is published for it.
fn fits(schema: &str, document: &Value) {
    let file = repository().join(format!("docs/generated/schema/{schema}.json"));
    let schema: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let problems: Vec<String> =
        validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?} in {document}");
}

#[test]
fn the_run_of_a_flow_is_forked_at_a_node_and_its_replay_compared_with_it() {
    let rig = site();
    run(&rig);
    let before = rig.tells(&["backpack", "list"])["backpacks"].clone();
    let forked = rig.tells(&["fork", "prices", "--at", "find", "--into", "again"]);
    assert_eq!(forked["kind"], "flow");
    fits("fork", &forked);
    let command = forked["command"].as_str().unwrap();
    assert_eq!(command, "piton flow replay prices --from find --into again --models FILE");
    assert_eq!(rig.tells(&["backpack", "list"])["backpacks"], before, "nothing was written");
    let command = command.replace("FILE", "models.json");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    rig.says(&[&words[..], &["--set", "query=2027"]].concat());
    let compared = rig.tells(&["diff", "prices", "again"]);
    assert_eq!(compared["schema"], "piton.diff/1");
    fits("diff", &compared);
    let ancestor = compared["ancestor"]["name"].as_str().unwrap();
    assert_eq!(ancestor, format!("prices@{}", forked["commit"].as_str().unwrap()));
    assert_eq!(names(&compared["left"]["written"]["keys"], "key"), ["answer", "found"]);
    assert_eq!(names(&compared["right"]["written"]["keys"], "key"), ["answer", "found", "query"]);
    assert!(names(&compared["right"]["commits"], "by").contains(&"sum-up"), "{compared}");
    // A run of a flow has a name, too.
    let id = before[0]["run"]["runId"].as_str().unwrap();
    let by_run = rig.tells(&["diff", id, "again"]);
    assert_eq!(by_run["left"]["name"], compared["left"]["name"]);
    let said = rig.says(&["diff", "prices", "again"]);
    assert!(said.starts_with(&format!("Both come from {ancestor}.")), "{said}");
    assert!(said.contains("+ prices rise") && said.contains("+ prices fall"), "{said}");
}

#[test]
fn a_backpack_is_forked_at_a_commit_and_what_is_protected_stays_hidden() {
    let rig = Rig::new();
    let pack = |name: &str, key: &str, value: &str, tags: &[&str]| {
        let mut agent = Agent::start_as(&rig, &["--backpack", name]);
        let packed = agent.call("pack", &json!({ "key": key, "value": value, "tags": tags }));
        assert_eq!(packed["backpack"], name, "{packed}");
        agent.leave();
    };
    pack("first", "plan", "one", &[]);
    pack("first", "phone", "555-canary", &["pii"]);
    let forked = rig.tells(&["fork", "first@c0", "--into", "second"]);
    assert_eq!((&forked["kind"], &forked["keys"]), (&json!("backpack"), &json!(1)));
    pack("second", "plan", "two", &[]);
    let compared = rig.tells(&["diff", "first", "second"]);
    assert_eq!(compared["ancestor"]["name"], "first@c0");
    assert_eq!(names(&compared["left"]["written"]["keys"], "key"), ["phone"]);
    assert_eq!(names(&compared["right"]["written"]["keys"], "key"), ["plan"]);
    let said = rig.says(&["diff", "first", "second"]);
    assert!(said.contains("phone in first") && !said.contains("canary"), "{said}");
    assert!(!compared.to_string().contains("canary"), "{compared}");
    // A commit is named by its id alone as well.
    let commits = rig.tells(&["backpack", "log", "first"])["commits"].clone();
    let id = commits[0]["commit"].as_str().unwrap();
    assert_eq!(rig.tells(&["diff", id, "second"])["left"]["name"], "first@c1");
    let (code, error) = rig.fails(&["fork", "first", "--into", "second"]);
    assert_eq!(code, 1, "{error}");
    let (_, error) = rig.fails(&["diff", "first", "/scratch"]);
    assert!(error["message"].as_str().unwrap().contains("is an overlay"), "{error}");
}

/// Makes every file below a directory old enough to be collected.
fn age(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            age(&entry);
        } else {
            let file = fs::File::options().write(true).open(entry).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_hours(2)).unwrap();
        }
    }
}

#[test]
fn an_overlay_is_forked_and_both_go_their_own_ways() {
    let rig = project();
    let large = "x\n".repeat(5_000);
    let mut agent = Agent::start(&rig);
    let edit = json!({ "path": "/scratch/retry.rs", "old_string": "once", "new_string": "twice" });
    agent.call_text("edit", &edit);
    agent.call_text("delete", &json!({ "path": "/scratch/notes.md" }));
    agent.call_text("write", &json!({ "path": "/scratch/deep/large.txt", "content": large }));
    agent.leave();
    let forked = rig.tells(&["fork", "/scratch", "--into", "/draft"]);
    assert_eq!((&forked["kind"], &forked["over"]), (&json!("overlay"), &json!("/project")));
    let typed = ["--workspace", "/draft=over/project:rw"];
    let mut agent = Agent::start_as(&rig, &typed);
    let (read, _) = agent.call_text("read", &json!({ "path": "/draft/deep/large.txt" }));
    assert!(read.contains('x'), "{read}");
    let again = json!({ "path": "/draft/retry.rs", "old_string": "twice", "new_string": "thrice" });
    let (text, is_error) = agent.call_text("edit", &again);
    assert!(!is_error, "{text}");
    agent.call_text("delete", &json!({ "path": "/scratch/deep", "recursive": true }));
    agent.leave();
    let compared = rig.tells(&[&["diff", "/scratch", "/draft"], &typed[..]].concat());
    assert_eq!(compared["ancestor"]["name"], "/project");
    let files = |side: &str| compared[side]["written"]["files"].clone();
    assert_eq!(names(&files("left"), "path"), ["notes.md", "retry.rs"]);
    assert_eq!(names(&files("right"), "path"), ["deep/large.txt", "notes.md", "retry.rs"]);
    let said = rig.says(&[&["diff", "/scratch", "/draft"], &typed[..]].concat());
    assert!(said.contains("+     twice();") && said.contains("+     thrice();"), "{said}");
    // The fork keeps what it shares, whatever becomes of the other.
    rig.tells(&["workspace", "drop", "/scratch", "--yes"]);
    age(&rig.data().join("blobs"));
    rig.tells(&["session", "gc"]);
    let mut agent = Agent::start_as(&rig, &typed);
    let (_, is_error) = agent.call_text("read", &json!({ "path": "/draft/deep/large.txt" }));
    assert!(!is_error);
    agent.leave();
    let refused = [&["fork", "/scratch", "--into", "/draft"], &typed[..]].concat();
    let (_, error) = rig.fails(&refused);
    assert!(error["message"].as_str().unwrap().contains("changes of its own"), "{error}");
    let (_, error) = rig.fails(&["fork", "/scratch"]);
    assert!(error["suggestion"].as_str().unwrap().contains("--into"), "{error}");
}

#[test]
fn two_recorded_trees_are_compared_whichever_is_named_first() {
    let rig = project();
    rig.says(&["context", "scan"]);
    rig.write("src/new.rs", "new\n");
    fs::remove_file(rig.project().join("src/notes.md")).unwrap();
    rig.says(&["context", "scan"]);
    let compared = rig.tells(&["diff", "@-1", "@"]);
    assert_eq!(compared["ancestor"]["name"], compared["left"]["name"]);
    let paths = names(&compared["right"]["written"]["files"], "path");
    assert!(paths.contains(&"src/new.rs") && paths.contains(&"src/notes.md"), "{compared}");
    assert!(names(&compared["left"]["written"]["files"], "path").is_empty());
    let back = rig.tells(&["diff", "@", "@-1"]);
    assert_eq!(back["left"]["written"], compared["right"]["written"]);
    let (_, error) = rig.fails(&["diff", "@", "@-9"]);
    assert_eq!(error["code"], "CONTEXT_ROOT_NOT_FOUND");
    let (_, error) = rig.fails(&["fork", "@"]);
    assert_eq!(error["code"], "VALIDATION_ERROR");
}

#[test]
fn the_frames_about_what_differs_between_two_trees_are_told() {
    let rig = project();
    rig.says(&["context", "scan"]);
    let put = |path: &str, text: &str| {
        rig.says(&["context", "put-frame", path, "--type", "review", "--text", text]);
    };
    put("src/retry.rs", "Tries once.\nIs short.");
    put("src/notes.md", "A note.");
    put("piton.toml", "Stays as it is.");
    rig.write("src/retry.rs", "fn retry() {\n    twice();\n}\n");
    rig.write("src/new.rs", "new\n");
    fs::remove_file(rig.project().join("src/notes.md")).unwrap();
    rig.says(&["context", "scan"]);
    put("src/retry.rs", "Tries once more.\nIs short.");
    put("src/retry.rs", "Tries twice.\nIs short.");
    put("src/new.rs", "New.");
    let compared = rig.tells(&["diff", "@-1", "@"]);
    let frames = &compared["right"]["written"]["frames"];
    let paths = ["src/new.rs", "src/notes.md", "src/retry.rs"];
    assert_eq!(names(frames, "path"), paths, "{compared}");
    fits("diff", &compared);
    assert_eq!(names(frames, "kind"), ["added", "deleted", "modified"]);
    let files = &compared["right"]["written"]["files"];
    assert_eq!(names(files, "path"), paths);
    let (before, after) = (files[2]["before"].as_str(), files[2]["after"].as_str());
    assert!(before.is_some() && after.is_some() && before != after, "{compared}");
    let diff = names(&frames[2]["diff"], "text");
    assert_eq!(diff, ["Tries once.", "Tries twice.", "Is short."]);
    assert!(compared["left"]["written"]["frames"].is_null());
    let said = rig.says(&["diff", "@-1", "@"]);
    assert!(said.contains("~ frame review on src/retry.rs  by person"), "{said}");
    assert!(said.contains("      + Tries twice."), "{said}");
}

/// A run of three steps that comes to its second step twice, and writes a file, a key and a frame in each branch.
fn branched(rig: &Rig) -> (String, Vec<String>) {
    let step = |id: &str| json!({ "id": id, "title": id, "prompt": format!("Do {id}.") });
    let steps = [step("first"), step("second"), step("third")];
    let workflow =
        json!({ "id": "mine.three", "name": "Three", "description": "d", "steps": steps });
    rig.write(".piton/workflows/three.json", &workflow.to_string());
    rig.says(&["context", "scan"]);
    let mut agent = Agent::start_as(rig, &["--backpack", "shared"]);
    let notes =
        |token: &Value| json!({ "ackToken": token, "output": { "notesMarkdown": "Done." } });
    let started = agent.call("start_workflow", &json!({ "workflowId": "mine.three" }));
    let run = started["run"]["runId"].as_str().unwrap().to_owned();
    let mut tokens = Vec::new();
    let second = agent.call("continue_workflow", &notes(&started["ackToken"]));
    for way in ["left", "right"] {
        let third = agent.call("continue_workflow", &notes(&second["ackToken"]));
        let third = if way == "right" {
            let forked = rig.tells(&["fork", &run, "--at", "second"]);
            let taken = agent.call("continue_workflow", &forked["nextCall"]["params"]);
            let mut handed = notes(&taken["ackToken"]);
            handed["output"]["notesMarkdown"] = json!("Done otherwise.");
            agent.call("continue_workflow", &handed)
        } else {
            third
        };
        let token = third["ackToken"].as_str().unwrap_or_else(|| panic!("{third}")).to_owned();
        let path = format!("/scratch/{way}.txt");
        agent.call_text("write", &json!({ "path": path, "content": way, "run": token }));
        agent.call("pack", &json!({ "key": way, "value": way, "run": token }));
        let frame = json!({ "node": "src", "frameType": "review", "content": way, "run": token });
        agent.call("put_frame", &frame);
        tokens.push(token);
    }
    agent.leave();
    (run, tokens)
}

// The id of a step does not tell its two visits apart; the node does.
#[test]
fn what_each_branch_of_a_run_wrote_is_told_on_its_side_and_blamed_on_its_node() {
    let rig = project();
    let (run, _) = branched(&rig);
    let record = |way: &str| {
        let path = format!("/scratch/{way}.txt");
        let log = rig.tells(&["workspace", "log", &path]);
        let node = log["records"][0]["node"].as_str().unwrap().to_owned();
        let blame = rig.tells(&["blame", "file", &path]);
        assert_eq!(blame["chain"]["nodeId"], node.as_str(), "{blame}");
        let state = rig.tells(&["blame", "state", "shared", way]);
        assert_eq!(state["chain"]["nodeId"], node.as_str(), "{state}");
        node
    };
    let (left, right) = (record("left"), record("right"));
    assert_ne!(left, right);
    let compared = rig.tells(&["diff", &format!("{run}@{left}"), &format!("{run}@{right}")]);
    assert_eq!(compared["ancestor"]["step"]["step"], "second");
    fits("diff", &compared);
    for (side, way) in [("left", "left"), ("right", "right")] {
        let written = &compared[side]["written"];
        assert_eq!(names(&written["keys"], "key"), [way], "{compared}");
        let path = format!("/scratch/{way}.txt");
        assert_eq!(names(&written["files"], "path"), [path.as_str()]);
        assert_eq!(written["files"][0]["diff"][0]["text"], way);
        assert_eq!(names(&written["frames"], "path"), ["src"], "{compared}");
        assert_eq!(names(&written["frames"], "by"), ["scribe"]);
    }
    // The second frame came after the first.
    let frames = [&compared["left"], &compared["right"]].map(|side| &side["written"]["frames"][0]);
    assert_eq!(frames.map(|frame| frame["kind"].as_str().unwrap()), ["added", "modified"]);
    assert_eq!(frames[0]["after"], frames[1]["before"]);
    assert_eq!(names(&frames[1]["diff"], "text"), ["left", "right"]);
    let blame = rig.tells(&["blame", "frame", "src"]);
    assert_eq!(names(&blame["frames"], "id")[0], frames[1]["after"], "{blame}");
    assert_eq!(blame["chain"]["nodeId"], right.as_str());
    assert_eq!(compared["outputs"][0]["step"], "second");
}
