//! Each command, with what it says to people and to programs.

use serde_json::{Value, json};

use super::{AGENTS, configure, project, transcript};
use crate::rig::Rig;

/// Commands in the order in which somebody would try them.
const TOUR: &[&[&str]] = &[
    &["context", "status"],
    &["context", "scan"],
    &["context", "scan"],
    &["context", "status"],
    &["context", "put-frame", "README.md", "--type", "summary", "--text", "Says what it is."],
    &["context", "put-frame", "README.md", "--type", "summary", "--text", "Says what it is."],
    &["context", "put-frame", "src/main.rs", "--type", "summary", "--text", "Where it starts."],
    &["context", "put-frame", "src/lib.rs", "--type", "review", "--text", "Fine."],
    &["context", "synthesize", ".", "--type", "summary"],
    &["context", "synthesize", ".", "--type", "summary", "--recursive"],
    &["context", "status"],
    &["context", "get-node", "src"],
    &["context", "get-node", "src", "--ids", "--max-frames", "1"],
    &["context", "list-frames", "README.md"],
    &["context", "get-head", "README.md", "--type", "summary"],
    &["context", "get-head", "README.md", "--type", "review"],
    &["context", "compose", "src/main.rs", "--tokens", "60"],
    &["context", "invalidate", "src", "--type", "summary", "--because", "too short"],
    &["context", "status"],
    &["context", "regenerate"],
    &["context", "report"],
    &["context", "report", "--markdown", "--fail-on", "missing"],
    &["context", "history"],
    &["context", "agents"],
    &["context", "validate"],
    &["context", "get-node", "READNE.md"],
    &["context", "get-node", "../other"],
    &["context", "diff", "@-7"],
    &["context", "regenerate", "--agent", "nobody"],
    &["context", "generate", "--type", "summary"],
];

// shows: CT-080
// shows in part: CT-012 (the command line), CT-042 (the command line)
#[test]
fn this_is_what_people_read() {
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("src/main.rs", "fn main() {}\n");
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    // Files as young as the tick of the clock are read again, and the reported counts would depend on the machine.
    std::thread::sleep(10 * piton_context::bounds::FINE_TICK);
    let mut said: Vec<String> = TOUR.iter().map(|command| transcript(&rig, command)).collect();
    rig.write("src/main.rs", "fn main() { run() }\n");
    rig.write("new.txt", "new\n");
    for command in [
        &["context", "scan", "--label", "after"][..],
        &["context", "diff"],
        &["context", "status"],
        &["context", "report", "--fail-on", "stale"],
        &["context", "get-node", "src/main.rs", "--at", "@-1", "--ids"],
    ] {
        said.push(transcript(&rig, command));
    }
    insta::assert_snapshot!(said.join("\n"));
}

// shows in part: CT-080 (the part about `--json`)
#[test]
fn programs_get_one_document_with_the_name_of_its_shape() {
    let rig = project();
    let batch = rig.write(
        "ops.jsonl",
        "{\"op\":\"put\",\"node\":\"src\",\"frameType\":\"note\",\"content\":\"n\"}\n",
    );
    let cases: &[(&[&str], &str)] = &[
        (&["scan"], "scan"),
        (&["put-frame", "README.md", "--type", "note", "--text", "x"], "put"),
        (&["status"], "status"),
        (&["validate"], "validate"),
        (&["history"], "history"),
        (&["agents"], "agents"),
        (&["tree"], "tree"),
        (&["get-node", "."], "node"),
        (&["list-frames", "README.md"], "frames"),
        (&["get-head", "README.md"], "heads"),
        (&["compose", "README.md"], "composed"),
        (&["compose", "README.md", "--preview"], "preview"),
        (&["synthesize", ".", "--type", "note", "--missing", "skip"], "synthesize"),
        (&["invalidate", ".", "--type", "note", "--because", "why"], "invalidate"),
        (&["regenerate"], "regenerate"),
        (&["batch", batch.to_str().unwrap()], "batch"),
        (&["diff", "@", "@"], "diff"),
        (&["report"], "report"),
        (&["generate", "--type", "g", "--prompt", "p", "--dry-run"], "estimate"),
    ];
    for (arguments, name) in cases {
        let told = rig.tells(&[&["context"], *arguments].concat());
        assert_eq!(told["schema"], json!(format!("piton.context.{name}/1")), "{arguments:?}");
    }
}

#[test]
fn paths_are_relative_to_where_one_stands_and_ids_may_be_cut_short() {
    let rig = project();
    configure(&rig, "");
    let shown = rig.tells(&["context", "get-node", "src/lib.rs"]);
    let id = shown["id"].as_str().unwrap();
    let mut inside = rig.command(&["context", "get-node", "lib.rs", "--json"]);
    let output = inside.current_dir(rig.project().join("src")).output().unwrap();
    let from_inside: Value = serde_json::from_slice(&output.stdout).unwrap();
    let absolute = rig.project().canonicalize().unwrap().join("src/lib.rs");
    for other in [
        rig.tells(&["context", "get-node", &id[..20]]),
        rig.tells(&["context", "get-node", absolute.to_str().unwrap()]),
        from_inside,
    ] {
        assert_eq!(other["path"], "src/lib.rs");
        assert_eq!(other["id"], id);
    }
}

