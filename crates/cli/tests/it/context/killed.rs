//! Commands that die in the middle.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use piton_core::port::fixed::SeededEntropy;
use piton_store::testing::LongRun;
use serde_json::json;

use super::is_sound;
use crate::rig::Rig;

/// Every command that writes, and some that read. `{n}` is another number each time.
const COMMANDS: &[&[&str]] = &[
    &["scan"],
    &["scan", "--force", "--label", "l{n}"],
    &["put-frame", "src/a{k}.txt", "--type", "summary", "--text", "text {n}"],
    &["put-frame", "README.md", "--type", "long", "--file", "long.txt"],
    &["synthesize", ".", "--type", "summary", "--recursive"],
    &["regenerate"],
    &["invalidate", ".", "--type", "summary", "--because", "try {n}"],
    &["batch", "ops.jsonl"],
    &["compose", "README.md"],
    &["status"],
    &["validate"],
];

fn project() -> Rig {
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("long.txt", &"words ".repeat(10_000));
    let mut operations = String::new();
    for number in 0..8 {
        rig.write(&format!("src/a{number}.txt"), "a file\n");
        let operation = json!({ "op": "put", "node": format!("src/a{number}.txt"),
            "frameType": "note", "content": format!("n{number}") });
        operations = format!("{operations}{operation}\n");
    }
    rig.write("ops.jsonl", &operations);
    rig.says(&["context", "scan"]);
    rig.says(&["context", "synthesize", ".", "--type", "summary", "--recursive"]);
    rig
}

/// Runs a command, and kills it after `moment`. Returns whether it was still at work.
fn kill(rig: &Rig, arguments: &[String], moment: Duration) -> bool {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = rig.command(&[&["context"], &arguments[..]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while began.elapsed() < moment {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

mod long {
    use super::*;

    // shows: CT-087 (the commands that write), CT-027 (the command line)
    #[test]
    fn a_command_that_is_killed_leaves_what_was_before_or_what_is_after() {
        let run = LongRun::start("context: commands killed in the middle");
        println!("{run}");
        let luck = SeededEntropy::new(run.seed());
        let rig = project();
        let rounds = LongRun::size(2, 60);
        let (mut kills, mut commands) = (0, 0);
        for round in 0..rounds {
            for command in COMMANDS {
                let number = luck.next_u64() % 1_000;
                let fill = |word: &&str| {
                    let word = word.replace("{n}", &number.to_string());
                    word.replace("{k}", &(number % 8).to_string())
                };
                let arguments: Vec<String> = command.iter().map(fill).collect();
                rig.write(&format!("src/a{}.txt", number % 8), &format!("edit {number}\n"));
                // A command takes some tens of milliseconds, most of which is its start.
                let moment = Duration::from_micros(luck.next_u64() % 40_000);
                kills += u64::from(kill(&rig, &arguments, moment));
                commands += 1;
            }
            assert!(is_sound(&rig), "round {round}");
        }
        // Every command still does what it says.
        for command in COMMANDS {
            let arguments: Vec<String> =
                command.iter().map(|word| word.replace("{n}", "1").replace("{k}", "1")).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            rig.says(&[&["context"], &arguments[..]].concat());
        }
        assert!(is_sound(&rig));
        let counts = [("commands", commands), ("kills", kills)];
        println!("{counts:?}");
        run.report(&counts);
        assert!(kills > 0);
    }
}
