//! What is called fresh is fresh when it is said, without anybody scanning.

use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::Path,
};

use piton_context::bounds::IGNORE_FILE_BYTES_MAX;
use serde_json::{Value, json};

use super::{configure, is_sound, project};
use crate::{agent::Agent, rig::Rig};

fn put(rig: &Rig, at: &str, text: &str) -> Value {
    rig.tells(&["context", "put-frame", at, "--type", "summary", "--text", text])
}

fn frame(rig: &Rig, at: &str) -> Value {
    rig.tells(&["context", "get-node", at, "--type", "summary"])["frames"][0].clone()
}

// shows in part: CT-028 (the part that an edit is noticed by whoever reads), CT-085 (`--fail-on stale`)
#[test]
fn every_command_that_speaks_of_freshness_notices_an_edit() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    put(&rig, "src", "Code.");
    rig.says(&["context", "report", "--fail-on", "stale"]);
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
    assert_eq!(frame(&rig, "src/lib.rs")["isFresh"], false);
    assert_eq!(frame(&rig, "src")["isFresh"], false);

    // Each is the first to look after an edit of its own.
    for (number, command) in [
        &["context", "status"][..],
        &["context", "report"],
        &["context", "list-frames", "src/lib.rs"],
        &["context", "get-head", "src/lib.rs"],
        &["context", "compose", "src/main.rs"],
        &["blame", "frame", "src/lib.rs"],
    ]
    .into_iter()
    .enumerate()
    {
        put(&rig, "src/lib.rs", &format!("It answers, {number}."));
        let before = rig.says(command);
        rig.write("src/lib.rs", &format!("pub fn answer() -> u32 {{ 1{number} }}\n"));
        let said = rig.says(command);
        let stale = |said: &str| said.matches("stale").count();
        assert!(stale(&said) > stale(&before), "{command:?}: {before} {said}");
    }
    put(&rig, "src/lib.rs", "It answers again.");
    put(&rig, "src", "Code again.");
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 7 }\n");
    let failed = rig.run(&["context", "report", "--fail-on", "stale"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(is_sound(&rig));
}

// shows in part: CT-028 (over MCP)
#[test]
fn an_agent_sees_an_edit_although_it_cannot_scan() {
    let rig = project();
    configure(&rig, "");
    let mut scribe = Agent::start_as(&rig, &["--context", "scribe"]);
    let about = json!({ "node": "src/lib.rs" });
    let fresh = |told: &Value| told["frames"][0]["isFresh"].clone();
    scribe.call("put_frame", &json!({ "node": "src/lib.rs", "frameType": "s", "content": "x" }));
    assert_eq!(fresh(&scribe.call("get_context", &about)), true);
    assert_eq!(fresh(&scribe.call("compose_context", &about)), true);
    let old = fs::read(rig.project().join("src/lib.rs")).unwrap();
    rig.write("src/lib.rs", "pub fn edited() {}\n");
    assert_eq!(fresh(&scribe.call("get_context", &about)), false);
    // An edit that is taken back makes it fresh again.
    fs::write(rig.project().join("src/lib.rs"), old).unwrap();
    assert_eq!(fresh(&scribe.call("compose_context", &about)), true);
    rig.write("src/lib.rs", "pub fn other() {}\n");
    let composed = scribe.call("compose_context", &about);
    assert_eq!(fresh(&composed), false);
    assert!(composed["text"].as_str().unwrap().contains("stale: src/lib.rs was changed"));
    // A file that was made since is found, and one that is gone is not.
    rig.write("src/new.rs", "new\n");
    assert_eq!(scribe.call("get_context", &json!({ "node": "src/new.rs" }))["size"], 4);
    fs::remove_file(rig.project().join("src/new.rs")).unwrap();
    let gone = scribe.call("get_context", &json!({ "node": "src/new.rs" }));
    assert_eq!(gone["code"], "CONTEXT_NODE_NOT_FOUND", "{gone}");
    scribe.leave();
}

// shows in part: CT-028 (the part that a new ignore rule is noticed by a look at one file)
#[test]
fn a_new_ignore_rule_takes_a_file_away_from_its_readers() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    for rules in [".gitignore", "src/.ignore"] {
        rig.write(rules, "lib.rs\n");
        let (_, error) = rig.fails(&["context", "get-head", "src/lib.rs", "--type", "other"]);
        let (_, ignored) = rig.fails(&["context", "compose", "src/lib.rs"]);
        assert_eq!(ignored["code"], "CONTEXT_NODE_NOT_FOUND", "{error}");
        fs::remove_file(rig.project().join(rules)).unwrap();
        assert_eq!(frame(&rig, "src/lib.rs")["isFresh"], true);
    }
}