// shows: CT-048 (with the_same_mistake_gives_the_same_words)
// shows in part: CT-030 (the command line), CT-032 (the command line), CT-035 (the command line)
#[test]
fn a_role_holds_on_the_command_line_and_the_refusal_is_the_same_each_time() {
    let rig = project();
    configure(&rig, "");
    let put = |agent: &'static str| {
        ["context", "put-frame", "README.md", "--type", "t", "--text", "x", "--agent", agent]
    };
    let (code, error) = rig.fails(&put("scout"));
    assert_eq!((code, &error["code"]), (1, &json!("CONTEXT_FORBIDDEN")));
    for _ in 0..10 {
        assert_eq!(rig.fails(&put("scout")), (code, error.clone()));
    }
    // Every run is another process at another time, and answers with the same bytes and the same code.
    for mistake in [
        &["get-node", "src/lob.rs"][..],
        &["get-node", "../outside"],
        &["diff", "@-99"],
        &["get-head", "README.md", "--agent", "nobody"],
        &["adopt", "no/such", "README.md"],
        &["synthesize", "README.md", "--type", "t"],
        &["put-frame", "README.md", "--type", "not a word", "--text", "x"],
    ] {
        let ask = || {
            let output = rig.run(&[&["context"], mistake, &["--json"]].concat());
            (output.status.code(), output.stdout, output.stderr)
        };
        let first = ask();
        assert_ne!(first.0, Some(0), "{mistake:?}");
        for _ in 0..3 {
            assert_eq!(ask(), first, "{mistake:?}");
        }
    }
    rig.says(&put("scribe"));
    let regenerate = |agent| ["context", "regenerate", "--agent", agent];
    assert_eq!(rig.fails(&regenerate("scout")).1["code"], "CONTEXT_FORBIDDEN");
    assert_eq!(rig.fails(&regenerate("scribe")).1["code"], "CONTEXT_FORBIDDEN");
    rig.says(&regenerate("librarian"));
    let (code, error) = rig.fails(&regenerate("libarian"));
    assert_eq!((code, &error["code"]), (1, &json!("CONTEXT_UNKNOWN_AGENT")));
    assert_eq!(error["suggestion"], "Write `librarian`.");
    let forged = [&put("scribe")[..], &["--meta", "run=run_1"]].concat();
    assert_eq!(rig.fails(&forged).1["code"], "VALIDATION_ERROR");
}

// shows in part: CT-033 (the command line)
#[test]
fn a_bad_configuration_is_told_whole_before_anything_is_done() {
    let rig = project();
    let text = "[context]\nagents = 3\n\n[http]\nprot = 1\n";
    rig.write("piton.toml", text);
    let (code, error) = rig.fails(&["context", "status"]);
    let message = error["message"].as_str().unwrap();
    assert_eq!(code, 1);
    assert!(message.contains("piton.toml:2:10") && message.contains("piton.toml:5:1"), "{message}");
    rig.write(
        "piton.toml",
        &format!("{AGENTS}\n[[context.agents]]\nname = \"scout\"\nrole = \"boss\"\n"),
    );
    let (_, error) = rig.fails(&["context", "status"]);
    assert!(error["message"].as_str().unwrap().contains("boss"), "{error}");
}

// shows: CT-089
#[test]
fn long_work_shows_how_far_it_is_on_a_terminal_and_nowhere_else() {
    let rig = project();
    let piton = env!("CARGO_BIN_EXE_piton");
    let mut command = rig.command(&[]);
    let on_terminal = std::process::Command::new("script")
        .args(["-qec", &format!("{piton} context scan --force"), "/dev/null"])
        .env_clear()
        .env("HOME", rig.home())
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm")
        .current_dir(rig.project())
        .output()
        .unwrap();
    assert!(on_terminal.status.success());
    let seen = String::from_utf8_lossy(&on_terminal.stdout).into_owned();
    let (_, after) = seen.split_once("Scanning ~/project").unwrap_or_else(|| panic!("{seen:?}"));
    assert!(after.contains("\r\u{1b}[2K"), "the line is cleared at the end: {seen:?}");
    let piped = command.args(["context", "scan", "--force"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&piped.stderr), "");
    assert!(!String::from_utf8_lossy(&piped.stdout).contains("Scanning"));
}

#[test]
fn cleaning_up_keeps_what_frames_say() {
    let rig = project();
    let long = "words ".repeat(10_000);
    let file = rig.home().join("long.txt");
    std::fs::write(&file, &long).unwrap();
    let file = file.to_str().unwrap();
    rig.says(&["context", "put-frame", "README.md", "--type", "long", "--file", file]);
    let cleaned = rig.tells(&["session", "gc"]);
    let context = |cleaned: &Value| {
        let blobs = cleaned["blobs"].as_array().unwrap().clone();
        blobs.into_iter().find(|swept| swept["namespace"] == "context")
    };
    let swept = context(&cleaned).expect("context is looked after");
    assert_eq!((&swept["kept"], &swept["removed"]), (&json!(1), &json!(0)));
    let shown = rig.tells(&["context", "get-node", "README.md"]);
    assert_eq!(shown["frames"][0]["content"].as_str().unwrap(), long);
}
