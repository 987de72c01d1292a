//! Frames that models write, on real sockets.

use std::process::{Child, Stdio};

use piton_models::WireFormat;
use piton_models::testing::{ModelServer, ScriptedReply, ServerFault};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{AGENTS, is_sound, project};
use crate::rig::{Rig, text};

pub(super) fn executor() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A file that says where models are: providers of these names and wire formats, the first the default.
pub(super) fn models(rig: &Rig, providers: &[(&str, WireFormat, &ModelServer)]) -> String {
    let one = |(name, wire, server): &(&str, WireFormat, &ModelServer)| {
        json!({ "name": name, "wire": wire, "model": "small", "timeoutMs": 1000,
            "key": { "env": "MODEL_KEY" }, "baseUrl": server.base_url(*wire) })
    };
    let providers: Vec<Value> = providers.iter().map(one).collect();
    let settings = json!({ "default": providers[0]["name"], "providers": providers });
    let path = rig.home().join("models.json");
    std::fs::write(&path, settings.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

pub(super) fn answers(server: &ModelServer, count: usize) {
    (0..count).for_each(|number| {
        server.push_reply(ScriptedReply::text(&format!("answer {number}")));
    });
}

pub(super) const KEY: &str = "sk-very-secret";

/// Generates `summary` frames; the exit code and the JSON.
fn generate(rig: &Rig, models: &str, more: &[&str]) -> (i32, Value) {
    let output = start(rig, models, more).wait_with_output().unwrap();
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(!said.contains(KEY), "the key is told: {said}");
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    (output.status.code().unwrap(), told)
}

fn start(rig: &Rig, models: &str, more: &[&str]) -> Child {
    let usual = ["context", "generate", "--type", "summary", "--prompt", "Say what it is."];
    let all = [&usual[..], &["--models", models, "--yes", "--json"], more].concat();
    let mut command = rig.command(&all);
    command.env("MODEL_KEY", KEY).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn fates(told: &Value) -> Vec<(String, String)> {
    let nodes = told["generated"]["nodes"].as_array().unwrap();
    let field = |node: &Value, name: &str| node[name].as_str().unwrap().to_owned();
    nodes.iter().map(|node| (field(node, "path"), field(node, "fate"))).collect()
}

// shows: CT-074 (with what_was_renamed_is_not_asked_about_again)
// shows in part: CT-022 (frames that models write)
#[test]
fn a_tree_is_filled_from_the_bottom_up_and_the_same_again_asks_nobody() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 5);
    let (code, told) = generate(&rig, &models, &["--recursive", "--at-once", "1"]);
    assert_eq!(code, 0, "{told}");
    let order: Vec<String> = fates(&told).into_iter().map(|(path, _)| path).collect();
    assert_eq!(order, ["src/lib.rs", "src/main.rs", "README.md", "src", "."]);
    assert!(fates(&told).iter().all(|(_, fate)| fate == "made"));
    let last = server.seen().last().unwrap().body["messages"].to_string();
    assert!(last.contains("The directory .") && last.contains("answer 3"), "{last}");
    let shown = rig.tells(&["context", "get-node", "src"]);
    let frame = &shown["frames"][0];
    assert_eq!((&frame["content"], &frame["made"]), (&json!("answer 3"), &json!("generated")));
    let said = |name: &str| frame["metadata"][name].as_str().unwrap().to_owned();
    assert_eq!([said("provider"), said("model"), said("input_tokens")], ["local", "small", "11"]);
    assert!(said("output_tokens").parse::<u64>().is_ok());

    let (code, told) = generate(&rig, &models, &["--recursive"]);
    assert_eq!((code, &told["estimate"]["calls"]), (0, &json!(0)));
    assert!(fates(&told).iter().all(|(_, fate)| fate == "existing"), "{told}");
    assert_eq!(told["generated"]["nodes"][0]["provider"], "local");
    assert_eq!(server.seen().len(), 5, "nobody was asked");

    rig.write("src/lib.rs", "pub fn other() {}\n");
    answers(&server, 4);
    let (_, told) = generate(&rig, &models, &["--recursive"]);
    let made = fates(&told).into_iter().filter(|(_, fate)| fate == "made").count();
    assert_eq!((made, server.seen().len()), (3, 8), "the file, its directory and the one above");
    let (_, told) = generate(&rig, &models, &["README.md", "--force"]);
    assert_eq!(fates(&told), [("README.md".to_owned(), "made".to_owned())]);
    let shown = rig.tells(&["context", "list-frames", "README.md"]);
    assert_eq!(shown["frameCount"], 2, "the first attempt stays");
    assert!(is_sound(&rig));
}

// shows in part: CT-075 (the estimate comes first)
#[test]
fn nobody_is_asked_before_somebody_said_yes() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    let usual =
        ["context", "generate", "--type", "summary", "--prompt", "Why?", "--models", &models];
    let dry = rig.tells(&[&usual[..], &["--recursive", "--dry-run"]].concat());
    assert_eq!((&dry["calls"], &dry["outputTokensMax"]), (&json!(5), &json!(4000)));
    assert!(dry["inputTokens"].as_u64().unwrap() > 0);
    let (code, error) = rig.fails(&[&usual[..], &["--recursive"]].concat());
    assert_eq!((code, &error["code"]), (1, &json!("VALIDATION_ERROR")));
    assert!(error["suggestion"].as_str().unwrap().contains("--yes"), "{error}");
    assert!(server.seen().is_empty());
    assert_eq!(rig.tells(&["context", "status"])["types"], json!([]));
}

