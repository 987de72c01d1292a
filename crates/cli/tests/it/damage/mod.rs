//! What each command answers when a file of the data directory is damaged: a table, one page for each kind of file.
//!
//! To add a kind of file, add it to [`KINDS`] with a test below, or to those of [`everything`] if it is no part of a
//! session, and read the page that appears under `snapshots`. A file of a data directory in full use that no kind stands
//! for fails a test.
//! What holds for every row is asserted besides ([`answers`]):
//! - what is called sound can be shown and exported in full;
//! - `doctor` is not content with what `verify` calls damaged;
//! - no content that is intact after the damage is gone after any of the commands.

mod everything;

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::Value;

use crate::{
    agent::Agent,
    rig::{Rig, text},
    tour,
};

/// Two complete runs of the tour, the second of which lends its files.
struct House {
    rig: Rig,
    session: String,
    other: String,
}

impl House {
    fn new() -> Self {
        let rig = Rig::new();
        let mut sessions = ["first", "second"].map(|key| {
            let mut agent = Agent::start(&rig);
            let (mut answer, mut session) = (None, String::new());
            while let Some((tool, arguments)) = tour::next_call(answer.as_ref(), key) {
                let told = agent.call(tool, &arguments);
                told["run"]["sessionId"].as_str().unwrap().clone_into(&mut session);
                answer = Some(told);
            }
            agent.leave();
            session
        });
        let (session, other) = (std::mem::take(&mut sessions[0]), std::mem::take(&mut sessions[1]));
        // What is cached of sessions is computed when they are listed.
        rig.says(&["session", "list"]);
        Self { rig, session, other }
    }

    /// A copy of everything, to be damaged.
    fn copy(&self) -> Self {
        let rig = Rig::new();
        copy_all(&self.rig.data(), &rig.data());
        Self { rig, session: self.session.clone(), other: self.other.clone() }
    }

    /// The files under a part of the data directory, in order.
    fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut files = BTreeSet::new();
        let part = part.replace("SESSION", &self.session).replace("OTHER", &self.other);
        gather(&self.rig.data().join(part), &mut files);
        files.into_iter().collect()
    }

    /// The contents of all segments and blobs.
    fn contents(&self) -> BTreeSet<Vec<u8>> {
        let parts = ["sessions", "snapshots", "artifacts", "workflows"];
        let files = parts.iter().flat_map(|part| self.files(part));
        let kept = files.filter(|file| {
            let path = file.to_string_lossy();
            !path.ends_with("manifest.jsonl")
        });
        kept.map(|file| fs::read(file).unwrap()).filter(|bytes| !bytes.is_empty()).collect()
    }

    /// What a command answers: its exit code, and its document.
    fn ask(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.rig.run(&[arguments, &["--json"]].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        (output.status.code().expect("it ends by itself"), document)
    }

    /// A line of an answer, without what differs from run to run.
    fn line(&self, (code, told): &(i32, Value)) -> String {
        let said = told["summary"].as_str().or_else(|| told["error"]["message"].as_str());
        let line = said.unwrap_or_default().lines().next().unwrap_or_default();
        let home = self.rig.home();
        let line = line.replace(&self.session, "sess_…").replace(home.to_str().unwrap(), "~");
        format!("{code} {line}").trim().to_owned()
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

pub(crate) fn gather(path: &Path, files: &mut BTreeSet<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            gather(&entry.unwrap().path(), files);
        }
    } else if path.exists() {
        files.insert(path.to_owned());
    }
}

/// A kind of file: its name, where one is, and where another one is that can be put in its place.
struct Kind {
    name: &'static str,
    own: fn(&House) -> PathBuf,
    other: fn(&House) -> PathBuf,
}

fn first(house: &House, part: &str) -> PathBuf {
    let files = house.files(part);
    let mut files = files.into_iter().filter(|file| !file.ends_with("complete"));
    files.next().unwrap_or_else(|| panic!("nothing is in {part}"))
}

fn last(house: &House, part: &str) -> PathBuf {
    let files = house.files(part);
    files.into_iter().rfind(|file| !file.ends_with("complete")).unwrap()
}

