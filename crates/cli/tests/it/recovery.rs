//! Damage, and the way back: each thing that is stored is damaged in a real data directory, is reported as damaged,
//! blocks only what depends on it, and works again after the command that the report names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use piton_store::{
    local::{DataDir, LocalTable},
    port::{EntryChange, Expect, Table as _, TableEntry, TableWrite, TakenOut},
};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    rig::{Rig, damage, text},
};

/// A value that does not fit into the history, so that it goes into a file of its own.
pub(crate) fn large() -> String {
    "large ".repeat(60_000)
}

/// A data directory with a backpack `shared` that holds the keys `small`, `big` and `last`.
pub(crate) fn with_backpack() -> Rig {
    let rig = Rig::new();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &json!({ "key": "small", "value": 1 }));
    agent.call("pack", &json!({ "key": "big", "value": large() }));
    agent.call("pack", &json!({ "key": "last", "value": "newest" }));
    agent.leave();
    rig
}

pub(crate) fn log_of(rig: &Rig, backpack: &str) -> PathBuf {
    rig.data().join("backpacks").join(backpack).join("log")
}

/// The files below a directory of blobs.
pub(crate) fn blobs(rig: &Rig, namespace: &str) -> Vec<PathBuf> {
    blobs_below(&rig.data().join("blobs").join(namespace))
}

/// The files in the directories of a directory.
pub(crate) fn blobs_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let dirs = fs::read_dir(directory).unwrap();
    for dir in dirs.map(|dir| dir.unwrap().path()).filter(|path| path.is_dir()) {
        found.extend(fs::read_dir(dir).unwrap().map(|file| file.unwrap().path()));
    }
    found
}

/// Flips a bit of the last byte but ten.
pub(crate) fn damage_end(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() - 10;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// The exit code and everything that a command says.
pub(crate) fn outcome(rig: &Rig, arguments: &[&str]) -> (i32, String) {
    let output = rig.run(arguments);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    (output.status.code().unwrap(), said)
}

/// What `doctor` says about one thing, with the command that it names.
pub(crate) fn diagnosis(rig: &Rig, what: &str) -> (String, String, Option<String>) {
    let output = rig.run(&["doctor", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = told["findings"].as_array().unwrap_or_else(|| panic!("{told}"));
    let finding = findings.iter().find(|finding| finding["what"] == what);
    let finding = finding.unwrap_or_else(|| panic!("{what}: {told}"));
    let field = |name: &str| finding[name].as_str().map(str::to_owned);
    (field("health").unwrap(), field("found").unwrap(), field("next"))
}

pub(crate) fn is_good(rig: &Rig, what: &str) -> bool {
    diagnosis(rig, what).0 == "good"
}

/// Changes the first row of a table that `choose` takes.
pub(crate) fn change_row(rig: &Rig, table: &str, choose: impl Fn(&TableEntry) -> bool) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let dir = DataDir::open(&rig.data()).unwrap();
        let table = LocalTable::open(&dir, &table.parse().unwrap()).unwrap();
        let page = table.scan(b"", None, 1_000).await.unwrap();
        let entry = page.entries.into_iter().find(choose).expect("there is such a row");
        let mut value = entry.value;
        value[0] ^= 0x40;
        let write = TableWrite {
            key: entry.key,
            expect: Expect::Anything,
            change: EntryChange::Put(value),
        };
        table.commit(vec![write]).await.unwrap();
    });
}

// shows in part: BP-101 (the part about damage)
#[test]
fn a_flipped_bit_in_the_newest_record_of_a_backpack_is_damage_that_can_be_repaired() {
    let rig = with_backpack();
    damage_end(&log_of(&rig, "shared"));
    let before = fs::read(log_of(&rig, "shared")).unwrap();
    for arguments in [["backpack", "log", "shared"], ["backpack", "blame", "shared"]] {
        let (code, error) = rig.fails(&arguments);
        assert_eq!((code, &error["code"]), (5, &json!("BACKPACK_DAMAGED")), "{error}");
        assert!(error["suggestion"].as_str().unwrap().contains("piton backpack repair shared"));
    }
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    let refused = agent.call("pack", &json!({ "key": "new", "value": 2 }));
    assert_eq!(refused["code"], "BACKPACK_DAMAGED", "{refused}");
    agent.leave();
    assert_eq!(fs::read(log_of(&rig, "shared")).unwrap(), before, "nothing was cut off");
    let (code, listed) = outcome(&rig, &["backpack", "list"]);
    assert!(code == 0 && listed.contains("shared is damaged."), "{listed}");
    assert!(!listed.contains("no backpacks"), "{listed}");
    let (health, _, next) = diagnosis(&rig, "backpacks");
    assert_eq!((health.as_str(), next.as_deref()), ("bad", Some("piton backpack verify shared")));
    let (code, said) = outcome(&rig, &["backpack", "verify"]);
    assert!(code == 5 && said.contains("Fix it: piton backpack repair shared"), "{said}");

    let repaired = rig.tells(&["backpack", "repair", "shared"]);
    assert_eq!(repaired["isSound"], true, "{repaired}");
    let kept = repaired["kept"][0].as_str().unwrap();
    assert_eq!(fs::read(rig.data().join(kept).join("log")).unwrap(), before);
    let again = rig.says(&["backpack", "repair", "shared"]);
    assert!(again.contains("Nothing was changed."), "{again}");
    assert!(is_good(&rig, "backpacks"));
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    assert_eq!(agent.call("unpack", &json!({ "key": "small" }))["value"], 1);
    assert_eq!(agent.call("unpack", &json!({ "key": "last" }))["found"], false);
    agent.call("pack", &json!({ "key": "last", "value": "again" }));
    agent.leave();
}