// shows in part: CT-007 (the part that what cannot be read is not called fresh)
#[test]
fn what_cannot_be_read_is_not_called_fresh() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    put(&rig, "src", "Code.");
    // Rules that are too large to be read hide what they leave out, whoever asks.
    rig.write("docs/.gitignore", &"x\n".repeat(IGNORE_FILE_BYTES_MAX));
    let shown = frame(&rig, "src");
    assert_eq!((&shown["isFresh"], &shown["staleBecause"]), (&json!(false), &Value::Null));
    assert!(shown["unchecked"].as_str().unwrap().contains("cannot be read"), "{shown}");
    let said = rig.says(&["context", "get-node", "src"]);
    assert!(said.contains("freshness not checked: ") && !said.contains("fresh]"), "{said}");
    let status = rig.says(&["context", "status"]);
    assert!(
        status.contains("Freshness was not checked: docs/.gitignore cannot be read"),
        "{status}"
    );
    assert_eq!(rig.tells(&["context", "status"])["types"][0]["fresh"], 0);
    let composed = rig.says(&["context", "compose", "src/lib.rs"]);
    assert!(composed.contains("freshness not checked"), "{composed}");
    let failed = rig.run(&["context", "report", "--fail-on", "stale"]);
    assert_eq!(failed.status.code(), Some(1));
    // A look at one file that can be read needs no other.
    assert_eq!(frame(&rig, "src/lib.rs")["isFresh"], true);
    fs::remove_dir_all(rig.project().join("docs")).unwrap();
    assert_eq!(frame(&rig, "src")["isFresh"], true);
    let status = rig.says(&["context", "status"]);
    assert!(status.contains("Everything that is there is fresh"), "{status}");
}

// shows in part: CT-007 (the part that a file which cannot be read is not taken for one that was removed)
#[test]
fn a_file_that_cannot_be_read_keeps_its_frames() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    let file = rig.project().join("src/lib.rs");
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    // The superuser reads everything, so another user runs the program, to whom all of this belongs.
    let is_superuser = fs::read(&file).is_ok();
    if is_superuser {
        give_to_nobody(rig.home().parent().unwrap());
    }
    let tells = |arguments: &[&str]| {
        let mut command = rig.command(&[arguments, &["--json"]].concat());
        if is_superuser {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let get = ["context", "get-node", "src/lib.rs", "--type", "summary"];
    let shown = tells(&get)["frames"][0].clone();
    assert_eq!((&shown["content"], &shown["isFresh"]), (&json!("It answers."), &json!(false)));
    assert!(shown["unchecked"].as_str().unwrap().contains("src/lib.rs cannot be read"), "{shown}");
    let status = tells(&["context", "status"]);
    assert!(status["unchecked"].is_string(), "{status}");
    assert_eq!(status["leftBehind"], 0, "{status}");
    mode(0o644);
    let shown = tells(&get)["frames"][0].clone();
    assert_eq!((&shown["content"], &shown["isFresh"]), (&json!("It answers."), &json!(true)));
}

/// A user who may read only what is theirs and what everybody may.
const NOBODY: u32 = 65_534;

fn give_to_nobody(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            give_to_nobody(&entry.unwrap().path());
        }
    }
}