const KINDS: [Kind; 10] = [
    Kind {
        name: "manifest",
        own: |house| first(house, "sessions/SESSION/manifest.jsonl"),
        other: |house| first(house, "sessions/OTHER/manifest.jsonl"),
    },
    Kind {
        name: "first segment",
        own: |house| first(house, "sessions/SESSION/events"),
        other: |house| first(house, "sessions/OTHER/events"),
    },
    Kind {
        name: "last segment",
        own: |house| last(house, "sessions/SESSION/events"),
        other: |house| last(house, "sessions/OTHER/events"),
    },
    Kind {
        name: "snapshot",
        own: |house| first(house, "snapshots"),
        other: |house| last(house, "snapshots"),
    },
    Kind {
        name: "artifact",
        own: |house| first(house, "artifacts"),
        other: |house| last(house, "artifacts"),
    },
    Kind {
        name: "pinned workflow",
        own: |house| first(house, "workflows/pinned"),
        other: |house| first(house, "snapshots"),
    },
    Kind {
        name: "cache",
        own: |house| first(house, "index"),
        other: |house| first(house, "format.json"),
    },
    Kind {
        name: "lock",
        own: |house| first(house, "sessions/SESSION/.lock"),
        other: |house| first(house, "format.json"),
    },
    Kind {
        name: "log",
        own: |house| first(house, "logs"),
        other: |house| first(house, "format.json"),
    },
    Kind {
        name: "format",
        own: |house| first(house, "format.json"),
        other: |house| first(house, "sessions/SESSION/manifest.jsonl"),
    },
];

