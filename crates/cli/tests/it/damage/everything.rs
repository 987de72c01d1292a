//! The kinds of files beside those of sessions: keys, tables, backpacks, context, Virtual Stores, and what may be thrown
//! away.
//!
//! One data directory is in full use. Each file is damaged in a copy of it at the same place, because context belongs to
//! a project by its path. What holds for every row is asserted besides ([`answers`]):
//! - `doctor` is not content with what a check calls damaged;
//! - after a repair that is content, so are the check and `doctor`, and every part can be used;
//! - what a repair took out of use is named in its answer, and listed by `piton data repairs`;
//! - no content that is intact after the damage is gone after any of the commands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use piton_store::{
    local::{DataDir, LocalTable},
    port::{EntryChange, Expect, Table as _, TableWrite},
};
use serde_json::{Value, json};

use super::{DAMAGES, copy_all, gather};
use crate::{
    agent::Agent,
    http_calls::Server,
    recovery::{damage_end, large},
    rig::{Rig, damage, text},
};

const WORKSPACES: &str = r#"
[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
purpose = "drafts"
"#;

/// A data directory in which everything was used, and a copy of it.
struct Full {
    rig: Rig,
    whole: PathBuf,
}

impl Full {
    fn new() -> Self {
        let rig = Rig::new();
        rig.write("piton.toml", WORKSPACES);
        rig.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
        // Something that repairs keep, of each kind.
        let lost = rig.tour();
        let manifest = rig.data().join("sessions").join(&lost.session).join("manifest.jsonl");
        fs::write(&manifest, "no manifest").unwrap();
        rig.run(&["session", "repair", &lost.session]);
        pack(&rig, "broken");
        damage_end(&rig.data().join("backpacks/broken/log"));
        rig.says(&["backpack", "repair", "broken"]);
        fs::write(rig.data().join("keys/keyring.json"), "no keys").unwrap();
        rig.says(&["keys", "repair"]);
        fs::write(rig.data().join("table.sqlite3"), "no table".repeat(100)).unwrap();
        rig.says(&["data", "repair"]);
        write_large(&rig);
        damage(&first_blob(&rig.data(), "virtual"));
        rig.says(&["workspace", "repair"]);
        // What is whole, and will be damaged.
        rig.tour();
        pack(&rig, "shared");
        write_large(&rig);
        rig.says(&["context", "scan"]);
        let long = "a long note ".repeat(9_000);
        rig.says(&["context", "put-frame", "src/lib.rs", "--type", "note", "--text", &long]);
        // A server that is killed leaves its notice, and the replies that it kept.
        let server = Server::start(&rig);
        server.client();
        drop(server);
        let whole = rig.home().join("whole");
        rig.says(&["session", "list"]);
        copy_all(&rig.data(), &whole);
        Self { rig, whole }
    }

    /// Makes everything whole again.
    fn restore(&self) {
        fs::remove_dir_all(self.rig.data()).unwrap();
        copy_all(&self.whole, &self.rig.data());
    }

    /// The files of the whole copy, relative to the data directory, with the kind that each is of.
    fn kinds(&self) -> BTreeMap<String, Option<&'static Kind>> {
        let mut files = BTreeSet::new();
        gather(&self.whole, &mut files);
        let relative = |file: PathBuf| {
            let file = file.strip_prefix(&self.whole).unwrap().to_str().unwrap().to_owned();
            let kind = KINDS.iter().find(|kind| kind.paths.iter().any(|path| is_like(&file, path)));
            (file, kind)
        };
        files.into_iter().map(relative).collect()
    }

    /// The exit code of a command, and its answer.
    fn ask(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.rig.run(&[arguments, &["--json"]].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document =
            document.unwrap_or_else(|_| panic!("{arguments:?}: {}", text(&output.stderr)));
        (output.status.code().expect("it ends by itself"), document)
    }

    /// The exit code of a command, and the first line that a person reads.
    fn line(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.rig.run(arguments);
        let said = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        let line = text(said).lines().next().unwrap_or_default().trim_end().to_owned();
        let line = line.replace(self.rig.home().to_str().unwrap(), "~");
        (output.status.code().expect("it ends by itself"), without_digests(&line))
    }

    /// What the doctor finds bad, after its exit code.
    fn doctor(&self) -> (i32, String) {
        let (code, told) = self.ask(&["doctor"]);
        let findings = told["findings"].as_array().unwrap_or_else(|| panic!("{told}"));
        let bad = findings.iter().filter(|one| one["health"] == "bad");
        let bad: Vec<&str> = bad.map(|one| one["what"].as_str().unwrap()).collect();
        (code, bad.join(", "))
    }

    /// Everything that is listed as kept.
    fn kept(&self) -> BTreeSet<String> {
        let (_, listed) = self.ask(&["data", "repairs"]);
        let places = listed["setAside"].as_array().cloned().unwrap_or_default();
        let names = listed["virtualFiles"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        places.iter().map(|one| text(&one["place"])).chain(names.iter().map(text)).collect()
    }

    /// The contents that somebody may need.
    fn contents(&self) -> BTreeSet<Vec<u8>> {
        let mut files = BTreeSet::new();
        for part in
            ["sessions", "snapshots", "artifacts", "workflows", "backpacks", "blobs", "damaged"]
        {
            gather(&self.rig.data().join(part), &mut files);
        }
        let kept = files.into_iter().filter(|file| {
            let path = file.to_string_lossy();
            // The length of a log changes with it.
            let is_needed = !path.ends_with("/log.length");
            is_needed && !path.contains("/damaged/table")
        });
        kept.map(|file| fs::read(file).unwrap()).filter(|bytes| !bytes.is_empty()).collect()
    }

    /// Whether every part can be used.
    fn is_usable(&self) -> bool {
        let asked: [&[&str]; 4] = [
            &["session", "list"],
            &["backpack", "log", "shared"],
            &["context", "scan"],
            &["workspace", "verify"],
        ];
        asked.iter().all(|arguments| self.rig.run(arguments).status.success())
    }
}

fn pack(rig: &Rig, backpack: &str) {
    let mut agent = Agent::start_as(rig, &["--backpack", backpack]);
    agent.call("pack", &json!({ "key": "small", "value": 1 }));
    agent.call("pack", &json!({ "key": "big", "value": large() }));
    agent.call("pack", &json!({ "key": "last", "value": "newest" }));
    agent.leave();
}

fn write_large(rig: &Rig) {
    let mut agent = Agent::start(rig);
    agent.call_text("write", &json!({ "path": "/scratch/large.md", "content": large() }));
    agent.leave();
}

fn first_blob(data: &Path, namespace: &str) -> PathBuf {
    let mut files = BTreeSet::new();
    gather(&data.join("blobs").join(namespace), &mut files);
    files.into_iter().find(|file| !file.ends_with("complete")).unwrap()
}

/// A text in which each long run of hexadecimal digits is left out: it differs from run to run.
fn without_digests(line: &str) -> String {
    let is_digest =
        |word: &str| word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = line.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    let part =
        |part: &str| match part.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric()) {
            word if is_digest(word) => part.replace(word, "…"),
            _ => part.to_owned(),
        };
    parts.map(part).collect()
}

/// Whether a path has the form of a pattern, in which `*` stands for any part of a name, and `**` for any rest.
fn is_like(path: &str, pattern: &str) -> bool {
    let (mut names, mut forms) = (path.split('/'), pattern.split('/'));
    loop {
        match (names.next(), forms.next()) {
            (Some(_), Some("**")) | (None, None) => return true,
            (Some(name), Some(form)) => {
                let fits = match form.split_once('*') {
                    Some((start, end)) => {
                        name.len() >= start.len() + end.len()
                            && name.starts_with(start)
                            && name.ends_with(end)
                    }
                    None => name == form,
                };
                if !fits {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// A kind of file: its name, where such files are, and the commands that check and repair it.
struct Kind {
    name: &'static str,
    paths: &'static [&'static str],
    check: &'static [&'static str],
    repair: &'static [&'static str],
}

const BACKPACK: (&[&str], &[&str]) =
    (&["backpack", "verify", "shared"], &["backpack", "repair", "shared"]);
const CONTEXT: (&[&str], &[&str]) = (&["context", "validate"], &["context", "repair"]);
const DATA: (&[&str], &[&str]) = (&["data", "verify"], &["data", "repair"]);
const KEYS: (&[&str], &[&str]) = (&["keys", "verify"], &["keys", "repair"]);
const VIRTUAL: (&[&str], &[&str]) = (&["workspace", "verify"], &["workspace", "repair"]);

const fn kind(
    name: &'static str,
    paths: &'static [&'static str],
    (check, repair): (&'static [&'static str], &'static [&'static str]),
) -> Kind {
    Kind { name, paths, check, repair }
}

