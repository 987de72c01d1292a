//! A flow whose process is killed, and goes on by the name of its backpack alone.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use serde_json::{Value, json};

use crate::rig::{Rig, text};

fn chat(id: &str, prompt: &str, output: &str) -> Value {
    json!({ "id": id, "type": "chat", "params": { "prompt": prompt, "output": output } })
}

/// Three nodes, each of which goes on from what the one before has packed.
fn flow() -> Value {
    json!({
        "version": "2.0.0", "namespace": "chain",
        "nodes": [chat("a", "Begin with {{seed}}", "one"), chat("b", "After {{one}}", "two"),
                  chat("c", "After {{two}}", "three")],
        "edges": [{ "from": "a", "to": "b" }, { "from": "b", "to": "c" }],
    })
}

/// Runs the flow and kills its process when `is_time` says so of an event. Gives the nodes that finished.
fn killed(rig: &Rig, arguments: &[&str], mut is_time: impl FnMut(&Value) -> bool) -> Vec<String> {
    let mut child =
        rig.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut finished = Vec::new();
    for line in lines.map_while(Result::ok) {
        let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
        if event["type"] == "node_end" {
            finished.push(event["nodeId"].as_str().unwrap().to_owned());
        }
        if is_time(&event) {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    finished
}

// shows in part: BP-102 (with the program, killed inside a node)
#[test]
fn a_node_that_was_killed_runs_again_and_those_before_it_do_not() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    let rig = Rig::new();
    rig.write("flow.json", &flow().to_string());
    let provider = json!({ "name": "local", "wire": "openai", "model": "small",
        "baseUrl": server.base_url(WireFormat::OpenAi) });
    let models = json!({ "default": "local", "providers": [provider] });
    rig.write("models.json", &models.to_string());
    server
        .push_reply(ScriptedReply::text("first"))
        .push_reply(ScriptedReply::Fault(ServerFault::Hang));
    let run = ["flow", "run", "flow.json", "--models", "models.json", "--set", "seed=7"];
    let run = [&run[..], &["--backpack", "chain", "--events"]].concat();
    let is_time = |event: &Value| {
        let is_b = event["nodeId"] == "b" && event["type"] == "prep_done";
        is_b && {
            while server.seen().len() < 2 {
                std::thread::yield_now();
            }
            true
        }
    };
    assert_eq!(killed(&rig, &run, is_time), ["a"]);
    std::fs::remove_file(rig.project().join("flow.json")).unwrap();
    let list = rig.tells(&["backpack", "list"]);
    assert_eq!(list["backpacks"][0]["run"]["status"], "running");

    server.push_reply(ScriptedReply::text("second")).push_reply(ScriptedReply::text("third"));
    let resumed = rig.tells(&["flow", "resume", "chain", "--models", "models.json"]);
    assert_eq!((&resumed["status"], &resumed["steps"]), (&json!("done"), &json!(3)));
    let asked: Vec<String> = server
        .seen()
        .iter()
        .map(|seen| seen.body["messages"][0]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(asked, ["Begin with 7", "After first", "After first", "After second"]);
    let at = |key: &str| rig.says(&["backpack", "at", "chain", "--key", key]);
    assert_eq!((at("two"), at("three")), ("second\n".to_owned(), "third\n".to_owned()));
}

mod long {
    use super::*;

    /// Every how many events the process is killed.
    fn stride() -> usize {
        if std::env::var_os("PITON_LONG").is_some() { 1 } else { 4 }
    }

    // shows in part: BP-102 (with the program, killed anywhere)
    #[test]
    fn a_run_that_is_killed_anywhere_comes_to_the_same_end() {
        let rig = Rig::new();
        rig.write("flow.json", &flow().to_string());
        let rule = |when: &str, say: &str| json!({ "when": [when], "say": say });
        let rules = [
            rule("Begin with", "first"),
            rule("After first", "second"),
            rule("After second", "third"),
        ];
        rig.write("models.json", &json!({ "rehearsed": rules }).to_string());
        let models = ["--models", "models.json"];
        let whole = rig.says(
            &[&["flow", "run", "flow.json", "--set", "seed=7", "--events"][..], &models].concat(),
        );
        let events = whole.lines().count();
        for at in (1..=events).step_by(stride()) {
            let name = format!("killed-{at}");
            let run =
                ["flow", "run", "flow.json", "--set", "seed=7", "--backpack", &name, "--events"];
            let mut count = 0;
            let finished = killed(&rig, &[&run[..], &models].concat(), |_| {
                count += 1;
                count == at
            });
            let resumed = rig.run(&[&["flow", "resume", &name, "--events"][..], &models].concat());
            let words = text(&resumed.stderr);
            // It ran ahead of whoever read its events, and was done when it was killed.
            assert!(resumed.status.success() || words.contains("came to its end"), "{at}: {words}");
            let again = text(&resumed.stdout);
            for node in &finished {
                let begun = format!("\"nodeId\":\"{node}\"");
                let starts = |line: &&str| line.contains("node_start") && line.contains(&begun);
                assert!(!again.lines().any(|line| starts(&line)), "{at}: {node} ran again");
            }
            let state = rig.tells(&["backpack", "at", &name]);
            let keys: Vec<(&str, &str)> = state["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| (item["key"].as_str().unwrap(), item["summary"].as_str().unwrap()))
                .collect();
            let wanted = [
                ("one", "\"first\""),
                ("seed", "7"),
                ("three", "\"third\""),
                ("two", "\"second\""),
            ];
            assert_eq!(keys, wanted, "{at}");
        }
    }
}