// shows in part: CT-072 (through the command line), CT-073 (through the command line), CT-075 (the part that an answer which is empty or cut is a failure)
#[test]
fn whatever_goes_wrong_with_a_model_is_told_and_leaves_nothing_behind() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    let cases = [
        (ScriptedReply::Fault(ServerFault::BadJson), "local sent no usable answer"),
        (ScriptedReply::Fault(ServerFault::NoAnswer), "local sent no usable answer"),
        (ScriptedReply::Fault(ServerFault::Hang), "local did not answer within 1000 ms"),
        (ScriptedReply::Fault(ServerFault::Cut), "local hung up before the answer was complete"),
        (ScriptedReply::status(404, "no such model"), "local does not have the model `small`"),
        (
            ScriptedReply::status(401, &format!("bad key {KEY}")),
            "local refused the key: bad key [key]",
        ),
        (ScriptedReply::text(""), "the answer of local is empty"),
        (
            ScriptedReply::CutShort("It is".to_owned()),
            "cut off at the limit of tokens, after 7 tokens; allow more with --answer-tokens",
        ),
        (ScriptedReply::call("look", json!({})), "calls the tool `look`, but no tool was offered"),
    ];
    for (reply, words) in cases {
        server.push_reply(reply);
        let (code, told) = generate(&rig, &models, &["README.md"]);
        let node = &told["generated"]["nodes"][0];
        assert_eq!((code, &node["fate"]), (1, &json!("failed")), "{told}");
        assert!(node["reason"].as_str().unwrap().contains(words), "{told}");
    }
    let asked = server.seen().len();
    server.push_reply(ScriptedReply::Fault(ServerFault::Status(
        429,
        "slow down".to_owned(),
        Some(1),
    )));
    server.push_reply(ScriptedReply::text("patience"));
    let (code, told) = generate(&rig, &models, &["README.md"]);
    assert_eq!((code, server.seen().len() - asked), (0, 2), "{told}");
    assert_eq!(rig.tells(&["context", "get-node", "README.md"])["frameCount"], 1);
    assert!(is_sound(&rig));
}