/// What happens to a file, given another one of its kind.
type Damage = (&'static str, fn(&Path, &Path));

const DAMAGES: [Damage; 6] = [
    ("deleted", |file, _| fs::remove_file(file).unwrap()),
    ("cut in half", |file, _| {
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("emptied", |file, _| fs::write(file, b"").unwrap()),
    ("one bit flipped", |file, _| {
        let mut bytes = fs::read(file).unwrap();
        if let Some(byte) = bytes.get_mut(9) {
            *byte ^= 1;
        }
        fs::write(file, bytes).unwrap();
    }),
    ("its last bit flipped", |file, _| {
        let mut bytes = fs::read(file).unwrap();
        if let Some(byte) = bytes.last_mut() {
            *byte ^= 1;
        }
        fs::write(file, bytes).unwrap();
    }),
    ("replaced by another's", |file, other| fs::write(file, fs::read(other).unwrap()).unwrap()),
];

/// What the commands answer about a damaged copy, as lines of a table.
fn answers(house: &House, story: &str) -> String {
    let before = house.contents();
    let session = house.session.as_str();
    let bundle = house.rig.project().join("bundle.json");
    let bundle = bundle.to_str().unwrap();
    let is_usable = || {
        house.ask(&["session", "show", session]).0 == 0
            && house.ask(&["session", "export", session, bundle, "--force"]).0 == 0
    };
    let mut rows = String::new();
    let verify = house.ask(&["session", "verify", session]);
    assert!(verify.0 != 0 || is_usable(), "{story}: it is called sound and cannot be used");
    writeln!(rows, "  verify  {}", house.line(&verify)).unwrap();
    let list = house.ask(&["session", "list"]);
    let is_listed = list.1.to_string().contains(session);
    writeln!(rows, "  list    {} {}", list.0, if is_listed { "listed" } else { "not listed" })
        .unwrap();
    let doctor = house.ask(&["doctor"]);
    assert!(doctor.0 != 0 || verify.0 == 0, "{story}: the doctor sees nothing wrong");
    let found =
        doctor.1["findings"].as_array().unwrap().iter().filter(|one| one["health"] == "bad");
    let found: Vec<&str> = found.map(|one| one["what"].as_str().unwrap()).collect();
    writeln!(rows, "  doctor  {} {}", doctor.0, found.join(", ")).unwrap();
    let gc = house.ask(&["session", "gc"]);
    let warns = gc.1["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
    let held = match gc.1["safeMode"] == true {
        true => "removes nothing",
        false if warns => "keeps what may be needed",
        false => "",
    };
    writeln!(rows, "  gc      {} {held}", house.line(&gc)).unwrap();
    let repair = house.ask(&["session", "repair", session]);
    writeln!(rows, "  repair  {}", house.line(&repair)).unwrap();
    let after = house.ask(&["session", "verify", session]);
    assert_eq!(after.0 == 0, repair.0 == 0, "{story}: {} {}", repair.1, after.1);
    assert!(after.0 != 0 || is_usable(), "{story}: it is called repaired and cannot be used");
    writeln!(rows, "  verify  {}", house.line(&after)).unwrap();
    assert!(before.is_subset(&house.contents()), "{story}: something intact is gone");
    rows.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The page of a kind of file.
fn page(name: &str) -> String {
    let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
    let start = House::new();
    let mut page = String::new();
    for (what, damage) in DAMAGES {
        let house = start.copy();
        damage(&(kind.own)(&house), &(kind.other)(&house));
        let rows = answers(&house, &format!("{name} {what}"));
        writeln!(page, "{name}, {what}\n{rows}\n").unwrap();
    }
    page
}

macro_rules! pages {
    ($($test:ident: $kind:literal;)*) => {
        $(
            #[test]
            fn $test() {
                insta::assert_snapshot!(page($kind));
            }
        )*

        #[test]
        fn every_kind_of_file_has_its_page() {
            assert_eq!(KINDS.map(|kind| kind.name), [$($kind),*]);
        }
    };
}

pages! {
    a_damaged_manifest_is_seen_by_every_command: "manifest";
    a_damaged_first_segment_is_seen_by_every_command: "first segment";
    a_damaged_last_segment_is_seen_by_every_command: "last segment";
    a_damaged_snapshot_is_seen_by_every_command: "snapshot";
    a_damaged_artifact_is_seen_by_every_command: "artifact";
    a_damaged_pinned_workflow_is_seen_by_every_command: "pinned workflow";
    a_damaged_cache_changes_no_answer: "cache";
    a_damaged_lock_changes_no_answer: "lock";
    a_damaged_log_changes_no_answer: "log";
    a_damaged_format_stops_every_command: "format";
}

#[test]
fn what_a_session_without_its_manifest_refers_to_is_not_collected() {
    for damage in [DAMAGES[0].1, DAMAGES[1].1, DAMAGES[2].1] {
        let house = House::new();
        let manifest = first(&house, "sessions/SESSION/manifest.jsonl");
        damage(&manifest, &manifest);
        let long_ago = SystemTime::now() - Duration::from_hours(24 * 365);
        for part in ["snapshots", "artifacts", "workflows/pinned"] {
            for file in house.files(part) {
                fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
            }
        }
        let before = house.contents();
        let gc = house.ask(&["session", "gc"]);
        assert_eq!((gc.0, &gc.1["safeMode"]), (5, &Value::Bool(true)), "{}", gc.1);
        assert!(before == house.contents());
    }
}

#[test]
fn what_a_repair_takes_away_is_named_and_listed() {
    let house = House::new();
    let manifest = first(&house, "sessions/SESSION/manifest.jsonl");
    fs::write(&manifest, "no manifest\n").unwrap();
    fs::remove_file(first(&house, "sessions/SESSION/events")).unwrap();
    let before = fs::read(&manifest).unwrap();
    let (code, done) = house.ask(&["session", "repair", &house.session]);
    assert_eq!((code, &done["isSound"]), (5, &Value::Bool(false)), "{done}");
    let place = done["setAside"][0]["place"].as_str().unwrap();
    assert!(done["summary"].as_str().unwrap().contains(place), "{done}");
    assert_eq!(fs::read(Path::new(place).join("manifest.jsonl")).unwrap(), before);
    assert_eq!(house.ask(&["session", "repairs"]).1["setAside"], done["setAside"]);
    let listed = house.rig.says(&["data", "repairs"]);
    assert!(listed.contains(&format!("sessions/{}/repair-1", house.session)), "{listed}");
    // Nothing is left of the session, so nothing is wrong with it; the doctor points at what was kept.
    let (code, doctor) = house.ask(&["doctor"]);
    assert_eq!(code, 0, "{doctor}");
    assert!(doctor.to_string().contains("piton session repairs"), "{doctor}");
}

#[test]
fn a_deletion_says_what_a_repair_kept_before_it_goes() {
    let house = House::new();
    crate::rig::damage(&last(&house, "sessions/SESSION/events"));
    let (code, done) = house.ask(&["session", "repair", &house.session]);
    assert_eq!(code, 0, "{done}");
    let place = done["setAside"][0]["place"].as_str().unwrap();
    for part in ["session", "data"] {
        let listed = house.rig.says(&[part, "repairs"]);
        assert!(!listed.contains("never removes"), "{listed}");
        assert!(listed.contains("`piton session delete RUN`"), "{listed}");
    }
    let unasked = house.rig.run(&["session", "delete", &house.session]);
    assert_eq!(unasked.status.code(), Some(1));
    let refused = text(&unasked.stderr);
    assert!(refused.contains(place) && Path::new(place).exists(), "{refused}");
    let said = house.rig.says(&["session", "delete", &house.session, "--yes"]);
    let (kept, removed) = (said.find(place), said.find("Deleted"));
    assert!(kept.is_some() && kept < removed, "{said}");
    assert!(!Path::new(place).exists(), "it goes along");
    let (_, deleted) = house.ask(&["session", "delete", &house.other, "--yes"]);
    assert_eq!(deleted["setAside"], Value::Array(Vec::new()), "{deleted}");
}

#[test]
fn content_that_is_missing_is_damage_to_every_command_that_reads_it() {
    for part in ["snapshots", "workflows/pinned"] {
        let house = House::new();
        for file in house.files(part).into_iter().filter(|file| !file.ends_with("complete")) {
            fs::remove_file(file).unwrap();
        }
        let session = house.session.as_str();
        let copy = house.rig.home().join("copy.json");
        let commands = [
            &["session", "show", session][..],
            &["session", "tree", session],
            &["session", "export", session, copy.to_str().unwrap()],
            &["blame", "run", session],
            &["blame", "recap", session],
            &["diff", session, &house.other],
            &["fork", session],
        ];
        for command in commands {
            let (code, told) = house.ask(command);
            let name = command[..2].join(" ");
            assert_eq!(code, 5, "{part} {name}: {told}");
            let advice = told["error"]["suggestion"].as_str().unwrap();
            assert!(advice.contains("piton session verify"), "{name}: {told}");
        }
    }
}

/// A run that is open is summed up when it is asked for, so that what is missing is met on another way.
#[test]
fn content_of_an_open_run_that_is_missing_is_damage_to_every_command() {
    for part in ["snapshots", "workflows/pinned"] {
        let house = House::new();
        let run = house.rig.tour();
        for file in house.files(part).into_iter().filter(|file| !file.ends_with("complete")) {
            fs::remove_file(file).unwrap();
        }
        let copy = house.rig.home().join("copy.json");
        let copy = copy.to_str().unwrap();
        for name in [&run.label, &run.id, &run.session] {
            for command in [
                &["session", "show", name][..],
                &["session", "tree", name],
                &["session", "export", name, copy],
                &["session", "verify", name],
                &["blame", "run", name],
                &["blame", "recap", name],
                &["diff", name, &house.other],
                &["diff", &house.other, name],
                &["fork", name],
                &["approve", name],
                &["answer", name, "yes"],
                &["reject", name, "no"],
                &["workflow", "run", "--resume", name],
            ] {
                let (code, told) = house.ask(command);
                assert_eq!(code, 5, "{part} {command:?}: {told}");
                assert!(told.to_string().contains("piton session"), "{command:?}: {told}");
            }
        }
        // The list is complete, and says which of them cannot be read.
        let (code, list) = house.ask(&["session", "list"]);
        assert!(code == 0 && list.to_string().contains(&run.session), "{list}");
    }
}

#[test]
fn a_collection_that_is_held_up_by_damage_says_so_and_ends_with_5() {
    let rig = crate::recovery::with_backpack();
    rig.tour();
    assert_eq!(rig.run(&["session", "gc"]).status.code(), Some(0));
    fs::write(crate::recovery::log_of(&rig, "shared"), "no log").unwrap();
    for rehearse in [&[][..], &["--dry-run"]] {
        let output = rig.run(&[&["session", "gc"], rehearse].concat());
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "{said}");
        assert!(said.contains("piton backpack repair shared"), "{said}");
    }
    // A list names it beside the others, and is complete.
    assert!(rig.says(&["backpack", "list"]).contains("shared"));
    rig.says(&["session", "list"]);
}

#[test]
fn a_damaged_session_keeps_its_label_and_the_advice_works_as_printed() {
    // The first leaves no event that can be read: the label is known from what was cached.
    for damage in [DAMAGES[2].1, DAMAGES[1].1] {
        let house = House::new();
        let run = house.rig.tour();
        let own = House { session: run.session.clone(), ..house };
        let manifest = first(&own, "sessions/SESSION/manifest.jsonl");
        damage(&manifest, &manifest);
        let said = own.rig.says(&["session", "list"]);
        let heading = format!("{} ({}) cannot be read", run.label, run.session);
        assert!(said.contains(&heading), "{said}");
        let commands: Vec<&str> =
            said.split('`').filter(|part| part.starts_with("piton ")).collect();
        let ends = |line: &str| {
            let words: Vec<&str> = line.split(' ').skip(1).collect();
            own.rig.run(&words).status.code().unwrap()
        };
        let [verify, repair] = commands[..] else { panic!("{said}") };
        assert_eq!((ends(verify), ends(&format!("piton session verify {}", run.label))), (5, 5));
        assert_eq!((ends(repair), ends(verify)), (0, 0), "{said}");
    }
}

#[test]
fn a_session_is_shown_as_before_after_its_manifest_was_damaged_in_any_way_and_repaired() {
    type Edit = (&'static str, fn(&mut Vec<&str>));
    let edits: [Edit; 5] = [
        ("the first line is missing", |lines| {
            lines.remove(0);
        }),
        ("a line in the middle is missing", |lines| {
            lines.remove(lines.len() / 2);
        }),
        ("the last line is missing", |lines| {
            lines.pop();
        }),
        ("the first line is cut", |lines| lines[0] = &lines[0][..40]),
        ("nothing is left", |lines| lines.truncate(0)),
    ];
    let start = House::new();
    for (what, edit) in edits {
        let house = start.copy();
        let shown = house.ask(&["session", "show", &house.session]).1;
        let manifest = first(&house, "sessions/SESSION/manifest.jsonl");
        let text = fs::read_to_string(&manifest).unwrap();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        edit(&mut lines);
        fs::write(&manifest, lines.concat()).unwrap();
        let (code, found) = house.ask(&["session", "verify", &house.session]);
        let summary = found["summary"].as_str().unwrap();
        assert!(code == 5 && summary.contains("a repair brings back 44 events"), "{what}: {found}");
        let (code, done) = house.ask(&["session", "repair", &house.session]);
        assert_eq!((code, &done["isSound"]), (0, &Value::Bool(true)), "{what}: {done}");
        assert_eq!(house.ask(&["session", "show", &house.session]).1, shown, "{what}");
        assert_eq!(fs::read_to_string(&manifest).unwrap(), text, "{what}");
    }
}

#[test]
fn sessions_that_share_damaged_content_are_named() {
    let house = House::new();
    fs::remove_file(first(&house, "workflows/pinned")).unwrap();
    let (_, doctor) = house.ask(&["doctor"]);
    let findings = doctor["findings"].as_array().unwrap();
    let found = findings.iter().find(|one| one["what"] == "sessions").unwrap()["found"].to_string();
    for session in [&house.session, &house.other] {
        assert!(found.contains(session.as_str()), "{found}");
    }
    let (_, verdict) = house.ask(&["session", "verify", &house.session]);
    assert_eq!(verdict["sharedWith"], serde_json::json!([house.other]), "{verdict}");
    assert!(verdict["summary"].as_str().unwrap().contains(&house.other), "{verdict}");
    let (_, shown) = house.ask(&["session", "show", &house.session]);
    let suggestion = shown["error"]["suggestion"].as_str().unwrap();
    assert!(suggestion.contains(&house.session) && !suggestion.contains("not affected"), "{shown}");
}

#[test]
fn every_command_calls_a_damaged_run_damaged_and_names_what_helps() {
    let house = House::new();
    let run = house.rig.tour();
    let own = House { session: run.session.clone(), ..house };
    let manifest = first(&own, "sessions/SESSION/manifest.jsonl");
    DAMAGES[2].1(&manifest, &manifest);
    let expect = |code: i32, error: &Value, story: &str| {
        assert_eq!((code, error["code"].as_str()), (5, Some("SESSION_NOT_HEALTHY")), "{story}");
        let advice = error["suggestion"].as_str().unwrap();
        for command in ["verify", "repair"] {
            let command = format!("piton session {command} {}", run.session);
            assert!(advice.contains(&command), "{story}: {advice}");
        }
    };
    let mut agent = Agent::start(&own.rig);
    for name in [&run.label, &run.id, &run.session] {
        for command in [
            &["blame", "run", name][..],
            &["blame", "recap", name],
            &["diff", name, name],
            &["fork", name],
            &["session", "show", name],
            &["session", "tree", name],
        ] {
            let (code, error) = own.rig.fails(command);
            expect(code, &error, &command.join(" "));
        }
    }
    for arguments in [
        serde_json::json!({ "runId": run.id }),
        serde_json::json!({ "sessionId": run.session }),
        serde_json::json!({ "runId": run.id, "sessionId": run.session }),
    ] {
        let error = agent.call("resume_session", &arguments);
        expect(5, &error, &arguments.to_string());
    }
    agent.leave();
    // Its two words are too few to take something away by, and lead to the id that is enough.
    let (_, error) = own.rig.fails(&["session", "repair", &run.label]);
    assert!(error["suggestion"].as_str().unwrap().contains(&run.session), "{error}");
    own.rig.tells(&["session", "repair", &run.session]);
    own.rig.tells(&["blame", "run", &run.label]);
}

#[test]
fn a_session_whose_artifact_is_gone_for_good_is_left_by_the_command_that_is_printed() {
    let house = House::new();
    for file in house.files("artifacts") {
        fs::remove_file(file).unwrap();
    }
    for session in [&house.session, &house.other] {
        let (code, verdict) = house.ask(&["session", "verify", session]);
        let summary = verdict["summary"].as_str().unwrap();
        assert_eq!(code, 5, "{summary}");
        assert!(summary.contains("nothing brings the content back"), "{summary}");
        let mut commands =
            summary.split('`').filter(|part| part.starts_with("piton session delete"));
        let words: Vec<&str> = commands.next().unwrap().split(' ').skip(1).collect();
        house.rig.says(&[&words[..], &["--yes"]].concat());
    }
    let (code, doctor) = house.ask(&["doctor"]);
    assert_eq!(code, 0, "{doctor}");
}

#[test]
fn a_damaged_configuration_is_reported_with_its_place() {
    let mut page = String::new();
    for (what, damage) in DAMAGES {
        let rig = Rig::new();
        let config = rig.write("../.config/piton/config.toml", "[state]\nbackpack = \"shared\"\n");
        damage(&config, &rig.write("other", "no configuration\n"));
        let (checked, doctor) = (rig.run(&["config", "check"]), rig.run(&["doctor"]));
        assert_eq!(checked.status.success(), doctor.status.success(), "{what}");
        let said = if checked.stdout.is_empty() { &checked.stderr } else { &checked.stdout };
        let said = text(said).replace(rig.home().to_str().unwrap(), "~");
        let line = said.lines().next().unwrap_or_default();
        writeln!(page, "{what}: {} {line}", checked.status.code().unwrap()).unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn starting_an_unchanged_workflow_writes_its_damaged_pin_anew() {
    let house = House::new();
    let pinned = first(&house, "workflows/pinned");
    DAMAGES[3].1(&pinned, &pinned);
    let (code, found) = house.ask(&["session", "verify", &house.session]);
    assert_eq!(code, 5, "{found}");
    assert!(found["summary"].as_str().unwrap().contains("starting it once"), "{found}");
    house.rig.tour();
    assert_eq!(house.ask(&["session", "verify", &house.session]).0, 0);
}

#[test]
fn a_session_of_a_later_version_asks_for_an_upgrade_and_never_for_a_repair() {
    let house = House::new();
    let manifest = first(&house, "sessions/SESSION/manifest.jsonl");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"v\":1", "\"v\":2", 1)).unwrap();
    for command in ["verify", "repair"] {
        let output = house.rig.run(&["session", command, &house.session]);
        let said = format!("{}{}", crate::text(&output.stdout), crate::text(&output.stderr));
        assert!(!output.status.success(), "{said}");
        assert!(!said.contains("session repair"), "{said}");
        assert!(said.contains("or a newer one"), "{said}");
    }
}