/// Those with a page of their own elsewhere are not damaged here.
const ELSEWHERE: &str = "sessions and their content";

/// Every kind of file, the first pattern that fits a file deciding.
const KINDS: [Kind; 22] = [
    kind("what a repair kept of a session", &["sessions/*/repair-*/**"], DATA),
    kind("what a repair kept of a backpack", &["backpacks/*/repair-*/**"], BACKPACK),
    kind("damaged keys that are kept", &["keys/keyring.json.damaged-*"], KEYS),
    kind("a damaged table that is kept", &["damaged/table-*/**"], DATA),
    kind("a damaged blob that is kept", &["damaged/*/**"], VIRTUAL),
    kind(
        ELSEWHERE,
        &[
            "sessions/*/manifest.jsonl",
            "sessions/*/events/*.jsonl",
            "sessions/*/.lock",
            "snapshots/*/*",
            "artifacts/*/*",
            "workflows/pinned/*/*",
            "format.json",
            "index/*",
            "logs/*",
        ],
        DATA,
    ),
    kind("mark of a session", &["sessions/*/begun"], DATA),
    kind("key ring", &["keys/keyring.json"], KEYS),
    kind("table", &["table.sqlite3"], DATA),
    kind("note of the table", &["table.sqlite3-id"], DATA),
    kind("log of the table", &["table.sqlite3-wal"], DATA),
    kind("index of the log of the table", &["table.sqlite3-shm"], DATA),
    kind("backpack", &["backpacks/shared/log", "backpacks/*/log"], BACKPACK),
    kind(
        "length of the log of a backpack",
        &["backpacks/shared/log.length", "backpacks/*/log.length"],
        BACKPACK,
    ),
    kind("mark of a backpack", &["backpacks/shared/begun", "backpacks/*/begun"], BACKPACK),
    kind("lock of a backpack", &["backpacks/shared/.lock", "backpacks/*/.lock"], BACKPACK),
    kind("blob of a backpack", &["blobs/backpacks/*/*"], BACKPACK),
    kind("blob of a Virtual Store", &["blobs/virtual/*/*"], VIRTUAL),
    kind("blob of context", &["blobs/context/*/*"], CONTEXT),
    kind("stamps", &["stamps/*"], (&["context", "scan"], &["context", "repair"])),
    kind("kept replies and the notice of a server", &["run/**"], DATA),
    kind(
        "lease or mark of directories",
        &["leases/*", "**/complete", "*/complete", "*/*/complete"],
        DATA,
    ),
];

