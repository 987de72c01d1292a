//! `piton backpack` and `piton flow replay`, as somebody uses them who looks for what went wrong.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::rig::{Rig, text};

/// Finds something, checks whom it is for, and sums up. What answers for models goes by rules.
pub(crate) fn site() -> Rig {
    let rig = Rig::new();
    let flow = json!({
        "version": "2.0.0", "namespace": "research",
        "nodes": [
            { "id": "find", "type": "chat",
              "params": { "prompt": "Find prices for {{query}}", "output": "found" } },
            { "id": "sum-up", "type": "final_answer",
              "params": { "prompt": "Sum up: {{found}}", "output": "answer" },
              "permissions": { "read": ["found"], "write": ["answer"] } },
        ],
        "edges": [{ "from": "find", "to": "sum-up" }],
    });
    let models = json!({ "rehearsed": [
        { "when": ["Find prices for 2027"], "say": "2027:\nprices rise" },
        { "when": ["Find prices"], "say": "2026:\nprices fall" },
        { "when": ["Sum up", "fall"], "say": "It gets cheaper." },
        { "say": "It gets dearer." },
    ] });
    rig.write("flow.json", &flow.to_string());
    rig.write("models.json", &models.to_string());
    rig
}

pub(crate) fn run(rig: &Rig) {
    let arguments = ["flow", "run", "flow.json", "--set", "query=2026", "--models", "models.json"];
    rig.says(&[&arguments[..], &["--backpack", "prices"]].concat());
}

/// One commit of a log that a program reads.
fn commit(log: &Value, by: &str, action: &str) -> Value {
    let commits = log["commits"].as_array().unwrap();
    let found = commits.iter().find(|line| line["by"]["nodeId"] == by && line["action"] == action);
    found.unwrap_or_else(|| panic!("{by} {action}: {log}")).clone()
}

