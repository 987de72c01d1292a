//! A project that is watched.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use piton_models::{
    WireFormat,
    testing::{ModelServer, ScriptedReply, ServerFault},
};
use serde_json::Value;

use super::{
    configure,
    generating::{KEY, answers, executor, models},
    is_sound, project,
};
use crate::rig::Rig;

/// A watcher that tells programs what happens.
pub(super) struct Watcher {
    child: Child,
    /// Its output, read as it comes, so that it never waits for a reader.
    lines: Receiver<String>,
}

impl Watcher {
    pub(super) fn start(rig: &Rig, arguments: &[&str]) -> Self {
        let all = [&["context", "watch", "--json"], arguments].concat();
        let mut command = rig.command(&all);
        let mut child = command.env("MODEL_KEY", KEY).stdout(Stdio::piped()).spawn().unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in told.map_while(Result::ok) {
                // A test that is over does not listen any more.
                let _ = sender.send(line);
            }
        });
        Self { child, lines }
    }

    /// The next line that fits.
    pub(super) fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.recv().expect("the watcher goes on");
            let told: Value = serde_json::from_str(&line).unwrap();
            if fits(&told) {
                return told;
            }
        }
    }

    /// Ctrl-C.
    pub(super) fn stop(mut self) {
        interrupt(&self.child);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

// shows in part: CT-082 (the command line), CT-083 (lines of JSON), CT-050 (the part about plain `watch`)
#[test]
fn changes_are_told_while_other_commands_work_and_ctrl_c_ends_it() {
    let rig = project();
    rig.says(&["context", "put-frame", "src/lib.rs", "--type", "summary", "--text", "one"]);
    rig.says(&["context", "synthesize", "src", "--type", "summary", "--inputs", "summary"]);
    let before = rig.tells(&["context", "get-head", "src", "--type", "summary"]);
    rig.write("first.txt", "1");
    let mut watcher = Watcher::start(&rig, &[]);
    let first = watcher.until(|told| told["path"] == "first.txt");
    assert_eq!(first["change"], "added");
    rig.write("src/lib.rs", "changed");
    let told = watcher.until(|told| told["path"] == "src/lib.rs");
    assert_eq!(told["change"], "changed");
    assert_ne!(told["old"]["id"], told["new"]["id"]);
    rig.says(&["context", "put-frame", "README.md", "--type", "note", "--text", "beside"]);
    assert!(is_sound(&rig));
    let after = rig.tells(&["context", "get-head", "src", "--type", "summary"]);
    assert_eq!(before["frames"][0]["id"], after["frames"][0]["id"], "nothing was made anew");
    watcher.stop();
}

#[test]
fn ctrl_c_ends_a_watcher_whose_reader_stopped_reading() {
    let rig = project();
    // More than a pipe holds: the watcher is still telling what it found first.
    for number in 0..2_000 {
        rig.write(&format!("many/{number}"), "");
    }
    let mut child = rig.command(&["context", "watch", "--json"]).stdout(Stdio::piped()).spawn();
    let child = child.as_mut().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    // Whoever reads that it watches may stop it.
    told.read_line(&mut String::new()).unwrap();
    interrupt(child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

// shows: CT-093
#[test]
fn a_watcher_that_regenerates_makes_one_frame_for_one_change_as_its_agent() {
    let rig = project();
    configure(&rig, "");
    rig.says(&["context", "put-frame", "src/lib.rs", "--type", "summary", "--text", "one"]);
    rig.says(&["context", "synthesize", "src", "--type", "summary", "--inputs", "summary"]);
    for agent in ["nobody", "scribe"] {
        let refused = rig.run(&["context", "watch", "--regenerate", "--agent", agent]);
        assert_eq!(refused.status.code(), Some(1), "{agent}");
    }
    let mut watcher = Watcher::start(&rig, &["--regenerate=subtree", "--agent", "librarian"]);
    rig.write("seen.txt", "1");
    watcher.until(|told| told["path"] == "seen.txt");
    rig.says(&["context", "put-frame", "src/main.rs", "--type", "summary", "--text", "two"]);
    rig.write("src/lib.rs", "changed");
    let told = watcher.until(|told| told.get("regenerated").is_some());
    let made = told["regenerated"]["made"].as_array().unwrap();
    assert_eq!(made.len(), 1, "{told}");
    assert_eq!(made[0]["path"], "src");
    let head = rig.tells(&["context", "get-head", "src", "--type", "summary"]);
    assert_eq!(head["frames"][0]["id"], made[0]["frame"]);
    assert_eq!(head["frames"][0]["agent"], "person", "whose frame it was");
    assert_eq!(head["frames"][0]["metadata"]["regenerated_by"], "librarian");
    watcher.stop();
}

/// The paths that a model wrote about, of a line that tells it.
fn made(told: &Value) -> Vec<&str> {
    let nodes = told["generated"]["nodes"].as_array().unwrap();
    let made = nodes.iter().filter(|node| node["fate"] == "made");
    made.map(|node| node["path"].as_str().unwrap()).collect()
}

// shows in part: CT-093 (the part about models), CT-050 (the part about `watch`)
#[test]
fn a_watcher_asks_models_only_if_it_is_told_to_and_only_about_what_changed() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    configure(&rig, "");
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 7);
    // The first lines report what was there before; then it watches.
    rig.write("src/seen.txt", "1");
    let mut watcher = Watcher::start(&rig, &["--regenerate", "--agent", "librarian"]);
    watcher.until(|told| told["path"] == "src/seen.txt");
    rig.write("src/seen.txt", "2");
    watcher.until(|told| told["path"] == "src/seen.txt");
    watcher.stop();
    assert!(server.seen().is_empty(), "nobody said that models may be asked");

    let asking = ["--regenerate", "--agent", "librarian", "--generate", "summary"];
    let more = ["--models", &models, "--at-once", "1"];
    rig.write("src/seen.txt", "3");
    let mut watcher = Watcher::start(&rig, &[&asking[..], &more].concat());
    watcher.until(|told| told["path"] == "src/seen.txt");
    rig.write("src/lib.rs", "pub fn one() {}\n");
    let told = watcher.until(|told| told.get("generated").is_some());
    // Everything, the first time: five files and two directories.
    assert_eq!((made(&told).len(), server.seen().len()), (7, 7), "{told}");
    assert!(made(&told).contains(&"src/lib.rs"), "{told}");
    let asked = server.seen().len();

    // A model that does not answer is reported, and the watch goes on.
    server.push_reply(ScriptedReply::Fault(ServerFault::BadJson));
    rig.write("src/lib.rs", "pub fn two() {}\n");
    let told = watcher.until(|told| told.get("generated").is_some());
    assert_eq!(told["generated"]["nodes"][0]["fate"], "failed", "{told}");
    assert_eq!(server.seen().len(), asked + 1);

    answers(&server, 3);
    rig.write("src/lib.rs", "pub fn three() {}\n");
    let told = watcher.until(|told| told.get("generated").is_some());
    assert_eq!(made(&told), ["src/lib.rs", "src", "."]);
    assert_eq!(server.seen().len(), asked + 4, "only what changed, and the directories above");
    watcher.stop();
    let shown = rig.tells(&["context", "get-node", "src/lib.rs", "--type", "summary"]);
    assert_eq!(shown["frames"][0]["agent"], "librarian");
    assert_eq!(shown["frames"][0]["isFresh"], true);
}
