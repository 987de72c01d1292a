//! The advice of every error code, tried: what it names exists, and it helps against what caused the error.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use piton_core::{Digest, canonical};
use piton_models::{
    WireFormat,
    testing::{ModelServer, ScriptedReply, ServerFault},
};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    recovery::{blobs_below, change_row, damage_end, log_of, outcome, with_backpack},
    rig::{Rig, damage, text},
};

/// The advice of every code.
fn advice(rig: &Rig) -> BTreeMap<String, String> {
    let told = rig.tells(&["explain"]);
    let field = |code: &serde_json::Value, name: &str| code[name].as_str().unwrap().to_owned();
    let codes = told["codes"].as_array().unwrap_or_else(|| panic!("{told}"));
    codes.iter().map(|code| (field(code, "code"), field(code, "advice"))).collect()
}

/// The commands that an advice names, without `piton` and what stands for something.
fn commands(advice: &str) -> Vec<Vec<String>> {
    let quoted = advice.split('`').skip(1).step_by(2);
    let named = quoted.filter_map(|text| text.strip_prefix("piton "));
    let words = |text: &str| {
        let words = text.split(' ').take_while(|word| {
            word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                && !word.starts_with('-')
        });
        words.map(str::to_owned).collect()
    };
    named.map(words).collect()
}

#[test]
fn every_command_that_an_advice_names_exists() {
    let rig = Rig::new();
    let mut silent = Vec::new();
    for (code, advice) in advice(&rig) {
        let named = commands(&advice);
        if named.is_empty() {
            silent.push(code);
            continue;
        }
        for command in named {
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let (exit, said) = outcome(&rig, &[&words[..], &["--help"]].concat());
            assert_eq!(exit, 0, "{code} advises `piton {}`: {said}", words.join(" "));
            let usage = format!("Usage: piton {}", words.join(" "));
            assert!(said.contains(&usage), "{code}: {said}");
        }
    }
    insta::assert_snapshot!("codes_whose_advice_names_no_command", silent.join("\n"));
}

/// The commands that the page about damage names; what they do, the cases below and `recovery` show.
#[test]
fn every_command_of_the_guide_exists() {
    let rig = Rig::new();
    let page = crate::page::repository().join("docs/guides/after-damage.md");
    let named = commands(&fs::read_to_string(page).unwrap());
    assert!(named.len() > 12, "{named:?}");
    for command in named {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let (exit, said) = outcome(&rig, &[&words[..], &["--help"]].concat());
        assert!(exit == 0 && said.contains(&words.join(" ")), "{words:?}: {said}");
    }
}

/// The texts of the console's page, by file.
fn page_sources(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources.extend(page_sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "svelte" || kind == "ts") {
            let text = fs::read_to_string(&path).unwrap();
            sources.push((path, text));
        }
    }
    sources
}