// shows: BP-094
#[test]
fn what_happened_is_listed_shown_blamed_and_compared() {
    let rig = site();
    assert!(rig.says(&["backpack", "list"]).contains("There are no backpacks yet."));
    run(&rig);
    let list = rig.tells(&["backpack", "list"]);
    let line = &list["backpacks"][0];
    assert_eq!((&line["id"], &line["keys"]), (&json!("prices"), &json!(3)));
    assert_eq!(line["run"]["flow"], "research");
    assert_eq!((&line["run"]["status"], &line["run"]["steps"]), (&json!("done"), &json!(2)));

    let log = rig.tells(&["backpack", "log", "prices"]);
    let nodes: Vec<&str> = log["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["by"]["nodeId"].as_str().unwrap())
        .collect();
    assert_eq!(nodes, ["sum-up", "sum-up", "sum-up", "find", "find", "find", "system"]);
    assert_eq!(log["notes"], 5, "the runner's own notes are counted");
    let all = rig.tells(&["backpack", "log", "prices", "--all"]);
    assert_eq!(all["commits"].as_array().unwrap().len(), 12);
    let of_find = ["backpack", "log", "prices", "--node", "find", "--action", "pack"];
    let packed = commit(&rig.tells(&of_find), "find", "pack");
    let short = packed["short"].as_str().unwrap();
    let shown = rig.tells(&["backpack", "show", "prices", short]);
    assert_eq!(shown["value"]["text"], "2026:\nprices fall");
    assert_eq!(
        shown["commit"],
        rig.tells(&["backpack", "show", "prices", packed["commit"].as_str().unwrap()])["commit"]
    );

    let blame = rig.says(&["backpack", "blame", "prices"]);
    let found = blame.lines().find(|line| line.starts_with("found")).unwrap();
    assert!(found.contains("find") && found.contains("research.find") && found.contains(short));
    let versions = rig.tells(&["backpack", "blame", "prices", "answer"]);
    assert_eq!(versions["lines"][0]["by"]["nodeId"], "sum-up");
    let history = rig.tells(&["backpack", "history", "prices", "found"]);
    let actions: Vec<&str> = history["commits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["unpack", "pack"]);

    let before = rig.tells(&["backpack", "at", "prices", "--before", "sum-up"]);
    let keys: Vec<&str> = before["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["found", "query"]);
    assert_eq!(
        rig.says(&["backpack", "at", "prices", short, "--key", "found"]),
        "2026:\nprices fall\n"
    );
    let (_, error) = rig.fails(&["backpack", "at", "prices", short, "--key", "foud"]);
    assert_eq!(error["message"], "There is nothing under `foud` in `prices`.");
    assert_eq!(error["suggestion"], "Did you mean found?");
    let diff = rig.says(&["backpack", "diff", "prices", "--before", "sum-up"]);
    assert!(
        diff.contains("+ answer  by sum-up (research.sum-up)\n    + It gets cheaper.\n"),
        "{diff}"
    );
    let nothing = rig.says(&["backpack", "diff", "prices", "c3", "c3"]);
    assert!(nothing.contains("Nothing differs."), "{nothing}");
}

// shows in part: BP-093 (the part about looking at it), BP-044 (the part about the command line)
#[test]
fn prompts_and_protected_values_are_shown_to_whoever_asks_for_them_by_name() {
    let rig = site();
    run(&rig);
    let aside = ["backpack", "quarantined", "prices"];
    let hidden = rig.says(&aside);
    assert!(hidden.contains("sum-up.prompt") && !hidden.contains("Sum up"), "{hidden}");
    assert!(!rig.tells(&aside).to_string().contains("Sum up"));
    let revealed = rig.says(&[&aside[..], &["--reveal"]].concat());
    assert!(revealed.contains("Sum up: 2026:"), "{revealed}");
    let entry = rig.tells(&aside)["entries"][0]["short"].as_str().unwrap().to_owned();
    let show = ["backpack", "show", "prices", &entry];
    assert!(!rig.says(&show).contains("Sum up"));
    assert!(rig.says(&[&show[..], &["--reveal"]].concat()).contains("Sum up: 2026:"));
    let record = ["backpack", "at", "prices", "--key", "flow.run"];
    assert!(rig.says(&record).starts_with("[limited, "));
    assert!(rig.says(&[&record[..], &["--reveal"]].concat()).contains("\"status\": \"done\""));
}

#[test]
fn a_value_that_is_too_long_to_show_is_had_whole_with_what_is_told_next() {
    let rig = site();
    let query = "2026 ".repeat(24_000);
    for (option, key, reveal) in [("--set", "query", ""), ("--pii", "person", " --reveal")] {
        let value = format!("{key}={query}");
        let arguments = ["flow", "run", "flow.json", "--models", "models.json", "--backpack", key];
        // The flow needs `query` in both; its result does not matter here.
        rig.run(&[&arguments[..], &["--set", "query=2026", option, &value]].concat());
        let log = rig.tells(&["backpack", "history", key, key]);
        let short = commit(&log, "system", "pack")["short"].as_str().unwrap().to_owned();
        let show = ["backpack", "show", key, &short];
        if !reveal.is_empty() {
            assert!(rig.says(&show).ends_with("\nShow its value: add --reveal\n"));
        }
        let reveal: Vec<&str> = reveal.split_whitespace().collect();
        let shown = rig.says(&[&show[..], &reveal].concat());
        assert!(shown.contains("… and 54464 more bytes"), "{}", &shown[shown.len() - 200..]);
        let (_, next) = shown.trim_end().rsplit_once("Show its whole value: piton ").unwrap();
        let next: Vec<&str> = next.split(' ').collect();
        assert_eq!(rig.says(&next).trim_end(), query.trim_end());
    }
}

// shows in part: BP-026 (the part about the command line), BP-094 (the part about `flow replay`)
#[test]
fn a_run_is_run_again_from_a_node_without_its_file_and_both_are_compared() {
    let rig = site();
    run(&rig);
    std::fs::remove_file(rig.project().join("flow.json")).unwrap();
    let replay = ["flow", "replay", "prices", "--from", "find", "--models", "models.json"];
    let same = rig.says(&replay);
    assert!(same.contains("The result is the same as before."), "{same}");
    let other =
        rig.says(&[&replay[..], &["--set", "query=2027", "--into", "prices-2027"]].concat());
    let line = other.lines().find(|line| line.contains("answer")).unwrap();
    assert!(line.contains("cheaper") && line.contains("dearer"), "{other}");
    let diff = rig.says(&["backpack", "diff", "prices", "--with", "prices-2027"]);
    assert!(
        diff.contains("    - 2026:\n    - prices fall\n    + 2027:\n    + prices rise\n"),
        "{diff}"
    );
    let told =
        rig.tells(&[&replay[..], &["--param", "sum-up.prompt=Just say it of {{found}}"]].concat());
    let keys: Vec<&str> = told["outcome"]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["key"].as_str().unwrap())
        .collect();
    assert_eq!((&told["schema"], keys), (&json!("piton.flow_replay/1"), vec!["answer"]));
    let list = rig.tells(&["backpack", "list"]);
    let forks = list["backpacks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["origin"]["backpack"] == "prices")
        .count();
    assert_eq!(forks, 3);
    let events = rig.says(&[&replay[..], &["--events"]].concat());
    let first: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!(first["type"], "run_start");
    assert!(events.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let rig = site();
    run(&rig);
    let cases: [(&[&str], &str, &str); 6] = [
        (&["backpack", "log", "pricse"], "no backpack or run `pricse`", "Did you mean prices?"),
        (&["backpack", "show", "prices", "c99"], "no commit `c99`", "from c0 to cb"),
        (
            &["backpack", "at", "prices", "--before", "sumup"],
            "node `sumup`",
            "Did you mean sum-up?",
        ),
        (&["backpack", "at", "prices", "--key", "anwser"], "nothing under `anwser`", "answer"),
        (&["flow", "replay", "prices", "--from", "nobody"], "these did: find, sum-up", ""),
        (&["flow", "resume", "prices"], "came to its end", ""),
    ];
    for (arguments, message, suggestion) in cases {
        let (code, error) = rig.fails(arguments);
        assert_eq!(code, 1, "{arguments:?}");
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
        assert!(error["suggestion"].as_str().unwrap().contains(suggestion), "{error}");
    }
    let other = rig.write(
        "other.json",
        r#"{ "nodes": [{ "id": "a", "type": "chat", "params": { "prompt": "x" } }] }"#,
    );
    let (_, error) = rig.fails(&["flow", "resume", "prices", "--flow", other.to_str().unwrap()]);
    assert!(error["message"].as_str().unwrap().contains("not the one"), "{error}");
    assert!(error["suggestion"].as_str().unwrap().contains("flow replay"), "{error}");
}

#[test]
fn a_backpack_is_found_by_the_start_of_its_id_or_by_its_run() {
    let rig = site();
    let arguments = ["flow", "run", "flow.json", "--set", "query=1", "--models", "models.json"];
    let one = rig.tells(&arguments);
    let two = rig.tells(&arguments);
    let id = one["backpack"].as_str().unwrap();
    for name in [id, &id[..14], &id[5..14], one["runId"].as_str().unwrap()] {
        assert_eq!(rig.tells(&["backpack", "log", name])["backpack"], id, "{name}");
    }
    let (_, error) = rig.fails(&["backpack", "log", "pack_"]);
    assert!(error["message"].as_str().unwrap().contains("no backpack or run"), "{error}");
    assert_ne!(id, two["backpack"].as_str().unwrap());
    let help = rig.says(&["backpack", "log", "--help"]);
    assert!(help.contains("Example:"), "{help}");
    let refused = rig.run(&["backpack", "log", ""]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
}

#[test]
fn collecting_takes_what_no_backpack_refers_to_and_leaves_the_rest() {
    let rig = Rig::new();
    let run = |name: &str, letter: &str| {
        let mut agent = Agent::start_as(&rig, &["--backpack", name]);
        let packed = agent.call("pack", &json!({ "key": "long", "value": letter.repeat(150_000) }));
        assert_eq!(packed["backpack"], name, "{packed}");
        agent.leave();
    };
    run("kept", "k");
    run("gone", "g");
    std::fs::remove_dir_all(rig.data().join("backpacks/gone")).unwrap();
    let hours = std::time::Duration::from_hours(48);
    for dir in std::fs::read_dir(rig.data().join("blobs/backpacks")).unwrap() {
        let Ok(files) = std::fs::read_dir(dir.unwrap().path()) else { continue };
        for file in files {
            let file = std::fs::File::options().write(true).open(file.unwrap().path()).unwrap();
            file.set_modified(std::time::SystemTime::now() - hours).unwrap();
        }
    }
    let swept = |told: &Value| {
        let blobs = told["blobs"].as_array().unwrap().iter();
        blobs.clone().find(|one| one["namespace"] == "backpacks").unwrap().clone()
    };
    let rehearsed = swept(&rig.tells(&["session", "gc", "--dry-run"]));
    assert_eq!((&rehearsed["kept"], &rehearsed["removed"]), (&json!(1), &json!(1)));
    let done = swept(&rig.tells(&["session", "gc"]));
    assert_eq!((&done["kept"], &done["removed"]), (&json!(1), &json!(1)));
    let long = rig.tells(&["backpack", "at", "kept", "--key", "long"]);
    assert_eq!(long["value"]["size"], 150_002);
    assert!(long["value"]["text"].as_str().unwrap().starts_with("kkk"));
}
