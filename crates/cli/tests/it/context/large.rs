//! Directories of thousands of entries.

use std::fmt::Write as _;

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply};
use serde_json::{Value, json};

use super::{
    generating::{KEY, executor, models},
    project,
};
use crate::rig::Rig;

/// More than a model is given one by one.
const COUNT: usize = 2_000;

/// So many files in `many`, each with a summary.
fn described(rig: &Rig, count: usize) {
    let mut lines = String::new();
    for number in 0..count {
        rig.write(&format!("many/f{number:05}.rs"), &format!("{number}\n"));
        let node = format!("many/f{number:05}.rs");
        let content = format!("The file number {number} holds its number. It does nothing else.");
        let line = json!({ "op": "put", "node": node, "frameType": "summary", "content": content });
        let _ = writeln!(lines, "{line}");
    }
    let file = rig.home().join("frames.jsonl");
    std::fs::write(&file, lines).unwrap();
    rig.says(&["context", "batch", file.to_str().unwrap()]);
}

fn synthesized(rig: &Rig, policy: &str) -> Value {
    let asked = ["context", "synthesize", "many", "--type", "summary", "--policy", policy];
    rig.says(&asked);
    rig.tells(&["context", "get-node", "many", "--type", "summary"])["frames"][0].clone()
}

// shows in part: CT-053 (the part about directories of thousands of entries)
#[test]
fn a_directory_of_two_thousand_entries_gets_a_text_that_says_something() {
    let rig = project();
    described(&rig, COUNT);
    for (policy, bytes_max) in [("summarization", 4_096), ("concatenation", 32 * 1024)] {
        let frame = synthesized(&rig, policy);
        assert_eq!(frame["isFresh"], true);
        let text = frame["content"].as_str().unwrap();
        assert!(text.len() <= bytes_max && text.len() > bytes_max / 2, "{policy}: {}", text.len());
        let mut lines: Vec<&str> = text.lines().collect();
        let note = lines.pop().unwrap();
        for line in &lines {
            let number: usize = line["many/f".len()..][..5].parse().unwrap();
            let whole = format!("many/f{number:05}.rs: The file number {number} holds its number.");
            assert_eq!(*line, whole, "{policy}");
        }
        let left_out = COUNT - lines.len();
        assert_eq!(note, format!("[{left_out} more frames are left out: {left_out} .rs]"));
    }
}

// shows in part: CT-075 (the part that a directory of many entries is finished)
#[test]
fn a_model_is_asked_about_a_directory_of_many_entries_and_its_answer_is_kept() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    described(&rig, COUNT);
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    server.push_reply(ScriptedReply::text("Many files with a number each."));
    let asked = ["context", "generate", "many", "--type", "summary", "--prompt", "What is it?"];
    let asked = [&asked[..], &["--models", &models, "--yes"]].concat();
    let output = rig.command(&asked).env("MODEL_KEY", KEY).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let sent = server.seen().last().unwrap().body["messages"].to_string();
    assert!(sent.contains("many/f00899.rs: The file number 899 holds its number."), "{sent}");
    assert!(sent.contains("And 1100 more entries"), "{sent}");
    let frame = rig.tells(&["context", "get-node", "many"])["frames"][0].clone();
    assert_eq!(frame["content"], "Many files with a number each.");
    let output = rig.command(&asked).env("MODEL_KEY", KEY).output().unwrap();
    assert!(output.status.success() && server.seen().len() == 1, "nobody is paid twice");
    // An entry changes, and everything else works on so many.
    rig.write("many/f00001.rs", "edited\n");
    let status = rig.tells(&["context", "status"]);
    assert_eq!(status["stale"].as_array().unwrap().len(), 1, "{status}");
    rig.says(&["context", "put-frame", "many/f00001.rs", "--type", "summary", "--text", "Edited."]);
    let report = rig.says(&["context", "report"]);
    assert!(report.contains("stale: many summary"), "{report}");
    let composed = rig.says(&["context", "compose", "many/f00001.rs", "--tokens", "2000"]);
    assert!(composed.contains("Edited.") && composed.len() < 16_000, "{composed}");
}
