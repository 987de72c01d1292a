//! Commands that die in the middle.

use std::{
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use piton_core::port::fixed::SeededEntropy;
use piton_models::{WireFormat, testing::ModelServer};
use piton_store::testing::LongRun;
use serde_json::json;

use super::{
    generating::{KEY, answers, executor, models},
    is_sound,
};
use crate::rig::Rig;

/// Every command. `{n}` is another number each time, `{k}` that of a file, and `{models}` says where models are.
const COMMANDS: &[&[&str]] = &[
    &["scan"],
    &["scan", "--force", "--label", "l{n}"],
    &["put-frame", "src/a{k}.txt", "--type", "summary", "--text", "text {n}"],
    &["put-frame", "README.md", "--type", "long", "--file", "long.txt"],
    &["synthesize", ".", "--type", "summary", "--recursive"],
    &["regenerate"],
    &["adopt", "src/a{k}.txt", "long.txt"],
    &["invalidate", ".", "--type", "summary", "--because", "try {n}"],
    &[
        "generate",
        "src",
        "--type",
        "told",
        "--recursive",
        "--yes",
        "--force",
        "--models",
        "{models}",
    ],
    &["batch", "ops.jsonl"],
    &["watch"],
    &["watch", "--regenerate"],
    &["watch", "--regenerate", "--generate", "seen", "--models", "{models}"],
    &["status"],
    &["validate"],
    &["repair"],
    &["repairs"],
    &["history"],
    &["agents"],
    &["tree", "src"],
    &["get-node", "src/a{k}.txt"],
    &["list-frames", "README.md"],
    &["get-head", "."],
    &["compose", "README.md"],
    &["compose", "README.md", "--preview"],
    &["diff", "@-1"],
    &["report"],
];

/// What a model is asked for, where one is.
const PROMPT: &[&str] = &["--prompt", "Say what it is.", "--on-failure", "continue"];

/// Files of the project that frames are put on.
const FILES: u64 = 8;

/// Answers of a model that one command can need: for each file and directory twice.
const ANSWERS: usize = 24;

/// The latest moment at which a command is killed; most are done by then.
const LATEST_US: u64 = 80_000;

fn project() -> Rig {
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("long.txt", &"words ".repeat(10_000));
    let mut operations = String::new();
    for number in 0..FILES {
        rig.write(&format!("src/a{number}.txt"), "a file\n");
        let operation = json!({ "op": "put", "node": format!("src/a{number}.txt"),
            "frameType": "note", "content": format!("n{number}") });
        operations = format!("{operations}{operation}\n");
    }
    rig.write("ops.jsonl", &operations);
    rig.says(&["context", "scan"]);
    rig.says(&["context", "put-frame", "README.md", "--type", "summary", "--text", "A sample."]);
    rig.says(&["context", "synthesize", ".", "--type", "summary", "--recursive"]);
    rig
}

/// A command with everything filled in.
fn filled(command: &[&str], models: &str, number: u64) -> Vec<String> {
    let prompt = if command.contains(&"{models}") { PROMPT } else { &[] };
    let fill = |word: &&str| {
        let word = word.replace("{models}", models).replace("{n}", &number.to_string());
        word.replace("{k}", &(number % FILES).to_string())
    };
    ["context"].iter().chain(command).chain(prompt).map(fill).collect()
}

fn start(rig: &Rig, arguments: &[String]) -> Child {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = rig.command(&arguments);
    command.env("MODEL_KEY", KEY).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Runs a command, edits a file halfway, and kills it after `moment`. Returns whether it was still at work.
fn kill(rig: &Rig, arguments: &[String], moment: Duration, edit: impl FnOnce()) -> bool {
    let mut child = start(rig, arguments);
    let began = Instant::now();
    let until = |moment| {
        while began.elapsed() < moment {
            std::hint::spin_loop();
        }
    };
    until(moment / 2);
    edit();
    until(moment);
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

#[test]
fn no_command_is_left_out() {
    let help = Rig::new().says(&["context", "--help"]);
    let listed = help.split("Commands:\n").nth(1).unwrap();
    let names = listed.lines().map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(names.len() >= 18, "{names:?}");
    for name in names {
        assert!(COMMANDS.iter().any(|command| command[0] == name), "{name}");
    }
}

mod long {
    use super::*;

    // shows in part: CT-087, CT-027 (the command line)
    #[test]
    fn a_command_that_is_killed_leaves_what_was_before_or_what_is_after() {
        let run = LongRun::start("context: commands killed in the middle");
        println!("{run}");
        let luck = SeededEntropy::new(run.seed());
        let rig = project();
        let executor = executor();
        let server = executor.block_on(ModelServer::start());
        let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
        let rounds = LongRun::size(2, 60);
        let (mut kills, mut commands) = (0, 0);
        for round in 0..rounds {
            for command in COMMANDS {
                let number = luck.next_u64() % 1_000;
                let arguments = filled(command, &models, number);
                let edit = |text: &str| {
                    rig.write(
                        &format!("src/a{}.txt", number % FILES),
                        &format!("{text} {number}\n"),
                    );
                };
                edit("edit");
                answers(&server, ANSWERS);
                // A command takes some tens of milliseconds, most of which is its start.
                let moment = Duration::from_micros(luck.next_u64() % LATEST_US);
                kills += u64::from(kill(&rig, &arguments, moment, || edit("meanwhile")));
                commands += 1;
                assert!(is_sound(&rig), "round {round}: {arguments:?} after {moment:?}");
            }
        }
        // Every command still does what it says.
        for command in COMMANDS.iter().filter(|command| command[0] != "watch") {
            answers(&server, ANSWERS);
            let arguments = filled(command, &models, 1);
            let status = start(&rig, &arguments).wait().unwrap();
            // The files were edited, so that some texts stay stale whatever is regenerated.
            let is_done =
                status.success() || (command[0], status.code()) == ("regenerate", Some(1));
            assert!(is_done, "{arguments:?}");
        }
        assert!(is_sound(&rig));
        let counts = [("commands", commands), ("kills", kills)];
        println!("{counts:?}");
        run.report(&counts);
        assert!(kills > 0);
    }
}
