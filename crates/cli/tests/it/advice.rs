//! The advice of every error code, tried: what it names exists, and it helps against what caused the error.

use std::{collections::BTreeMap, fs};

use serde_json::json;

use crate::{
    agent::Agent,
    recovery::{change_row, damage_end, log_of, outcome, with_backpack},
    rig::{Rig, damage},
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

/// A state in which a command fails, and what the advice leads to.
struct Case {
    code: &'static str,
    rig: Rig,
    /// What fails.
    fails: Vec<String>,
    /// What the advice names, with what to put into it.
    advised: Vec<Vec<String>>,
    /// Whether `fails` works afterwards; else the last advised command shows what to use instead of what was asked for.
    is_gone: bool,
}

fn case(code: &'static str, rig: Rig, fails: &[&str], advised: &[&[&str]]) -> Case {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let advised = advised.iter().map(|words| owned(words)).collect();
    Case { code, rig, fails: owned(fails), advised, is_gone: true }
}

fn shown_instead(code: &'static str, rig: Rig, fails: &[&str], advised: &[&[&str]]) -> Case {
    Case { is_gone: false, ..case(code, rig, fails, advised) }
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
    case("KEYRING_CORRUPT", rig, &["keys", "verify"], &[&["keys", "repair"]])
}

fn damaged_backpack() -> Case {
    let rig = with_backpack();
    damage_end(&log_of(&rig, "shared"));
    let advised: [&[&str]; 2] =
        [&["backpack", "verify", "shared"], &["backpack", "repair", "shared"]];
    case("BACKPACK_DAMAGED", rig, &["backpack", "log", "shared"], &advised)
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
    let advised: [&[&str]; 2] = [&["data", "verify"], &["data", "repair"]];
    case("STORE_TABLE_DAMAGED", rig, &["context", "status"], &advised)
}

fn damaged_session() -> Case {
    let rig = Rig::new();
    let run = rig.tour();
    damage(&rig.segment(&run.session));
    let session = run.session.as_str();
    let advised: [&[&str]; 2] = [&["session", "verify", session], &["session", "repair", session]];
    case("SESSION_NOT_HEALTHY", rig, &["session", "show", session], &advised)
}

fn damaged_context() -> Case {
    let rig = scanned();
    change_row(&rig, "context", |row| row.key.get(16) == Some(&b'R'));
    let advised: [&[&str]; 2] = [&["context", "validate"], &["context", "repair"]];
    case("CONTEXT_INTEGRITY", rig, &["context", "status"], &advised)
}

fn cases() -> Vec<Case> {
    let scan: [&[&str]; 1] = [&["context", "scan"]];
    let missing = ["context", "diff", "never-recorded", "@"];
    let absent = ["context", "get-node", "src/absent.rs"];
    let sessions: [&[&str]; 1] = [&["session", "list"]];
    let backpacks: [&[&str]; 1] = [&["backpack", "list"]];
    let commits: [&[&str]; 1] = [&["backpack", "log", "shared"]];
    vec![
        keys(),
        damaged_backpack(),
        damaged_table(),
        damaged_session(),
        damaged_context(),
        shown_instead("CONTEXT_NODE_NOT_FOUND", scanned(), &absent, &scan),
        case("CONTEXT_NOT_SCANNED", Rig::new(), &["context", "status"], &scan),
        shown_instead("CONTEXT_ROOT_NOT_FOUND", scanned(), &missing, &[&["context", "history"]]),
        shown_instead("SESSION_NOT_FOUND", Rig::new(), &["session", "show", "no-such"], &sessions),
        shown_instead(
            "BACKPACK_NOT_FOUND",
            with_backpack(),
            &["backpack", "log", "no-such"],
            &backpacks,
        ),
        shown_instead(
            "BACKPACK_UNKNOWN_COMMIT",
            with_backpack(),
            &["backpack", "show", "shared", "c999"],
            &commits,
        ),
    ]
}

/// Codes whose advice names commands that are tried elsewhere, or whose cause no test can make from outside.
const TRIED_ELSEWHERE: [&str; 14] = [
    // A mistake of the program, and a blob that only its owner's error names: see `recovery`.
    "STORE_INVARIANT_VIOLATION",
    "STORE_CORRUPT_BLOB",
    // A disk that fails: `crates/store/tests/it/crash.rs`.
    "SESSION_POISONED",
    // Bundles: `sessions` and `crates/workflow/tests/it/bundle`.
    "BUNDLE_INVALID_FORMAT",
    "BUNDLE_EVENT_ORDER_INVALID",
    "BUNDLE_MANIFEST_ORDER_INVALID",
    // Flows: `flows` and `flow_kill`.
    "FLOW_INVALID",
    "FLOW_CONTRACT_BROKEN",
    "FLOW_NODE_FAILED",
    "FLOW_STEP_LIMIT",
    "FLOW_CANCELLED",
    "FLOW_NOT_RESUMABLE",
    // Frames and values that were asked for in the wrong way: `context` and `backpacks`.
    "CONTEXT_FRAME_NOT_FOUND",
    "BACKPACK_WRONG_TYPE",
];

#[test]
fn the_advice_of_every_code_helps_against_what_caused_it() {
    let cases = cases();
    let all = advice(&cases[0].rig);
    for Case { code, rig, fails, advised, is_gone } in &cases {
        let words = |command: &[String]| -> Vec<String> { command.to_vec() };
        let run = |command: &[String]| {
            let command = words(command);
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            outcome(rig, &command)
        };
        let failing: Vec<&str> = fails.iter().map(String::as_str).collect();
        let (_, error) = rig.fails(&failing);
        assert_eq!(error["code"], *code, "{fails:?}: {error}");
        // Each command that the advice names is one that is run here.
        for named in commands(&all[*code]) {
            let is_run = advised.iter().any(|command| command.starts_with(&named));
            assert!(is_run, "{code} advises `piton {}`", named.join(" "));
        }
        let mut last = (0, String::new());
        for command in advised {
            last = run(command);
            assert_ne!(last.0, 2, "{code}: `{}` is no command: {}", command.join(" "), last.1);
        }
        assert_eq!(last.0, 0, "{code}: {}", last.1);
        if *is_gone {
            let (exit, said) = run(fails);
            assert_eq!(exit, 0, "{code}: {fails:?} still fails: {said}");
        }
    }
    let tried = |code: &str| cases.iter().any(|case| case.code == code);
    let untried: Vec<&String> = all
        .iter()
        .filter(|(code, advice)| {
            !commands(advice).is_empty()
                && !tried(code)
                && !TRIED_ELSEWHERE.contains(&code.as_str())
        })
        .map(|(code, _)| code)
        .collect();
    assert!(untried.is_empty(), "no test tries the advice of {untried:?}");
}