#[test]
fn every_command_that_the_page_of_the_console_names_exists_with_its_options() {
    let rig = Rig::new();
    let page = crate::page::repository().join("crates/console/web/src");
    let mut count = 0;
    for (path, text) in page_sources(&page) {
        for (at, _) in text.match_indices("piton ") {
            // A command begins a text or an element; elsewhere it is a word of a sentence.
            if !text[..at].ends_with(['\'', '"', '`', '>']) {
                continue;
            }
            let command = text[at..].split(['\'', '"', '`', '<', '$', '{']).next().unwrap();
            let words: Vec<&str> = command.split(' ').skip(1).collect();
            let is_name = |word: &&&str| {
                !word.is_empty()
                    && !word.starts_with('-')
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            };
            let mut named: Vec<&str> = words.iter().take_while(is_name).copied().collect();
            named.push("--help");
            let (exit, said) = outcome(&rig, &named);
            assert_eq!(exit, 0, "{} names `{command}`: {said}", path.display());
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(said.contains(option), "{} names `{command}`: {said}", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

/// A failure, and what the person who reads it does.
struct Case {
    code: &'static str,
    rig: Rig,
    /// What the command that failed told.
    error: Value,
    /// What stands for the words in capitals of the advice.
    names: Vec<(&'static str, String)>,
    /// What the advice leaves to the person, before its commands are run.
    act: fn(&Rig),
    /// What works afterwards: what failed, or what the advice shows instead of it.
    works: Vec<String>,
}

/// A command that fails, works again after what its advice says.
fn case(code: &'static str, rig: Rig, fails: &[&str]) -> Case {
    let error = told_error(&rig, fails);
    let works = fails.iter().map(|word| (*word).to_owned()).collect();
    Case { code, rig, error, names: Vec::new(), act: |_| {}, works }
}

impl Case {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.names.push((name, value.to_owned()));
        self
    }

    fn after(self, act: fn(&Rig)) -> Self {
        Self { act, ..self }
    }

    /// Another command works than the one that failed.
    fn instead(mut self, works: &[&str]) -> Self {
        self.works = works.iter().map(|word| (*word).to_owned()).collect();
        self
    }
}

/// The error of a command, wherever in its document it stands.
pub(crate) fn told_error(rig: &Rig, arguments: &[&str]) -> Value {
    let output = rig.run(&[arguments, &["--json"]].concat());
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", text(&output.stderr)));
    assert!(!output.status.success(), "{arguments:?}: {told}");
    told["error"].clone()
}

fn scanned() -> Rig {
    let rig = Rig::new();
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    rig.says(&["context", "scan"]);
    rig
}

fn keys() -> Case {
    let rig = with_backpack();
    rig.tour();
    fs::write(rig.data().join("keys/keyring.json"), b"{").unwrap();
    case("KEYRING_CORRUPT", rig, &["keys", "verify"])
}

fn damaged_backpack() -> Case {
    let rig = with_backpack();
    damage_end(&log_of(&rig, "shared"));
    case("BACKPACK_DAMAGED", rig, &["backpack", "log", "shared"])
}

/// The mark that a failed write leaves is lifted by the check that the advice names.
#[test]
fn a_backpack_whose_disk_failed_is_written_to_again_after_it_was_checked() {
    let rig = with_backpack();
    fs::write(rig.data().join("backpacks/shared/poisoned"), b"").unwrap();
    let pack = || {
        let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
        let packed = agent.call("pack", &json!({ "key": "x", "value": 1 }));
        agent.leave();
        packed
    };
    let refused = pack();
    assert_eq!(refused["code"], "BACKPACK_DAMAGED", "{refused}");
    assert!(refused["suggestion"].as_str().unwrap().contains("piton backpack verify shared"));
    rig.says(&["backpack", "verify", "shared"]);
    assert_eq!(pack()["backpack"], "shared");
}

fn damaged_table() -> Case {
    let rig = scanned();
    let table = rig.data().join("table.sqlite3");
    let mut bytes = fs::read(&table).unwrap();
    bytes[..100].fill(0);
    fs::write(&table, bytes).unwrap();
    case("STORE_TABLE_DAMAGED", rig, &["context", "status"])
}

fn damaged_session() -> Case {
    let rig = Rig::new();
    let run = rig.tour();
    damage(&rig.segment(&run.session));
    case("SESSION_NOT_HEALTHY", rig, &["session", "show", &run.session])
}

/// A session with the mark that a write leaves whose failure could not be undone.
fn poisoned_session() -> Case {
    let rig = Rig::new();
    let session = rig.tour().session;
    fs::write(rig.data().join("sessions").join(&session).join("poisoned"), b"").unwrap();
    case("SESSION_POISONED", rig, &["prefs", "set", "--run", &session, "--risk-policy", "balanced"])
}

fn damaged_context() -> Case {
    let rig = scanned();
    change_row(&rig, "context", |row| row.key.get(16) == Some(&b'R'));
    case("CONTEXT_INTEGRITY", rig, &["context", "status"])
}

/// The record of a file change cannot be read, so the log of the file cannot be shown.
fn damaged_record() -> Case {
    let rig = Rig::new();
    let scratch =
        "[[workspaces]]\nprefix = \"/scratch\"\nscope = \"read-write\"\nvirtual = [\"scratch\"]\n";
    rig.write("piton.toml", scratch);
    let written = rig.type_in(&["workspace", "shell"], "write /scratch/plan.md \"first\"\n");
    assert!(written.status.success(), "{}", text(&written.stderr));
    change_row(&rig, "workflow", |row| {
        row.key.starts_with(b"workspaces/audit/") && row.value.starts_with(b"{")
    });
    case("STORE_INVARIANT_VIOLATION", rig, &["workspace", "log", "/scratch/plan.md"])
}

/// An artifact was changed on the disk; a bundle of its session was exported before.
fn damaged_artifact() -> Case {
    let rig = Rig::new();
    let mut agent = Agent::start(&rig);
    let started = agent.call("start_workflow", &json!({ "workflowId": "wr.tour", "goal": "x" }));
    let output =
        json!({ "notesMarkdown": "Project: x\nSeen: 3", "artifacts": [{ "kind": "my.note" }] });
    let arguments =
        json!({ "ackToken": started["nextCall"]["params"]["ackToken"], "output": output });
    agent.call("continue_workflow", &arguments);
    agent.leave();
    let session = rig.newest().session;
    rig.says(&["session", "export", &session, "before.json"]);
    damage(&blobs_below(&rig.data().join("artifacts")).pop().unwrap());
    case("STORE_CORRUPT_BLOB", rig, &["session", "artifact", &session, "my.note"])
        .with("BUNDLE", "before.json")
        .with("FILE", "saved.json")
}

/// A bundle of a session that is there, after `change`, with digests that fit.
fn changed_bundle(code: &'static str, change: fn(&mut Value)) -> Case {
    let rig = Rig::new();
    let session = rig.tour().session;
    rig.says(&["session", "export", &session, "good.json"]);
    let good = fs::read(rig.project().join("good.json")).unwrap();
    let mut bundle: Value = serde_json::from_slice(&good).unwrap();
    change(&mut bundle);
    for part in ["events", "manifest"] {
        let encoded = canonical::encode(&bundle["session"][part]).unwrap();
        let entries = bundle["integrity"]["entries"].as_array_mut().unwrap();
        let path = format!("session/{part}");
        let entry = entries.iter_mut().find(|entry| entry["path"] == path.as_str()).unwrap();
        entry["sha256"] = json!(Digest::of(&encoded));
        entry["bytes"] = json!(encoded.len());
    }
    rig.write("changed.json", &bundle.to_string());
    case(code, rig, &["session", "import", "changed.json"])
        .with("SESSION", &session)
        .with("FILE", "again.json")
        .instead(&["session", "import", "again.json"])
}

fn bundles() -> [Case; 3] {
    [
        changed_bundle("BUNDLE_INVALID_FORMAT", |bundle| {
            bundle.as_object_mut().unwrap().remove("bundleId");
        }),
        changed_bundle("BUNDLE_EVENT_ORDER_INVALID", |bundle| {
            bundle["session"]["events"].as_array_mut().unwrap().swap(1, 2);
        }),
        changed_bundle("BUNDLE_MANIFEST_ORDER_INVALID", |bundle| {
            bundle["session"]["manifest"].as_array_mut().unwrap().swap(0, 1);
        }),
    ]
}

/// A flow of two nodes, with models that are rehearsed; the second takes what the first packed.
pub(crate) fn with_flow() -> Rig {
    let rig = Rig::new();
    let node = |id: &str, prompt: &str, output: &str| json!({ "id": id, "type": "chat", "params": { "prompt": prompt, "output": output } });
    let nodes = [node("ask", "Where?", "place"), node("tell", "About {{place}}.", "answer")];
    let flow = json!({ "nodes": nodes, "edges": [{ "from": "ask", "to": "tell" }] });
    rig.write("flow.json", &flow.to_string());
    let mut strict = flow;
    strict["nodes"][1]["inputs"] = json!({ "place": { "type": "array" } });
    rig.write("strict.json", &strict.to_string());
    speak(&rig);
    rig
}

/// Lets the models answer everything.
fn speak(rig: &Rig) {
    rig.write("models.json", &json!({ "rehearsed": [{ "say": "Paris" }] }).to_string());
}

pub(crate) const RUN: [&str; 7] =
    ["flow", "run", "flow.json", "--models", "models.json", "--backpack", "kept"];

fn failed_node() -> Case {
    let rig = with_flow();
    let silent = json!({ "rehearsed": [{ "when": ["nobody asks this"], "say": "" }] });
    rig.write("models.json", &silent.to_string());
    case("FLOW_NODE_FAILED", rig, &RUN)
        .after(speak)
        .with("FILE", "flow.json")
        .instead(&["backpack", "at", "kept", "--key", "answer"])
}

fn broken_contract() -> Case {
    let run = ["flow", "run", "strict.json", "--models", "models.json", "--backpack", "kept"];
    case("FLOW_CONTRACT_BROKEN", with_flow(), &run)
        .with("FILE", "flow.json --into corrected")
        .with("NODE", "tell")
        .instead(&["backpack", "at", "corrected", "--key", "answer"])
}

/// A node finds a text where it keeps a list.
fn wrong_type() -> Case {
    let rig = with_flow();
    rig.write(
        "piton.toml",
        "[[workspaces]]\nprefix = \"/project\"\nscope = \"read-only\"\ndirectory = \".\"\n",
    );
    let params = json!({ "prompt": "Look.", "tools": ["ls"], "output": "found" });
    let flow = json!({ "nodes": [{ "id": "scout", "type": "agent", "params": params }] });
    rig.write("agent.json", &flow.to_string());
    let call = json!({ "name": "decide", "arguments": { "choice": "answer" } });
    let models =
        json!({ "rehearsed": [{ "when": ["Choose one"], "call": call }, { "say": "Nothing." }] });
    rig.write("models.json", &models.to_string());
    let run = ["flow", "run", "agent.json", "--models", "models.json", "--backpack", "kept"];
    case("BACKPACK_WRONG_TYPE", rig, &[&run[..], &["--set", "scout.calls=none"]].concat())
        .with("scout.calls=VALUE", "scout.calls=[] --into corrected")
        .instead(&["backpack", "at", "corrected", "--key", "found"])
}

fn step_limit() -> Case {
    case("FLOW_STEP_LIMIT", with_flow(), &[&RUN[..], &["--steps-max", "1"]].concat())
        .with("COUNT", "10")
        .instead(&["backpack", "at", "kept", "--key", "answer"])
}

fn not_resumable() -> Case {
    let rig = with_flow();
    rig.says(&RUN);
    let resume = ["flow", "resume", "kept", "--models", "models.json"];
    case("FLOW_NOT_RESUMABLE", rig, &resume)
        .with("FILE", "flow.json")
        .with("NODE", "tell")
        .instead(&["backpack", "at", "kept", "--key", "answer"])
}

fn invalid_flow() -> Case {
    let rig = with_flow();
    let good = fs::read_to_string(rig.project().join("flow.json")).unwrap();
    rig.write("flow.json", &good.replace("\"chat\"", "\"chatt\""));
    let act = |rig: &Rig| {
        let wrong = fs::read_to_string(rig.project().join("flow.json")).unwrap();
        rig.write("flow.json", &wrong.replace("\"chatt\"", "\"chat\""));
    };
    case("FLOW_INVALID", rig, &RUN).after(act).with("FILE", "flow.json")
}

/// A run that somebody stops while its model thinks.
fn cancelled() -> Case {
    let executor =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = executor.block_on(ModelServer::start());
    let rig = with_flow();
    let provider = json!({ "name": "local", "wire": "openai", "model": "small",
        "baseUrl": server.base_url(WireFormat::OpenAi) });
    let models = json!({ "default": "local", "providers": [provider] });
    rig.write("models.json", &models.to_string());
    server.push_reply(ScriptedReply::Fault(ServerFault::Hang));
    let arguments = [&RUN[..], &["--json"]].concat();
    let child = rig.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    executor.block_on(async {
        while server.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let output = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let works = ["backpack", "at", "kept", "--key", "answer"].map(str::to_owned).to_vec();
    let (error, names) = (told["error"].clone(), Vec::new());
    Case { code: "FLOW_CANCELLED", rig, error, names, act: speak, works }
}

fn cases() -> Vec<Case> {
    let with_frame = scanned();
    with_frame.says(&["context", "put-frame", "src/lib.rs", "--type", "note", "--text", "One."]);
    let head = ["context", "get-head", "src/lib.rs", "--type"];
    let mut all = vec![
        keys(),
        damaged_backpack(),
        damaged_table(),
        damaged_session(),
        poisoned_session(),
        damaged_context(),
        damaged_record(),
        damaged_artifact(),
        failed_node(),
        broken_contract(),
        wrong_type(),
        step_limit(),
        not_resumable(),
        invalid_flow(),
        cancelled(),
        case("CONTEXT_NODE_NOT_FOUND", scanned(), &["context", "get-node", "src/new.rs"]).after(
            |rig| {
                rig.write("src/new.rs", "// new\n");
            },
        ),
        case("CONTEXT_NOT_SCANNED", Rig::new(), &["context", "status"]),
        case("CONTEXT_ROOT_NOT_FOUND", scanned(), &["context", "diff", "no-such", "@"])
            .instead(&["context", "diff", "@", "@"]),
        case("CONTEXT_FRAME_NOT_FOUND", with_frame, &[&head[..], &["summary"]].concat())
            .instead(&[&head[..], &["note"]].concat()),
        case("SESSION_NOT_FOUND", Rig::new(), &["session", "show", "no-such"])
            .instead(&["session", "list"]),
        case("BACKPACK_NOT_FOUND", with_backpack(), &["backpack", "log", "no-such"])
            .instead(&["backpack", "log", "shared"]),
        case("BACKPACK_UNKNOWN_COMMIT", with_backpack(), &["backpack", "show", "shared", "c999"])
            .instead(&["backpack", "show", "shared", "c1"]),
    ];
    all.extend(bundles());
    all
}

/// The commands that a text quotes or points to, with names instead of the words in capitals.
pub(crate) fn quoted_commands(text: &str, names: &[(&str, String)]) -> Vec<Vec<String>> {
    let quoted = text.split('`').skip(1).step_by(2);
    let pointed = text.lines().filter_map(|line| line.trim().strip_prefix("→ "));
    let commands = quoted.chain(pointed).filter_map(|text| text.strip_prefix("piton "));
    let is_placeholder = |word: &str| {
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'=')
    };
    let fill = |word: &str| -> Vec<String> {
        if let Some((_, value)) = names.iter().find(|(name, _)| word == *name) {
            return value.split(' ').map(str::to_owned).collect();
        }
        assert!(!is_placeholder(word), "{word} is not known: {text}");
        vec![word.to_owned()]
    };
    commands.map(|command| command.split(' ').flat_map(fill).collect()).collect()
}

/// Runs the commands that a text names, one after the other. A check may find damage; what it then says to do is done as well.
fn follow(case: &Case, advice: &str) {
    // Which codes name no command is a list of its own; there, what the case did is the advice.
    for command in quoted_commands(advice, &case.names) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        // The last resort of whoever has no copy; here there is one.
        if words.starts_with(&["session", "delete"]) {
            continue;
        }
        let is_check = words[0] == "doctor" || ["verify", "validate"].contains(&words[1]);
        let (exit, said) = outcome(&case.rig, &words);
        if exit == 0 {
            continue;
        }
        assert!(is_check && exit != 2, "{}: {words:?}: {said}", case.code);
        let next = quoted_commands(&said, &case.names);
        // What a session's log needs stands in the advice itself.
        if !next.is_empty() && !next.iter().all(|next| advice.contains(&next.join(" "))) {
            follow(case, &said);
        }
    }
}

/// Codes that only a browser is told. The tests of the console try their advice: a new link lets it in.
const TOLD_TO_BROWSERS: [&str; 3] =
    ["CONSOLE_LINK_INVALID", "CONSOLE_ORIGIN_REFUSED", "CONSOLE_SIGN_IN_REQUIRED"];

#[test]
fn the_advice_of_every_code_helps_against_what_caused_it() {
    let cases = cases();
    for case in &cases {
        let Case { code, rig, error, act, works, .. } = case;
        let is_meant = error["code"] == *code || error["details"]["cause"] == *code;
        assert!(is_meant, "{code}: {error}");
        act(rig);
        follow(case, error["suggestion"].as_str().unwrap());
        let words: Vec<&str> = works.iter().map(String::as_str).collect();
        let (exit, said) = outcome(rig, &words);
        assert_eq!(exit, 0, "{code}: {words:?} fails after `{}`: {said}", error["suggestion"]);
    }
    let tried = |code: &str| cases.iter().any(|case| case.code == code);
    let untried: Vec<String> = advice(&cases[0].rig)
        .into_iter()
        .filter(|(code, advice)| !commands(advice).is_empty() && !tried(code))
        .filter(|(code, _)| !TOLD_TO_BROWSERS.contains(&code.as_str()))
        .map(|(code, _)| code)
        .collect();
    assert!(untried.is_empty(), "no test tries the advice of {untried:?}");
}