/// What the commands answer about a damaged copy, as lines of a table.
fn answers(full: &Full, kind: &Kind, kept_before: &BTreeSet<String>, story: &str) -> String {
    let before = full.contents();
    let mut rows = String::new();
    let mut row = |name: &str, (code, line): &(i32, String)| {
        let code = if name == "keeps" { String::new() } else { format!("{code} ") };
        writeln!(rows, "{}", format!("  {name:<7} {code}{line}").trim_end()).unwrap();
    };
    let check = full.line(kind.check);
    row("check", &check);
    let doctor = full.doctor();
    assert!(doctor.0 != 0 || check.0 == 0, "{story}: the doctor sees nothing wrong");
    row("doctor", &doctor);
    let gc = full.ask(&["session", "gc"]);
    let warns = gc.1["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    let held = match gc.1["safeMode"] == true {
        true => "removes nothing",
        false if warns => "keeps what may be needed",
        false => "",
    };
    row("gc", &(gc.0, held.to_owned()));
    let (code, repaired) = full.ask(kind.repair);
    let failure = repaired["error"]["message"].as_str().unwrap_or_default();
    row("repair", &(code, failure.lines().next().unwrap_or_default().to_owned()));
    if check.0 == 0 && doctor.0 == 0 {
        // A repair finds nothing to do, and says so.
        assert_eq!(code, 0, "{story}: {repaired}");
    } else {
        for place in full.kept().difference(kept_before) {
            let is_named = repaired.to_string().contains(place);
            assert!(is_named, "{story}: {place} is not named: {repaired}");
            row("keeps", &(0, without_digests(place)));
        }
        let after = full.line(kind.check);
        row("check", &after);
        row("doctor", &full.doctor());
        assert!(code != 0 || after.0 == 0, "{story}: {repaired} {}", after.1);
        assert!(code != 0 || full.is_usable(), "{story}: it is repaired and cannot be used");
    }
    // A log may have grown.
    let after = full.contents();
    let is_there = |bytes: &Vec<u8>| after.iter().any(|left| left.starts_with(bytes));
    assert!(before.iter().all(is_there), "{story}: something intact is gone");
    rows
}