#[test]
fn a_backpack_whose_log_is_gone_hides_no_other_and_its_name_can_be_used_again() {
    let rig = with_backpack();
    let mut agent = Agent::start_as(&rig, &["--backpack", "other"]);
    agent.call("pack", &json!({ "key": "small", "value": 1 }));
    agent.leave();
    fs::remove_file(log_of(&rig, "shared")).unwrap();
    let (code, listed) = outcome(&rig, &["backpack", "list"]);
    assert_eq!(code, 0, "{listed}");
    assert!(listed.contains("other ") && listed.contains("shared is damaged."), "{listed}");
    assert!(rig.says(&["backpack", "at", "other", "--key", "small"]).contains('1'));
    let (code, said) = outcome(&rig, &["backpack", "verify", "shared"]);
    assert!(code == 5 && said.contains("Fix it: piton backpack repair shared"), "{said}");
    let (_, said) = outcome(&rig, &["backpack", "repair", "shared"]);
    assert!(said.contains("nothing of it is left to repair"), "{said}");
    assert!(!said.contains("is sound") && said.contains("Its name is free"), "{said}");
    assert!(is_good(&rig, "backpacks"));
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &json!({ "key": "new", "value": 2 }));
    assert_eq!(agent.call("unpack", &json!({ "key": "new" }))["value"], 2);
    agent.leave();
}

#[test]
fn a_file_among_the_backpacks_hides_none_of_them() {
    let rig = with_backpack();
    fs::write(rig.data().join("backpacks/stray"), "not a backpack").unwrap();
    assert!(rig.says(&["backpack", "list"]).contains("shared"));
    assert!(rig.says(&["backpack", "log", "shared"]).contains("pack"));
    assert!(is_good(&rig, "backpacks"));
}

#[test]
fn a_log_that_ends_in_the_middle_of_a_write_is_not_called_whole() {
    let rig = with_backpack();
    let log = log_of(&rig, "shared");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 1]).unwrap();
    // A crash leaves no note of what it cut off.
    fs::remove_file(log.with_extension("length")).unwrap();
    let said = rig.says(&["backpack", "verify", "shared"]);
    assert!(said.contains("a write that did not end"), "{said}");
    assert!(!said.contains("every byte as it was written"), "{said}");
    let all = rig.says(&["backpack", "verify"]);
    assert!(all.contains("a write that did not end"), "{all}");
    let (_, doctor) = outcome(&rig, &["doctor"]);
    assert!(doctor.contains("a write that did not end"), "{doctor}");
    assert!(!is_good(&rig, "backpacks"));
    let repaired = rig.says(&["backpack", "repair", "shared"]);
    assert!(repaired.contains("a write that did not end"), "{repaired}");
    assert!(repaired.contains("Nothing was changed.") && !repaired.contains("sound"), "{repaired}");
}