// shows in part: CT-075 (the failure policy)
#[test]
fn after_a_failure_it_stops_or_leaves_out_what_depends_on_it() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::Anthropic, &server)]);
    server.push_reply(ScriptedReply::Fault(ServerFault::BadJson));
    let (code, told) = generate(&rig, &models, &["--recursive", "--at-once", "1"]);
    let fate = |path: &str, fate: &str| (path.to_owned(), fate.to_owned());
    assert_eq!(code, 1);
    assert_eq!(
        fates(&told)[..2],
        [fate("src/lib.rs", "failed"), fate("src/main.rs", "not_started")]
    );
    assert_eq!(server.seen().len(), 1);
    server.push_reply(ScriptedReply::Fault(ServerFault::BadJson));
    answers(&server, 2);
    let (code, told) =
        generate(&rig, &models, &["--recursive", "--at-once", "1", "--on-failure", "continue"]);
    let expected = [
        fate("src/lib.rs", "failed"),
        fate("src/main.rs", "made"),
        fate("README.md", "made"),
        fate("src", "skipped"),
        fate(".", "skipped"),
    ];
    assert_eq!((code, fates(&told)), (1, expected.to_vec()));
    answers(&server, 3);
    let (code, told) = generate(&rig, &models, &["--recursive"]);
    assert_eq!((code, told["generated"]["answers"].clone()), (0, json!(3)));
}

// shows: CT-075 (with models_are_asked_no_faster_than_a_minute_allows, a_provider_that_asks_for_patience_is_left_alone_for_so_long, as_many_models_are_asked_at_once_as_allowed_and_no_more, generating_shows_how_far_it_is_on_a_terminal, nobody_is_asked_before_somebody_said_yes, after_a_failure_it_stops_or_leaves_out_what_depends_on_it, a_failure_in_the_middle_tells_what_was_made, whatever_goes_wrong_with_a_model_is_told_and_leaves_nothing_behind, what_would_be_refused_is_found_before_a_model_is_asked, a_model_is_asked_about_a_directory_of_many_entries_and_its_answer_is_kept)
// shows in part: CT-087 (`generate`)
#[test]
fn what_was_killed_midway_goes_on_where_it_stopped() {
    const FILES: usize = 198;
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = Rig::new();
    for number in 0..FILES {
        rig.write(&format!("d/f{number}.txt"), &format!("text {number}\n"));
    }
    rig.says(&["context", "scan"]);
    let models = models(&rig, &[("local", WireFormat::Ollama, &server)]);
    answers(&server, 2 * FILES);
    let mut child = start(&rig, &models, &["--recursive"]);
    while server.seen().len() < 40 {
        assert!(child.try_wait().unwrap().is_none(), "it is at work");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_sound(&rig));
    let (code, told) = generate(&rig, &models, &["--recursive"]);
    assert_eq!(code, 0);
    let asked = server.seen().len();
    assert!(asked <= FILES + 2 + 4, "only what was under way was asked twice: {asked}");
    let existing = fates(&told).into_iter().filter(|(_, fate)| fate == "existing").count();
    assert!(existing >= 30, "{existing}");
    let status = rig.tells(&["context", "status"]);
    let line = &status["types"][0];
    assert_eq!((&line["fresh"], &line["missing"]), (&json!(FILES + 2), &json!(0)), "{line}");
    assert!(is_sound(&rig));
}