// shows in part: CT-066 (the part that the same text again makes an invalidated frame fresh)
#[test]
fn the_same_text_again_makes_an_invalidated_frame_fresh() {
    let rig = project();
    let first = put(&rig, "src/lib.rs", "It answers.");
    let invalidate = |at: &str| {
        let why = ["--type", "summary", "--because", "doubtful"];
        rig.says(&[&["context", "invalidate", at][..], &why].concat());
    };
    invalidate("src/lib.rs");
    assert_eq!(frame(&rig, "src/lib.rs")["isFresh"], false);
    let again = put(&rig, "src/lib.rs", "It answers.");
    assert_eq!((&again["frame"], &again["outcome"]), (&first["frame"], &json!("reaffirmed")));
    assert_eq!(frame(&rig, "src/lib.rs")["isFresh"], true);
    assert_eq!(put(&rig, "src/lib.rs", "It answers.")["outcome"], "unchanged");
    let shown = rig.tells(&["context", "list-frames", "src/lib.rs"]);
    assert_eq!(shown["frameCount"], 1, "no frame was added");

    let synthesize = ["context", "synthesize", "src", "--type", "summary"];
    rig.says(&synthesize);
    invalidate("src");
    assert_eq!(frame(&rig, "src")["isFresh"], false);
    rig.says(&synthesize);
    assert_eq!(frame(&rig, "src")["isFresh"], true);
    assert!(is_sound(&rig));
}

/// Follows what `status` advises, as it is printed, until nothing is stale. Says what was followed.
fn follow(rig: &Rig, standing: &Path) -> Vec<String> {
    let program = crate::program();
    let program = Path::new(&program).parent().unwrap().to_str().unwrap();
    let mut followed = Vec::new();
    loop {
        let said = rig.says(&["context", "status"]);
        if said
            .ends_with("Everything that is there is fresh. Read it: piton context compose PATH\n")
        {
            return followed;
        }
        let mut status = rig.command(&["context", "status"]);
        let said = status.current_dir(standing).output().unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
        let (_, advice) = said.lines().last().unwrap().split_once(": ").unwrap();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", advice]).env_clear().env("HOME", rig.home()).current_dir(standing);
        let output = shell.env("PATH", format!("{program}:/usr/bin:/bin")).output().unwrap();
        assert!(output.status.success(), "{advice}: {output:?}");
        followed.push(advice.to_owned());
        assert!(followed.len() < 10, "it leads nowhere: {followed:?}");
    }
}

#[test]
fn what_status_advises_makes_everything_fresh_when_it_is_followed_as_it_is_printed() {
    for inside in ["", "src"] {
        let rig = project();
        configure(&rig, "");
        let standing = rig.project().join(inside);
        rig.write("src/it's odd.rs", "odd\n");
        rig.write("lib/a.rs", "a\n");
        rig.write("lib/b.rs", "b\n");
        for at in ["src/main.rs", "src/it's odd.rs", "lib/a.rs"] {
            put(&rig, at, "What it says.");
        }
        rig.says(&["context", "synthesize", ".", "--type", "summary", "--recursive"]);
        assert_eq!(follow(&rig, &standing), [""; 0]);
        // A text that somebody wrote is stale, and so is what is made from it.
        rig.write("src/main.rs", "fn main() { run() }\n");
        rig.write("src/it's odd.rs", "odder\n");
        // What a synthesis was made from is gone.
        fs::remove_file(rig.project().join("lib/a.rs")).unwrap();
        let followed = follow(&rig, &standing);
        assert_eq!(followed.iter().filter(|one| one.contains(" put-frame ")).count(), 3);
        assert_eq!(followed.last().unwrap(), "piton context regenerate");
        for (at, command) in [("src/main.rs", "put-frame"), ("src", "regenerate")] {
            let mark = ["context", "invalidate", at, "--type", "summary", "--because", "wrong"];
            let said = rig.says(&mark);
            let last = said.lines().last().unwrap();
            assert!(last.contains(&format!(": piton context {command}")), "{said}");
            assert!(follow(&rig, &standing)[0].contains(command));
        }
    }
}
