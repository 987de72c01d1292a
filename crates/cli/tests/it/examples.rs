//! The flows that people start from, and the guide that goes with one of them, as they are published.

use std::{fs, path::Path};

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply};
use serde_json::{Value, json};

use crate::page::{Block, blocks, repository, typed};
use crate::rig::{Rig, text};

/// The published files below the project of a rig.
fn published() -> Rig {
    let rig = Rig::new();
    for entry in fs::read_dir(repository().join("examples/flows")).unwrap() {
        let directory = entry.unwrap().path();
        let Ok(files) = fs::read_dir(&directory) else { continue };
        for file in files {
            let file = file.unwrap().path();
            let place = Path::new("examples/flows").join(directory.file_name().unwrap());
            let path = place.join(file.file_name().unwrap());
            rig.write(path.to_str().unwrap(), &fs::read_to_string(&file).unwrap());
        }
    }
    rig
}

/// Whether a line is as a page shows it, where `…` stands for anything.
fn is_as_shown(line: &str, shown: &str) -> bool {
    let mut pieces = shown.split('…');
    let Some(rest) = pieces.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut rest = rest;
    for piece in pieces {
        if piece.is_empty() {
            return true;
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty()
}

// shows in part: BP-121 (the part about finding a fault)
#[test]
fn the_guide_to_a_wrong_answer_prints_what_it_shows() {
    let rig = published();
    let blocks = blocks("docs/guides/debug-a-wrong-answer.md");
    let console = blocks.iter().filter(|block| block.language == "console");
    let commands: Vec<_> = console.flat_map(Block::commands).collect();
    assert!(commands.len() > 8, "{commands:?}");
    let mut place = String::new();
    for (command, shown) in commands {
        if command.starts_with("cd ") {
            place = format!("{command} && ");
            continue;
        }
        let output = typed(&rig, &format!("{place}{command}"));
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
        let printed = text(&output.stdout);
        // A line that is nothing but an ellipsis stands for any number of lines.
        let mut lines = printed.lines().peekable();
        let mut skips = false;
        for wanted in &shown {
            if wanted == "…" {
                skips = true;
                continue;
            }
            let found = if skips {
                lines.find(|line| is_as_shown(line, wanted))
            } else {
                lines.next().filter(|line| is_as_shown(line, wanted))
            };
            assert!(found.is_some(), "{command}\nwanted: {wanted}\nprinted:\n{printed}");
            skips = false;
        }
        assert!(skips || lines.peek().is_none(), "{command} prints more:\n{printed}");
    }
}

#[test]
fn every_flow_runs_as_its_line_in_the_list_says() {
    let rig = published();
    let list = fs::read_to_string(repository().join("examples/flows/README.md")).unwrap();
    let rows = list.lines().filter(|line| line.starts_with("| `"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        let (name, command) = (cells[0].trim_matches('`'), cells[2].trim_matches('`'));
        let lines = format!("cd examples/flows/{name} && {command} --backpack {name}");
        let output = typed(&rig, &lines);
        assert!(
            output.status.success(),
            "{name}: {}{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        assert!(text(&output.stdout).starts_with("done after"), "{name}");
        count += 1;
    }
    assert_eq!(count, 4);
    let at = |name: &str, key: &str| rig.says(&["backpack", "at", name, "--key", key]);
    assert!(at("research", "report").contains("wr.bug_investigation"));
    let calls = at("research", "scout.calls");
    assert!(calls.contains("piton_list_workflows") && calls.contains("piton_inspect_workflow"));
    assert_eq!(at("summaries", "digest"), "Rain fell, and the harvest was good.\n");
    assert_eq!(at("support", "note"), "A case was settled.\n");
}

// shows in part: BP-044 (the part about `--events`), BP-042 (the part about prompts of an example)
#[test]
fn what_is_known_about_a_person_reaches_one_prompt_and_nothing_that_is_printed() {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    let rig = published();
    let provider = json!({ "name": "local", "wire": "openai", "model": "small",
        "baseUrl": server.base_url(WireFormat::OpenAi) });
    let models = json!({ "default": "local", "providers": [provider] });
    rig.write("models.json", &models.to_string());
    let decided = json!({ "choice": "refund", "reason": "money" });
    server
        .push_reply(ScriptedReply::call("decide", decided))
        .push_reply(ScriptedReply::text("soon"))
        .push_reply(ScriptedReply::text("done"));
    let run = ["flow", "run", "examples/flows/support/flow.json", "--models", "models.json"];
    let about = ["--set", "message=my money", "--pii", "customer=Ada-canary", "--backpack", "case"];
    let events = rig.says(&[&run[..], &about, &["--events"]].concat());
    assert!(events.contains("[pii, 12 bytes]"), "{events}");
    let prompts: Vec<Value> = server.seen().iter().map(|seen| seen.body.clone()).collect();
    let told = prompts.iter().map(|prompt| prompt.to_string().contains("canary"));
    assert_eq!(told.collect::<Vec<_>>(), [false, true, false]);
    let printed = [
        events,
        rig.says(&["backpack", "log", "case", "--all"]),
        rig.says(&["backpack", "at", "case"]),
        rig.says(&["backpack", "diff", "case", "c0"]),
        rig.says(&["backpack", "quarantined", "case"]),
        rig.tells(&["backpack", "blame", "case"]).to_string(),
    ];
    for text in printed {
        assert!(!text.contains("canary"), "{text}");
    }
    let revealed = rig.says(&["backpack", "at", "case", "--key", "customer", "--reveal"]);
    assert_eq!(revealed, "Ada-canary\n");
}