/// The page of a kind of file.
fn page(full: &Full, kind: &Kind) -> String {
    let files: Vec<String> = full
        .kinds()
        .into_iter()
        .filter(|(_, found)| found.is_some_and(|found| found.name == kind.name))
        .map(|(file, _)| file)
        .collect();
    let named = |pattern: &&&str| files.iter().find(|file| is_like(file, pattern));
    let own = kind.paths.iter().find_map(|pattern| named(&pattern)).expect("there is such a file");
    full.restore();
    let kept_before = full.kept();
    let mut page = String::new();
    let mut told = Vec::<(String, Vec<&str>)>::new();
    for (what, damage) in DAMAGES {
        full.restore();
        let other = files.iter().find(|file| *file != own).map_or("format.json", |file| file);
        let other = full.whole.join(other);
        damage(&full.rig.data().join(own), &other);
        let rows = answers(full, kind, &kept_before, &format!("{} {what}", kind.name));
        // Damages that are answered alike stand together.
        match told.iter_mut().find(|(known, _)| *known == rows) {
            Some((_, damages)) => damages.push(what),
            None => told.push((rows, vec![what])),
        }
    }
    for (rows, damages) in told {
        writeln!(page, "{}: {}\n{rows}", kind.name, damages.join("; ")).unwrap();
    }
    page
}

/// The pages of some kinds.
fn pages(names: &[&str]) -> String {
    let full = Full::new();
    let kinds = names.iter().map(|name| KINDS.iter().find(|kind| kind.name == *name).unwrap());
    kinds.map(|kind| page(&full, kind)).collect()
}