// shows: CT-076
// shows in part: CT-070 (several at once)
#[test]
fn three_providers_answer_at_once_and_an_agent_is_the_same_whoever_answers() {
    let executor = executor();
    let servers: Vec<ModelServer> =
        (0..3).map(|_| executor.block_on(ModelServer::start())).collect();
    let rig = project();
    let wires = [
        ("one", WireFormat::OpenAi),
        ("two", WireFormat::Anthropic),
        ("three", WireFormat::Ollama),
    ];
    let all: Vec<_> =
        wires.iter().zip(&servers).map(|((name, wire), server)| (*name, *wire, server)).collect();
    let models = models(&rig, &all);
    rig.write(
        "piton.toml",
        &AGENTS.replace("name = \"scribe\"", "name = \"scribe\"\nprovider = \"two\""),
    );
    rig.says(&["context", "scan"]);
    for server in &servers {
        answers(server, 3);
    }
    let children = [
        ("README.md", "one", "person"),
        ("src/lib.rs", "two", "person"),
        ("src/main.rs", "three", "person"),
    ]
    .map(|(path, provider, _)| start(&rig, &models, &[path, "--provider", provider]));
    for (child, (name, _)) in children.into_iter().zip(wires) {
        let told: Value =
            serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(told["generated"]["nodes"][0]["provider"], name, "{told}");
    }
    let (_, told) = generate(&rig, &models, &["piton.toml", "--agent", "scribe"]);
    assert_eq!(told["generated"]["nodes"][0]["provider"], "two", "the agent's own");
    let (_, again) =
        generate(&rig, &models, &["piton.toml", "--agent", "scribe", "--provider", "one"]);
    let node = &again["generated"]["nodes"][0];
    assert_eq!((&node["fate"], &node["provider"]), (&json!("existing"), &json!("two")));
    assert_eq!(node["frame"], told["generated"]["nodes"][0]["frame"]);
    let (_, other) =
        generate(&rig, &models, &["README.md", "--agent", "librarian", "--provider", "none"]);
    let reason = other["generated"]["nodes"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("is not configured"), "{reason}");
    let (code, error) = rig.fails(&["context", "generate", "--type", "t", "--agent", "scout"]);
    assert_eq!((code, &error["code"]), (1, &json!("VALIDATION_ERROR")), "it has no prompt");
    let asked = ["context", "generate", "--type", "t", "--agent", "scout", "--prompt", "p"];
    assert_eq!(rig.fails(&asked).1["code"], "CONTEXT_FORBIDDEN");
}

// shows: CT-053
#[test]
fn a_directory_is_synthesised_by_a_model_from_what_is_said_of_its_entries() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    for (path, words) in [("src/lib.rs", "It answers."), ("src/main.rs", "It starts.")] {
        rig.says(&["context", "put-frame", path, "--type", "summary", "--text", words]);
    }
    server.push_reply(ScriptedReply::text("Code that answers."));
    let arguments = ["context", "synthesize", "src", "--type", "summary", "--policy", "model"];
    let more = ["--prompt", "In one sentence.", "--models", &models];
    let mut command = rig.command(&[&arguments[..], &more].concat());
    assert!(command.env("MODEL_KEY", KEY).output().unwrap().status.success());
    let sent = server.seen().last().unwrap().body["messages"][1]["content"].clone();
    insta::assert_snapshot!("what_a_model_is_asked_about_a_directory", sent.as_str().unwrap());
    let shown = rig.tells(&["context", "get-node", "src"]);
    assert_eq!(shown["frames"][0]["content"], "Code that answers.");
    assert_eq!(shown["frames"][0]["isFresh"], true);
    rig.says(&["context", "put-frame", "src/lib.rs", "--type", "summary", "--text", "Other."]);
    assert_eq!(rig.tells(&["context", "get-node", "src"])["frames"][0]["isFresh"], false);
}

// shows in part: CT-074 (the part that what was renamed is not paid for twice)
#[test]
fn what_was_renamed_is_not_asked_about_again() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 5);
    assert_eq!(generate(&rig, &models, &["src", "--recursive"]).0, 0);
    assert_eq!(server.seen().len(), 3);
    std::fs::rename(rig.project().join("src"), rig.project().join("code")).unwrap();
    let (code, told) = generate(&rig, &models, &["code", "--recursive"]);
    assert_eq!(code, 0, "{told}");
    assert!(fates(&told).iter().all(|(_, fate)| fate == "existing"), "{told}");
    assert_eq!(server.seen().len(), 3, "nobody was asked");
    let frame = rig.tells(&["context", "get-node", "code"])["frames"][0].clone();
    assert_eq!((&frame["isFresh"], &frame["made"]), (&json!(true), &json!("generated")), "{frame}");
    assert!(is_sound(&rig));
}