// shows in part: BP-101 (the part about damage)
#[test]
fn a_log_that_was_cut_after_its_commits_were_acknowledged_is_damaged() {
    // In the middle of a record, and between two.
    for (cut, takes_bytes) in [(20, true), (0, false)] {
        let rig = with_backpack();
        let log = log_of(&rig, "shared");
        let bytes = fs::read(&log).unwrap();
        // The record of the commit that packed `last`, and what follows it.
        let key = bytes.windows(6).position(|window| window == br#""last""#).unwrap();
        let record = bytes[..key].windows(7).rposition(|window| window == b"piton1 ").unwrap();
        let left = &bytes[..record + cut];
        fs::write(&log, left).unwrap();
        let (code, error) = rig.fails(&["backpack", "log", "shared"]);
        assert_eq!((code, &error["code"]), (5, &json!("BACKPACK_DAMAGED")), "{error}");
        assert!(error["suggestion"].as_str().unwrap().contains("piton backpack repair shared"));
        let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
        for (tool, arguments) in
            [("pack", json!({ "key": "new", "value": 2 })), ("unpack", json!({ "key": "last" }))]
        {
            let refused = agent.call(tool, &arguments);
            assert_eq!(refused["code"], "BACKPACK_DAMAGED", "{tool}: {refused}");
        }
        agent.leave();
        assert_eq!(fs::read(&log).unwrap(), left, "nothing was written");
        let (_, listed) = outcome(&rig, &["backpack", "list"]);
        assert!(listed.contains("shared is damaged."), "{listed}");
        let (code, said) = outcome(&rig, &["backpack", "verify"]);
        assert!(code == 5 && said.contains("the end of its log is gone"), "{said}");
        assert!(said.contains("Fix it: piton backpack repair shared"), "{said}");
        assert!(!is_good(&rig, "backpacks"));

        let repaired = rig.tells(&["backpack", "repair", "shared"]);
        assert_eq!(repaired["isSound"], true, "{repaired}");
        let gone = text(&bytes[record..]);
        let lost = gone.lines().filter(|line| !line.starts_with("piton1 ")).count();
        assert_eq!(repaired["lostEvents"], lost, "{repaired}");
        assert!(repaired["summary"].as_str().unwrap().contains("no longer part of it"));
        let kept = repaired["kept"].as_array().map_or(0, Vec::len);
        assert_eq!(kept > 0, takes_bytes, "{repaired}");
        if takes_bytes {
            let kept = rig.data().join(repaired["kept"][0].as_str().unwrap());
            assert_eq!(fs::read(kept.join("log")).unwrap(), left);
        }
        assert!(is_good(&rig, "backpacks"));
        assert!(rig.says(&["backpack", "repair", "shared"]).contains("Nothing was changed."));
        let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
        assert_eq!(agent.call("unpack", &json!({ "key": "small" }))["value"], 1);
        assert_eq!(agent.call("unpack", &json!({ "key": "last" }))["found"], false);
        agent.call("pack", &json!({ "key": "last", "value": "again" }));
        agent.leave();
        assert!(is_good(&rig, "backpacks"));
    }
}

#[test]
fn one_damaged_value_blocks_its_own_key_and_no_other() {
    let rig = with_backpack();
    let blob = blobs(&rig, "backpacks").pop().unwrap();
    damage(&blob);
    let bytes = fs::read(&blob).unwrap();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    assert_eq!(agent.call("unpack", &json!({ "key": "small" }))["value"], 1);
    let refused = agent.call("unpack", &json!({ "key": "big" }));
    assert_eq!(refused["code"], "BACKPACK_DAMAGED", "{refused}");
    agent.call("pack", &json!({ "key": "other", "value": 2 }));
    agent.leave();
    assert!(rig.says(&["backpack", "list"]).contains("shared"));
    let (code, error) = rig.fails(&["backpack", "at", "shared", "--key", "big"]);
    assert_eq!((code, &error["code"]), (5, &json!("BACKPACK_DAMAGED")), "{error}");
    assert_eq!(diagnosis(&rig, "backpacks").0, "bad");
    let (code, said) = outcome(&rig, &["backpack", "verify", "shared"]);
    assert!(code == 5 && said.contains("`big`"), "{said}");

    let repaired = rig.tells(&["backpack", "repair", "shared"]);
    assert_eq!((&repaired["isSound"], &repaired["keys"]), (&json!(true), &json!(["big"])));
    let kept = rig.data().join(repaired["kept"][0].as_str().unwrap());
    assert_eq!(fs::read(kept).unwrap(), bytes, "the damaged bytes are kept");
    assert!(is_good(&rig, "backpacks"));
    assert!(rig.says(&["backpack", "quarantined", "shared"]).contains("damaged"));
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    agent.call("pack", &json!({ "key": "big", "value": large() }));
    // More than an agent is shown at once, so its beginning is.
    let again = agent.call("unpack", &json!({ "key": "big" }));
    assert!(again["found"] == true && again["code"].is_null(), "{again}");
    agent.leave();
    assert!(is_good(&rig, "backpacks"));
}

#[test]
fn a_log_of_a_newer_version_is_neither_empty_nor_replaced() {
    let rig = with_backpack();
    let log = log_of(&rig, "shared");
    let newer = b"piton2 whatever a newer Piton writes\n".repeat(20);
    fs::write(&log, &newer).unwrap();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    let refused = agent.call("pack", &json!({ "key": "new", "value": 2 }));
    assert_eq!(refused["code"], "STORE_UNSUPPORTED_VERSION", "{refused}");
    agent.leave();
    let (_, error) = rig.fails(&["backpack", "repair", "shared"]);
    assert_eq!(error["code"], "STORE_UNSUPPORTED_VERSION", "{error}");
    assert!(error["suggestion"].as_str().unwrap().contains("Upgrade Piton"), "{error}");
    assert!(rig.says(&["backpack", "list"]).contains("newer Piton"));
    assert_eq!(diagnosis(&rig, "backpacks").0, "bad");
    assert_eq!(fs::read(&log).unwrap(), newer);
}

#[test]
fn a_damaged_key_ring_is_reported_and_replaced_and_runs_are_resumed() {
    let rig = Rig::new();
    rig.tour();
    let keys = rig.data().join("keys/keyring.json");
    fs::write(&keys, b"not a key ring").unwrap();
    let mut agent = Agent::start(&rig);
    let refused = agent.call("resume_session", &json!({}));
    assert_eq!(refused["code"], "KEYRING_CORRUPT", "{refused}");
    assert!(refused["suggestion"].as_str().unwrap().contains("piton keys repair"), "{refused}");
    for arguments in [["keys", "rotate"], ["keys", "verify"]] {
        let (code, error) = rig.fails(&arguments);
        assert_eq!((code, &error["code"]), (5, &json!("KEYRING_CORRUPT")), "{error}");
    }
    let (health, _, next) = diagnosis(&rig, "keys");
    assert!(health == "bad" && next.unwrap().contains("piton keys repair"));
    let said = rig.says(&["keys", "repair"]);
    assert!(said.contains("tokens signed with the old keys stop working"), "{said}");
    assert_eq!(
        fs::read(rig.data().join("keys/keyring.json.damaged-1")).unwrap(),
        b"not a key ring"
    );
    assert!(rig.says(&["keys", "repair"]).contains("Nothing was changed."));
    assert!(is_good(&rig, "keys"));
    // The same server picks up the new keys.
    let resumed = agent.call("resume_session", &json!({}));
    assert!(resumed["candidates"][0]["stateToken"].is_string(), "{resumed}");
    agent.leave();
}

#[test]
fn keys_that_are_gone_are_reported_with_what_that_means_for_tokens() {
    let rig = Rig::new();
    let nothing = rig.says(&["keys", "repair"]);
    assert!(nothing.starts_with("There are no keys."), "{nothing}");
    rig.tour();
    fs::remove_file(rig.data().join("keys/keyring.json")).unwrap();
    for command in ["verify", "repair"] {
        let said = rig.says(&["keys", command]);
        for part in ["There are no keys.", "Earlier tokens", "resume_session"] {
            assert!(said.contains(part), "{command} {part}: {said}");
        }
        assert!(!said.contains("can be read"), "{command}: {said}");
        assert_eq!(rig.tells(&["keys", command])["hasKeys"], false);
    }
    let mut agent = Agent::start(&rig);
    let resumed = agent.call("resume_session", &json!({}));
    assert!(resumed["candidates"][0]["stateToken"].is_string(), "{resumed}");
    agent.leave();
    for command in ["verify", "repair"] {
        assert!(rig.says(&["keys", command]).starts_with("The keys can be read."));
        assert_eq!(rig.tells(&["keys", command])["hasKeys"], true);
    }
}

/// A data directory with sessions, a backpack, context and a Virtual Store.
fn with_everything() -> Rig {
    let rig = with_backpack();
    rig.tour();
    rig.write("piton.toml", WORKSPACES);
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    for number in 0..200 {
        rig.write(&format!("src/file{number}.rs"), &format!("// {number}\n"));
    }
    rig.says(&["context", "scan"]);
    let mut agent = Agent::start(&rig);
    agent.call_text("write", &json!({ "path": "/scratch/small.md", "content": "small\n" }));
    agent.call_text("write", &json!({ "path": "/scratch/large.md", "content": large() }));
    agent.leave();
    fold_log(&rig);
    rig
}

/// Lets commands fold the log of the table back, so that what is damaged in the table is not in the log as well. The one
/// that ends last does so, unless it ends with a thread at work.
fn fold_log(rig: &Rig) {
    let log = rig.data().join("table.sqlite3-wal");
    let is_folded = || fs::metadata(&log).is_ok_and(|stat| stat.len() == 0) || !log.exists();
    for _ in 0..100 {
        if is_folded() {
            return;
        }
        rig.says(&["workspace", "verify"]);
    }
    panic!("the log is not folded back");
}

const WORKSPACES: &str = r#"
[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
purpose = "drafts"
"#;

#[test]
fn a_damaged_table_blocks_only_what_is_in_it_and_is_rebuilt_from_what_can_be_read() {
    type Breaking = fn(&mut Vec<u8>);
    let table = |rig: &Rig| rig.data().join("table.sqlite3");
    let cases: [(&str, Breaking); 3] = [
        ("its header", |bytes| bytes[..100].fill(0xff)),
        ("its first page", |bytes| bytes[..4096].fill(0x5a)),
        ("a page in the middle", |bytes| {
            let middle = bytes.len() / 4096 / 2 * 4096;
            bytes[middle..middle + 4096].fill(0xff);
        }),
    ];
    for (what, breaking) in cases {
        let rig = with_everything();
        let mut bytes = fs::read(table(&rig)).unwrap();
        breaking(&mut bytes);
        fs::write(table(&rig), &bytes).unwrap();
        // Sessions and backpacks do not need it.
        assert_eq!(rig.tells(&["session", "list"])["runs"].as_array().unwrap().len(), 1, "{what}");
        assert!(rig.says(&["backpack", "log", "shared"]).contains("small"), "{what}");
        let (code, said) = outcome(&rig, &["data", "verify"]);
        assert!(code == 5 && said.contains("piton data repair"), "{what}: {said}");
        let (health, _, next) = diagnosis(&rig, "tables");
        assert_eq!(
            (health.as_str(), next.as_deref()),
            ("bad", Some("piton data repair")),
            "{what}"
        );
        let repaired = rig.tells(&["data", "repair"]);
        let kept = rig.data().join(repaired["kept"].as_str().unwrap());
        assert_eq!(fs::read(kept.join("table.sqlite3")).unwrap(), bytes, "{what}: it is kept");
        assert!(repaired["entries"].as_u64().unwrap() > 0, "{what}: {repaired}");
        assert!(rig.says(&["data", "repair"]).contains("Nothing was changed."), "{what}");
        assert!(is_good(&rig, "tables"), "{what}");
        // What a page held is gone; the rest of it can be used, and the disk gives the trees again.
        rig.says(&["context", "scan", "--force"]);
        assert_eq!(outcome(&rig, &["context", "repair"]).0, 0, "{what}");
        outcome(&rig, &["workspace", "repair"]);
        assert_eq!(outcome(&rig, &["workspace", "verify"]).0, 0, "{what}");
        let mut agent = Agent::start(&rig);
        let arguments = json!({ "path": "/scratch/new.md", "content": "new\n" });
        let (said, is_error) = agent.call_text("write", &arguments);
        assert!(!is_error, "{what}: {said}");
        agent.leave();
    }
}

#[test]
fn every_repair_ends_with_code_0_once_nothing_is_damaged_whatever_it_took_out() {
    type Breaking = fn(&Rig);
    let rig = with_everything();
    let session = rig.newest().session;
    // A check, the repair, what is said when there is nothing to do, and damage that costs something.
    let cases: [(&[&str], &[&str], &str, Breaking); 6] = [
        (&["session", "verify"], &["session", "repair", &session], "", |rig| {
            damage(&rig.segment(&rig.newest().session));
        }),
        (&["backpack", "verify"], &["backpack", "repair", "shared"], "Nothing was", |rig| {
            damage_end(&log_of(rig, "shared"));
        }),
        (&["keys", "verify"], &["keys", "repair"], "Nothing was", |rig| {
            fs::write(rig.data().join("keys/keyring.json"), "no keys").unwrap();
        }),
        (&["workspace", "verify"], &["workspace", "repair"], "Nothing was", |rig| {
            let row = format!("\"bytes\":{}", large().len());
            change_row(rig, "workflow", |entry| text(&entry.value).contains(&row));
        }),
        (&["context", "validate"], &["context", "repair"], "Nothing is damaged.", |rig| {
            change_row(rig, "context", |entry| entry.key.get(16) == Some(&b'n'));
        }),
        (&["data", "verify"], &["data", "repair"], "Nothing was", |rig| {
            fold_log(rig);
            let table = rig.data().join("table.sqlite3");
            let mut bytes = fs::read(&table).unwrap();
            let last = bytes.len() - 4096;
            bytes[last..].fill(0xff);
            fs::write(&table, bytes).unwrap();
        }),
    ];
    for (check, repair, nothing, breaking) in cases {
        let mut check = check.to_vec();
        if check[0] == "session" {
            check.push(&session);
        }
        let (code, said) = outcome(&rig, repair);
        assert!(code == 0 && said.contains(nothing), "{repair:?} of what is sound: {code}: {said}");
        breaking(&rig);
        let (code, said) = outcome(&rig, &check);
        assert_eq!(code, 5, "{check:?} of what is damaged: {said}");
        for (command, when) in [(repair, "of what is damaged"), (repair, "again")] {
            let (code, said) = outcome(&rig, command);
            assert_eq!(code, 0, "{command:?} {when}: {said}");
        }
        let (code, said) = outcome(&rig, &check);
        assert_eq!(code, 0, "{check:?} of what was repaired: {said}");
    }
}

/// Makes every blob of a namespace so old that a collection may take it.
fn age_blobs(rig: &Rig, namespace: &str) {
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(48);
    for blob in blobs(rig, namespace) {
        fs::File::options().write(true).open(blob).unwrap().set_modified(long_ago).unwrap();
    }
}

/// Flips a bit in the row of the only file of Virtual Stores whose content is a blob, but not in the digest of that.
fn flip_in_row_of_large_file(rig: &Rig) {
    let table = rig.data().join("table.sqlite3");
    let mut bytes = fs::read(&table).unwrap();
    let row = format!("\"bytes\":{}", large().len());
    let at = bytes.windows(row.len()).position(|window| window == row.as_bytes()).unwrap();
    bytes[at + row.len() - 1] ^= 1;
    fs::write(&table, bytes).unwrap();
}

/// The value of the only entry that a repair took out of the table.
fn row_taken_out(rig: &Rig) -> String {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let dir = DataDir::open(&rig.data()).unwrap();
    let table = LocalTable::open(&dir, &"workflow".parse().unwrap()).unwrap();
    let mut rows = Vec::new();
    runtime.block_on(table.taken_out(&mut |one| rows.push(one))).unwrap();
    match &rows[..] {
        [TakenOut::Entry { value, .. }] => text(value),
        other => panic!("one entry: {other:?}"),
    }
}

/// Whether a collection leaves the only blob of Virtual Stores.
fn is_left_by_a_collection(rig: &Rig) -> bool {
    age_blobs(rig, "virtual");
    rig.says(&["session", "gc"]);
    blobs(rig, "virtual").len() == 1
}

#[test]
fn the_content_of_a_file_whose_entry_a_repair_took_out_is_kept_and_the_file_is_named() {
    let rig = with_everything();
    flip_in_row_of_large_file(&rig);
    let repaired = rig.tells(&["data", "repair"]);
    assert_eq!((&repaired["damaged"], &repaired["gaps"]), (&json!(1), &json!(0)), "{repaired}");
    assert_eq!(repaired["lostFiles"], json!(["/scratch/large.md"]), "{repaired}");
    assert!(is_left_by_a_collection(&rig));
    // What is kept of the entry says which blob it is.
    let kept = rig.data().join(repaired["kept"].as_str().unwrap());
    let row = row_taken_out(&rig);
    let blob = &blobs(&rig, "virtual")[0];
    let name = blob.file_name().unwrap().to_str().unwrap();
    assert!(row.contains(name), "{name}: {row}");
    assert_eq!(fs::read_to_string(blob).unwrap(), large());

    for arguments in [["workspace", "verify"], ["workspace", "repair"]] {
        assert_eq!(rig.tells(&arguments)["lostFiles"], json!(["/scratch/large.md"]));
        assert!(rig.says(&arguments).contains("Lost to damage"));
    }
    let log = rig.tells(&["workspace", "log", "/scratch/large.md"]);
    assert_eq!((&log["lost"], &log["changedOutside"]), (&json!(true), &json!(false)), "{log}");
    let said = rig.says(&["workspace", "log", "/scratch/large.md"]);
    assert!(said.contains("it was lost when stored data was damaged"), "{said}");
    assert!(!said.contains("outside Piton"), "{said}");
    let other = rig.tells(&["workspace", "log", "/scratch/small.md"]);
    assert_eq!((&other["lost"], &other["changedOutside"]), (&json!(false), &json!(false)));

    // Written again, it is as its record says.
    let mut agent = Agent::start(&rig);
    agent.call_text("write", &json!({ "path": "/scratch/large.md", "content": "again\n" }));
    agent.leave();
    assert_eq!(rig.tells(&["workspace", "verify"])["lostFiles"], json!([]));
    // Whoever no longer needs what is kept removes it, and the content goes with it.
    assert!(is_left_by_a_collection(&rig));
    fs::remove_dir_all(kept).unwrap();
    assert!(!is_left_by_a_collection(&rig));
}

#[test]
fn the_content_of_a_file_that_a_repair_of_workspaces_took_out_is_kept() {
    let rig = with_everything();
    let row = format!("\"bytes\":{}", large().len());
    change_row(&rig, "workflow", |entry| text(&entry.value).contains(&row));
    assert_eq!(rig.tells(&["workspace", "repair"])["takenOut"], json!(["large.md"]));
    assert!(is_left_by_a_collection(&rig));
    let log = rig.tells(&["workspace", "log", "/scratch/large.md"]);
    assert_eq!((&log["lost"], &log["changedOutside"]), (&json!(true), &json!(false)), "{log}");
}

#[test]
fn a_file_on_a_page_that_is_lost_is_named_by_its_record() {
    let rig = with_everything();
    // So many that the entry of a file is on another page than its record.
    let mut agent = Agent::start(&rig);
    for number in 0..60 {
        let path = format!("/scratch/{}{number}.md", if number % 2 == 0 { 'a' } else { 'z' });
        agent.call_text("write", &json!({ "path": path, "content": "x".repeat(700) }));
    }
    agent.leave();
    fold_log(&rig);
    let table = rig.data().join("table.sqlite3");
    let mut bytes = fs::read(&table).unwrap();
    let row = format!("\"bytes\":{}", large().len());
    let at = bytes.windows(row.len()).position(|window| window == row.as_bytes()).unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 4096].fill(0);
    fs::write(&table, bytes).unwrap();
    let repaired = rig.tells(&["data", "repair"]);
    assert_eq!((&repaired["damaged"], &repaired["gaps"]), (&json!(0), &json!(1)), "{repaired}");
    let lost = repaired["lostFiles"].as_array().unwrap();
    assert!(lost.contains(&json!("/scratch/large.md")), "{repaired}");
    let log = rig.tells(&["workspace", "log", "/scratch/large.md"]);
    assert_eq!((&log["lost"], &log["changedOutside"]), (&json!(true), &json!(false)), "{log}");
}

#[test]
fn what_needs_a_damaged_table_says_so_as_damage() {
    let rig = with_everything();
    let table = rig.data().join("table.sqlite3");
    let mut bytes = fs::read(&table).unwrap();
    bytes[..100].fill(0xff);
    fs::write(&table, bytes).unwrap();
    for arguments in [&["context", "status"][..], &["context", "scan"], &["workspace", "verify"]] {
        let (code, error) = rig.fails(arguments);
        assert_eq!(
            (code, &error["code"]),
            (5, &json!("STORE_TABLE_DAMAGED")),
            "{arguments:?}: {error}"
        );
        assert_eq!(error["retry"]["kind"], "not_retryable", "{error}");
        let advice = error["suggestion"].as_str().unwrap();
        assert!(advice.contains("piton data repair"), "{error}");
    }
}

#[test]
fn an_agent_is_served_while_the_table_is_damaged() {
    let rig = with_backpack();
    rig.tour();
    let table = rig.data().join("table.sqlite3");
    fs::write(&table, "no table".repeat(1_000)).unwrap();
    let mut agent = Agent::start_as(&rig, &["--backpack", "shared"]);
    let resumed = agent.call("resume_session", &json!({}));
    assert!(resumed["candidates"][0]["stateToken"].is_string(), "{resumed}");
    assert_eq!(agent.call("unpack", &json!({ "key": "small" }))["value"], 1);
    agent.leave();
}

#[test]
fn a_table_that_was_deleted_is_noticed_while_data_depends_on_it() {
    let rig = with_everything();
    assert!(is_good(&rig, "tables"));
    for name in ["table.sqlite3", "table.sqlite3-wal", "table.sqlite3-shm"] {
        let _ = fs::remove_file(rig.data().join(name));
    }
    let (health, found, _) = diagnosis(&rig, "tables");
    assert_eq!(health, "bad", "{found}");
    // A data directory in which nothing ever needed it is sound.
    assert!(is_good(&with_backpack(), "tables"));
}

#[test]
fn a_data_directory_of_a_newer_version_gets_the_advice_to_upgrade() {
    let rig = with_backpack();
    let format = rig.data().join("format.json");
    fs::write(&format, r#"{"version":9,"oldestReader":9}"#).unwrap();
    let (_, error) = rig.fails(&["session", "list"]);
    assert_eq!(error["code"], "STORE_UNSUPPORTED_VERSION", "{error}");
    let advice = error["suggestion"].as_str().unwrap();
    assert!(advice.contains("Upgrade Piton") && !advice.contains("another"), "{error}");
}

// shows in part: CT-081 (the command line: exit codes, and what was taken out is named and listed)
#[test]
fn a_damaged_row_of_context_is_found_and_taken_out_or_rebuilt() {
    // The rows of the current tree, of a recorded one, of a node, of a frame, its set, its head and its place: the letter
    // behind the project's id says which.
    for kind in [b'R', b'r', b'n', b'f', b's', b'h', b'i'] {
        let rig = with_everything();
        rig.says(&["context", "put-frame", "src/lib.rs", "--type", "note", "--text", "kept"]);
        rig.says(&["context", "put-frame", "src/file0.rs", "--type", "note", "--text", "first"]);
        change_row(&rig, "context", |row| row.key.get(16) == Some(&kind));
        let (code, said) = outcome(&rig, &["context", "validate"]);
        assert!(code == 5 && said.contains("piton context repair"), "{kind}: {said}");
        let (health, _, next) = diagnosis(&rig, "context");
        assert_eq!((health.as_str(), next.as_deref()), ("bad", Some("piton context repair")));
        let (code, said) = outcome(&rig, &["context", "repair"]);
        assert_eq!(code, 0, "{kind}: {said}");
        let is_taken = matches!(kind, b'R' | b'r' | b'f');
        let (health, _, next) = diagnosis(&rig, "context");
        let expected =
            if is_taken { ("note", Some("piton context repairs")) } else { ("good", None) };
        assert_eq!((health.as_str(), next.as_deref()), expected, "{kind}");
        let listed = rig.tells(&["context", "repairs"])["setAside"].clone();
        assert_eq!(listed.as_array().unwrap().len(), usize::from(is_taken), "{listed}");
        // From anywhere, with what is kept of everything else.
        assert_eq!(rig.tells(&["data", "repairs"])["context"], listed);
        if kind == b'f' {
            let all = rig.says(&["data", "repairs"]);
            assert!(all.contains("from context: `the frame 0 of src/file0.rs`"), "{all}");
            assert_eq!(listed[0]["what"], "the frame 0 of src/file0.rs");
            assert!(said.contains("Taken out of use: the frame 0 of src/file0.rs"), "{said}");
        }
        rig.says(&["context", "status"]);
        assert!(rig.says(&["context", "get-node", "src/lib.rs"]).contains("kept"), "{kind}");
        rig.write("src/more.rs", "// more\n");
        rig.says(&["context", "scan"]);
        assert_eq!(outcome(&rig, &["context", "validate"]).0, 0, "{kind}");
    }
}

#[test]
fn a_forced_scan_gets_over_a_damaged_current_tree() {
    let rig = with_everything();
    change_row(&rig, "context", |row| row.key.get(16) == Some(&b'R'));
    let (code, error) = rig.fails(&["context", "scan"]);
    assert_eq!((code, &error["code"]), (5, &json!("CONTEXT_INTEGRITY")), "{error}");
    assert!(error["suggestion"].as_str().unwrap().contains("piton context repair"), "{error}");
    rig.says(&["context", "scan", "--force"]);
    rig.says(&["context", "status"]);
    assert_eq!(outcome(&rig, &["context", "validate"]).0, 0);
}

#[test]
fn a_damaged_file_of_a_virtual_store_is_found_and_taken_out_of_use() {
    let rig = with_everything();
    damage(&blobs(&rig, "virtual").pop().unwrap());
    let mut agent = Agent::start(&rig);
    let (said, is_error) = agent.call_text("read", &json!({ "path": "/scratch/small.md" }));
    assert!(!is_error && said.contains("small"), "{said}");
    let (said, is_error) = agent.call_text("read", &json!({ "path": "/scratch/large.md" }));
    assert!(is_error, "{said}");
    agent.leave();
    let (health, _, next) = diagnosis(&rig, "virtual stores");
    assert_eq!((health.as_str(), next.as_deref()), ("bad", Some("piton workspace repair")));
    let (code, said) = outcome(&rig, &["workspace", "verify"]);
    assert!(code == 5 && said.contains("`large.md`"), "{said}");
    let repaired = rig.tells(&["workspace", "repair"]);
    assert_eq!(repaired["takenOut"], json!(["large.md"]));
    assert!(rig.data().join(repaired["kept"][0].as_str().unwrap()).exists());
    assert!(is_good(&rig, "virtual stores"));
    let mut agent = Agent::start(&rig);
    let arguments = json!({ "path": "/scratch/large.md", "content": large() });
    let (said, is_error) = agent.call_text("write", &arguments);
    assert!(!is_error, "{said}");
    agent.leave();
    assert!(is_good(&rig, "virtual stores"));
}