const SECRETS_AND_TABLES: [&str; 3] = ["key ring", "table", "note of the table"];
const BACKPACKS: [&str; 5] = [
    "backpack",
    "length of the log of a backpack",
    "mark of a backpack",
    "lock of a backpack",
    "blob of a backpack",
];
const FILES_AND_CONTEXT: [&str; 3] = ["blob of a Virtual Store", "blob of context", "stamps"];
const DISPENSABLE: [&str; 3] = [
    "mark of a session",
    "kept replies and the notice of a server",
    "lease or mark of directories",
];
const LEFTOVERS: [&str; 5] = [
    "what a repair kept of a session",
    "what a repair kept of a backpack",
    "damaged keys that are kept",
    "a damaged table that is kept",
    "a damaged blob that is kept",
];

#[test]
fn damaged_keys_and_tables_are_seen_by_every_command() {
    insta::assert_snapshot!(pages(&SECRETS_AND_TABLES));
}

#[test]
fn damaged_backpacks_are_seen_by_every_command() {
    insta::assert_snapshot!(pages(&BACKPACKS));
}

#[test]
fn damaged_files_of_virtual_stores_and_context_are_seen_by_every_command() {
    insta::assert_snapshot!(pages(&FILES_AND_CONTEXT));
}

#[test]
fn what_may_be_thrown_away_changes_no_answer() {
    insta::assert_snapshot!(pages(&DISPENSABLE));
}

#[test]
fn what_repairs_keep_blocks_at_most_a_collection() {
    insta::assert_snapshot!(pages(&LEFTOVERS));
}

#[test]
fn every_file_of_a_data_directory_in_full_use_is_of_a_kind_with_a_page() {
    let full = Full::new();
    let found = full.kinds();
    let unknown: Vec<_> =
        found.iter().filter(|(_, kind)| kind.is_none()).map(|one| one.0).collect();
    assert!(unknown.is_empty(), "add a kind for: {unknown:?}");
    let there: BTreeSet<&str> = found.values().flatten().map(|kind| kind.name).collect();
    // They come and go with the processes that use the table; the next test has them.
    let passing = ["log of the table", "index of the log of the table"];
    let pages = [&SECRETS_AND_TABLES[..], &BACKPACKS, &FILES_AND_CONTEXT, &DISPENSABLE, &LEFTOVERS];
    let with_page: BTreeSet<&str> = pages.concat().into_iter().chain([ELSEWHERE]).collect();
    let all: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let missing: Vec<_> = all.difference(&there).filter(|name| !passing.contains(name)).collect();
    assert!(missing.is_empty(), "the data directory has none of: {missing:?}");
    assert_eq!(with_page.len() + passing.len(), all.len());
}

/// SQLite checks each commit in its log, and takes the valid beginning of the log for all of it. What was folded back
/// before is whole in any case.
#[test]
fn a_damaged_log_of_the_table_costs_at_most_the_commits_in_it() {
    let rig = Rig::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let open = || {
        let dir = DataDir::open(&rig.data()).unwrap();
        LocalTable::open(&dir, &"workflow".parse().unwrap()).unwrap()
    };
    let put = |table: &LocalTable, key: &[u8]| {
        let change = EntryChange::Put(b"value".to_vec());
        let write = TableWrite { key: key.into(), expect: Expect::Anything, change };
        runtime.block_on(table.commit(vec![write])).unwrap();
    };
    let has = |table: &LocalTable, key: &[u8]| runtime.block_on(table.get(key)).unwrap().is_some();
    put(&open(), b"early");
    let held = open();
    put(&held, b"late");
    let whole = rig.home().join("whole");
    copy_all(&rig.data(), &whole);
    drop(held);
    for (what, damage) in DAMAGES {
        for (suffix, keeps_late) in [("-wal", false), ("-shm", true)] {
            fs::remove_dir_all(rig.data()).unwrap();
            copy_all(&whole, &rig.data());
            let file = rig.data().join(format!("table.sqlite3{suffix}"));
            damage(&file, &whole.join("format.json"));
            rig.says(&["data", "verify"]);
            let table = open();
            assert!(has(&table, b"early"), "{what}: {suffix}");
            assert_eq!(has(&table, b"late"), keeps_late, "{what}: {suffix}");
        }
    }
}