// shows in part: CT-066 (frames that models wrote)
#[test]
fn a_model_is_asked_again_about_what_somebody_called_wrong() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 2);
    generate(&rig, &models, &["README.md"]);
    let why = ["--type", "summary", "--because", "wrong"];
    rig.says(&[&["context", "invalidate", "README.md"][..], &why].concat());
    let (code, told) = generate(&rig, &models, &["README.md"]);
    assert_eq!((code, fates(&told)[0].1.as_str()), (0, "made"), "{told}");
    let frame = rig.tells(&["context", "get-node", "README.md"])["frames"][0].clone();
    assert_eq!((&frame["content"], &frame["isFresh"]), (&json!("answer 1"), &json!(true)));
}

// shows in part: CT-075 (the part that what would be refused is found first)
#[test]
fn what_would_be_refused_is_found_before_a_model_is_asked() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    let long = ["d".repeat(210), "e".repeat(210), "f".repeat(210), "g".repeat(210)].join("/");
    rig.write(&long, "a file whose path is too long for a frame\n");
    let (_, told) = generate(&rig, &models, &[&long]);
    let node = &told["generated"]["nodes"][0];
    assert_eq!((&node["fate"], server.seen().len()), (&json!("skipped"), 0), "{told}");
    assert!(node["reason"].as_str().unwrap().contains("at most 800 bytes"), "{told}");
}

// shows in part: CT-075 (the progress on a terminal)
#[test]
fn generating_shows_how_far_it_is_on_a_terminal() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 5);
    let piton = env!("CARGO_BIN_EXE_piton");
    let line = format!(
        "{piton} context generate --type summary --recursive --prompt Why --yes --models {models}"
    );
    let output = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .env_clear()
        .env("HOME", rig.home())
        .env("PATH", "/usr/bin:/bin")
        .env("MODEL_KEY", KEY)
        .env("TERM", "xterm")
        .current_dir(rig.project())
        .output()
        .unwrap();
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    for done in 1..=5 {
        assert!(seen.contains(&format!("{done} of 5")), "{seen:?}");
    }
}

// shows in part: CT-075 (the part that what was made is reported after a failure)
#[test]
fn a_failure_in_the_middle_tells_what_was_made() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    server.push_reply(ScriptedReply::text("The first."));
    server.push_reply(ScriptedReply::CutShort("The sec".to_owned()));
    let (code, told) = generate(&rig, &models, &["--recursive", "--at-once", "1"]);
    let found: Vec<String> = fates(&told).into_iter().map(|(_, fate)| fate).collect();
    assert_eq!((code, &found[..3]), (1, &["made", "failed", "not_started"].map(str::to_owned)[..]));
    assert_eq!(told["generated"]["answers"], 2, "both were paid for");
    let shown = rig.tells(&["context", "get-node", "src/lib.rs"]);
    assert_eq!(shown["frames"][0]["content"], "The first.");
    assert_eq!(rig.tells(&["context", "get-node", "src/main.rs"])["frameCount"], 0);
}

#[test]
fn what_status_advises_for_a_text_of_a_model_asks_the_model_again() {
    let executor = executor();
    let server = executor.block_on(ModelServer::start());
    let rig = project();
    rig.write("piton.toml", AGENTS);
    let models = models(&rig, &[("local", WireFormat::OpenAi, &server)]);
    answers(&server, 4);
    let ask = |arguments: &[&str]| {
        let all = [arguments, &["--models", &models, "--yes"]].concat();
        let output = rig.command(&all).env("MODEL_KEY", KEY).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    let by_person = ["context", "generate", "README.md", "--type", "summary", "--prompt", "Why?"];
    let by_agent = ["context", "generate", "src/lib.rs", "--type", "summary", "--agent", "scribe"];
    ask(&by_person);
    ask(&by_agent);
    rig.write("README.md", "# Another sample\n");
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
    for advised in [
        &by_agent[..],
        &["context", "generate", "README.md", "--type", "summary", "--prompt", "What is it for?"],
    ] {
        let said = rig.says(&["context", "status"]);
        let printed = advised.join(" ").replace("What is it for?", "\"What is it for?\"");
        assert!(said.ends_with(&format!("again: piton {printed}\n")), "{said}");
        ask(advised);
    }
    assert!(rig.says(&["context", "status"]).contains("Everything that is there is fresh."));
}
