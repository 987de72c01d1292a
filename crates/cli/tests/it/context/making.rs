//! What `synthesize` and `regenerate` say is what `status` says.

use std::fs;

use serde_json::{Value, json};

use super::{configure, is_sound, project};
use crate::{
    agent::Agent,
    rig::{Rig, text},
};

fn put(rig: &Rig, at: &str, text: &str) {
    rig.says(&["context", "put-frame", at, "--type", "summary", "--text", text]);
}

/// The exit code of a command, and its document.
fn ask(rig: &Rig, arguments: &[&str]) -> (i32, Value) {
    let output = rig.run(&[arguments, &["--json"]].concat());
    let document = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), document)
}

/// The paths of frames in a list of an answer.
fn paths(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect()
}

// shows in part: CT-064 (what stays stale is named, and why), CT-067 (the command line)
#[test]
fn a_regeneration_names_what_stays_stale_as_often_as_it_is_asked_and_says_what_helps() {
    let rig = project();
    for at in ["README.md", "src/lib.rs", "src/main.rs"] {
        put(&rig, at, "What it says.");
    }
    rig.says(&["context", "synthesize", ".", "--type", "summary", "--recursive"]);
    assert_eq!(ask(&rig, &["context", "regenerate"]).0, 0);
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
    for scope in [&[][..], &["--everything"], &["src"]] {
        for _ in 0..2 {
            let status = rig.tells(&["context", "status"]);
            let (code, done) = ask(&rig, &[&["context", "regenerate"], scope].concat());
            assert_eq!((code, &done["made"]), (1, &json!([])), "{done}");
            let stale = paths(&status["stale"]);
            assert_eq!(stale, [".", "src", "src/lib.rs"]);
            let below = usize::from(scope == ["src"]);
            assert_eq!(paths(&done["skipped"]), stale[below..], "{done}");
            for (skipped, stale) in done["skipped"]
                .as_array()
                .unwrap()
                .iter()
                .zip(&status["stale"].as_array().unwrap()[below..])
            {
                for field in ["frameType", "agent", "frame", "remedy", "reason"] {
                    assert_eq!(skipped[field], stale[field], "{skipped}");
                }
            }
        }
    }
    let output = rig.run(&["context", "regenerate"]);
    let said = text(&output.stdout);
    assert!(said.starts_with("Nothing could be regenerated.\n3 frames stay stale:\n"), "{said}");
    let line = "  src/lib.rs summary by person: src/lib.rs was changed since; only a new text makes it fresh\n";
    assert!(said.contains(line), "{said}");
    let advice = "Write it again: piton context put-frame src/lib.rs --type summary --text \"What it says now.\"\n";
    assert!(said.ends_with(advice), "{said}");
    // The cause lies outside of what was asked for.
    let said = text(&rig.run(&["context", "regenerate", ".", "--scope", "node"]).stdout);
    assert!(said.ends_with("See what has to be fixed first: piton context status\n"), "{said}");

    put(&rig, "src/lib.rs", "It answers 41.");
    let (code, done) = ask(&rig, &["context", "regenerate"]);
    assert_eq!((code, paths(&done["made"]), &done["skipped"]), (0, vec!["src", "."], &json!([])));
    let said = rig.says(&["context", "regenerate"]);
    assert_eq!(said, "Nothing had to be regenerated: no frame is stale.\n");
    assert!(is_sound(&rig));
}

#[test]
fn a_frame_that_holds_although_it_was_invalidated_is_named() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    rig.says(&["context", "synthesize", "src", "--type", "summary"]);
    rig.says(&["context", "invalidate", "src", "--type", "summary", "--because", "too short"]);
    let said = rig.says(&["context", "regenerate"]);
    let told = "1 marked frame holds, made from the same as before:\n  src: sha256:";
    assert!(said.starts_with(told), "{said}");
    assert_eq!(rig.tells(&["context", "status"])["stale"], json!([]));
}

// shows in part: CT-055 (only for an empty directory), CT-067 (synthesis), CT-052 (what has nothing to be made from is not waited for)
#[test]
fn a_directory_in_which_nothing_is_described_gets_no_frame_and_keeps_the_one_it_has() {
    let rig = project();
    rig.write("docs/guide/start.md", "# Start\n");
    rig.write("tests/it.rs", "");
    let recursive = ["context", "synthesize", ".", "--type", "summary", "--recursive"];
    let (code, error) = rig.fails(&recursive);
    assert_eq!((code, &error["code"]), (1, &json!("CONTEXT_INCOMPLETE")), "{error}");
    let message = "Nothing in . has a summary frame that one could be made from.";
    assert_eq!(error["message"], message);
    assert_eq!(rig.tells(&["context", "status"])["nodesWithFrames"], 0);

    put(&rig, "src/lib.rs", "It answers.");
    put(&rig, "tests", "They test.");
    fs::create_dir(rig.project().join("bare")).unwrap();
    let made = rig.tells(&recursive);
    assert_eq!(paths(&made["frames"]), ["src", "bare", "."]);
    assert_eq!(made["skipped"], json!(["docs", "docs/guide", "tests"]));
    let said = rig.says(&recursive);
    let told = "3 directories stay as they are: nothing in them has a frame to make one from (docs, docs/guide, tests).\n";
    assert!(said.ends_with(told), "{said}");
    let tests = rig.tells(&["context", "get-node", "tests"]);
    assert_eq!(
        (&tests["frames"][0]["content"], &tests["frameCount"]),
        (&json!("They test."), &json!(1))
    );
    for at in ["docs", "docs/guide"] {
        assert_eq!(rig.tells(&["context", "get-node", at])["frameCount"], 0, "{at}");
    }
    rig.says(&["context", "synthesize", ".", "--type", "summary"]);
    // What is advised works.
    let (_, error) = rig.fails(&["context", "synthesize", "docs/guide", "--type", "summary"]);
    let advice = error["suggestion"].as_str().unwrap();
    assert!(
        advice.contains("`piton context put-frame PATH --type summary --text TEXT`"),
        "{error}"
    );
    let (_, error) =
        rig.fails(&["context", "synthesize", "docs", "--type", "all", "--inputs", "*"]);
    assert_eq!(error["message"], "Nothing in docs has a frame that one could be made from.");
    let batch = rig.write("ops.jsonl", "{\"op\":\"synthesize\",\"node\":\"docs\",\"frameType\":\"summary\",\"inputs\":\"summary\"}\n");
    let (code, done) = ask(&rig, &["context", "batch", batch.to_str().unwrap()]);
    assert_eq!(
        (code, &done["lines"][0]["error"]["code"]),
        (1, &json!("CONTEXT_INCOMPLETE")),
        "{done}"
    );
    assert!(is_sound(&rig));
}

#[test]
fn a_summary_of_fewer_bytes_than_it_takes_to_say_something_is_refused() {
    let rig = project();
    put(
        &rig,
        "src/lib.rs",
        "It answers. It does so whenever it is asked, and that is all there is to say.",
    );
    let ask = |bytes| {
        [
            "context",
            "synthesize",
            "src",
            "--type",
            "summary",
            "--policy",
            "summarization",
            "--max-bytes",
            bytes,
        ]
    };
    for bytes in ["0", "10", "255"] {
        let (code, error) = rig.fails(&ask(bytes));
        assert_eq!((code, &error["code"]), (1, &json!("VALIDATION_ERROR")), "{error}");
        assert!(error["message"].as_str().unwrap().contains("at least 256"), "{error}");
    }
    rig.says(&ask("256"));
    let made = rig.tells(&["context", "get-node", "src"])["frames"][0].clone();
    assert!(made["bytes"].as_u64().unwrap() > 0, "{made}");
}

#[test]
fn an_agent_reads_what_stays_stale_and_what_helps() {
    let rig = project();
    configure(&rig, "");
    put(&rig, "src/lib.rs", "It answers.");
    let mut agent = Agent::start_as(&rig, &["--context", "librarian"]);
    let wanted = json!({ "node": "src", "frameType": "summary" });
    agent.call("synthesize", &wanted);
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
    for _ in 0..2 {
        let done = agent.call("regenerate", &json!({}));
        assert_eq!(paths(&done["skipped"]), ["src", "src/lib.rs"], "{done}");
        assert_eq!(done["skipped"][1]["remedy"], "put", "{done}");
    }
    rig.write("docs/a.md", "");
    let refused = agent.call("synthesize", &json!({ "node": "docs", "frameType": "summary" }));
    assert_eq!(refused["code"], "CONTEXT_INCOMPLETE", "{refused}");
    let made = agent
        .call("synthesize", &json!({ "node": ".", "frameType": "summary", "recursive": true }));
    assert_eq!(made["skipped"], json!(["docs"]), "{made}");
    agent.leave();
}
