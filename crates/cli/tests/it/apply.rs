//! `piton workspace apply` while agents write, when it is killed, and what it keeps of a file.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::{agent::Agent, rig::Rig};

const FILES: usize = 300;

const WORKSPACES: &str = r#"
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "."

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"
"#;

/// An agent, and the writes that were acknowledged to it: the content of each path, or that it is deleted.
struct Writer {
    agent: Agent,
    acknowledged: BTreeMap<String, Option<String>>,
    calls: usize,
}

impl Writer {
    fn start(rig: &Rig) -> Self {
        Self { agent: Agent::start(rig), acknowledged: BTreeMap::new(), calls: 0 }
    }

    fn write(&mut self, path: &str, content: &str) {
        let arguments = json!({ "path": format!("/scratch/{path}"), "content": content });
        let (text, is_error) = self.agent.call_text("write", &arguments);
        assert!(!is_error, "{text}");
        self.acknowledged.insert(path.to_owned(), Some(content.to_owned()));
    }

    fn fill(&mut self, round: usize) {
        for number in 0..FILES {
            self.write(&format!("round-{round}/{number}.txt"), "first\n");
        }
    }

    /// One change, of a file that is being applied or beside it.
    fn change_something(&mut self, round: usize) {
        self.calls += 1;
        let call = self.calls;
        // A large stride, so that it meets files before, at and after the place that is being applied.
        let path = format!("round-{round}/{}.txt", call * 7 % FILES);
        match call % 4 {
            0 => self.write(&format!("round-{round}/late-{call}.txt"), &format!("late {call}\n")),
            1 if self.acknowledged[&path].is_some() => {
                let arguments = json!({ "path": format!("/scratch/{path}") });
                let (text, is_error) = self.agent.call_text("delete", &arguments);
                assert!(!is_error, "{text}");
                self.acknowledged.insert(path, None);
            }
            _ => self.write(&path, &format!("newer {call}\n")),
        }
    }

    /// Every change that was acknowledged is what the agent sees.
    fn sees_all(&mut self) {
        for (path, content) in &self.acknowledged {
            let arguments = json!({ "path": format!("/scratch/{path}") });
            let (text, is_error) = self.agent.call_text("read", &arguments);
            match content {
                Some(content) => {
                    assert!(!is_error && text.ends_with(content), "{path}: {content:?} {text}");
                }
                None => assert!(is_error, "{path} was deleted: {text}"),
            }
        }
    }

    fn is_below(&self, rig: &Rig) {
        for (path, content) in &self.acknowledged {
            let below = fs::read_to_string(rig.project().join(path)).ok();
            assert_eq!(below, *content, "{path}");
        }
    }
}

fn begin_to_apply(rig: &Rig) -> Child {
    let mut command = rig.command(&["workspace", "apply", "/scratch", "--yes", "--json"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

// shows: WS-059
// shows in part: WS-054 (agents that write meanwhile)
#[test]
fn nothing_that_an_agent_was_told_is_written_is_lost_while_a_person_applies_its_overlay() {
    let rig = Rig::new();
    rig.write("piton.toml", WORKSPACES);
    let mut writer = Writer::start(&rig);
    for round in 0..2 {
        writer.fill(round);
        let mut applying = begin_to_apply(&rig);
        let calls = writer.calls;
        while applying.try_wait().unwrap().is_none() {
            writer.change_something(round);
        }
        assert!(writer.calls > calls, "the agent wrote nothing meanwhile");
        let output = applying.wait_with_output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        assert!(output.status.success(), "{told}");
        assert!(!names(&told["paths"]).is_empty(), "{told}");
        writer.sees_all();
        // What is not below is above: reported as left, or written after that report.
        let diff = rig.tells(&["workspace", "diff", "/scratch"]).to_string();
        for (path, content) in &writer.acknowledged {
            let below = fs::read_to_string(rig.project().join(path)).ok();
            assert!(below == *content || diff.contains(path), "{path} is below as {below:?}");
        }
        for one in told["left"].as_array().into_iter().flatten() {
            assert_eq!(one["reason"], "newer", "{one}");
        }
        let told = rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
        assert_eq!((told.get("left"), told.get("stopped")), (None, None), "{told}");
        writer.is_below(&rig);
        writer.sees_all();
    }
    writer.agent.leave();
}

// shows: WS-059
// shows in part: WS-054 (a crash)
#[test]
fn an_apply_that_is_killed_can_be_repeated_whatever_the_agent_wrote_since() {
    let rig = Rig::new();
    rig.write("piton.toml", WORKSPACES);
    let mut writer = Writer::start(&rig);
    writer.fill(0);
    let mut applying = begin_to_apply(&rig);
    // It is in the middle when one of the first files is there: paths are applied in order.
    while !rig.project().join("round-0/120.txt").exists() {
        assert!(applying.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::yield_now();
    }
    applying.kill().unwrap();
    applying.wait().unwrap();
    writer.sees_all();
    for _ in 0..40 {
        writer.change_something(0);
    }
    let told = rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    assert_eq!((told.get("left"), told.get("stopped")), (None, None), "{told}");
    writer.is_below(&rig);
    writer.sees_all();
    writer.agent.leave();
}

// shows in part: WS-059 (what failed on the way)
#[test]
fn an_apply_that_fails_half_way_says_what_it_applied_and_what_it_left() {
    let rig = Rig::new();
    rig.write(
        "piton.toml",
        &WORKSPACES.replace("directory = \".\"", "directory = \".\"\nfiles_max = 4"),
    );
    let mut writer = Writer::start(&rig);
    for name in ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt"] {
        writer.write(name, "text\n");
    }
    let output = rig.run(&["workspace", "apply", "/scratch", "--yes", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(told["stopped"]["code"], "WORKSPACE_QUOTA", "{told}");
    let (applied, left) = (names(&told["paths"]), told["left"].as_array().unwrap());
    assert!(!applied.is_empty() && applied.len() + left.len() == 6, "{told}");
    for path in applied {
        assert!(rig.project().join(path.trim_start_matches("/project/")).exists(), "{path}");
    }
    for one in left {
        let path = one["path"].as_str().unwrap().trim_start_matches("/project/");
        assert!(!rig.project().join(path).exists(), "{path}");
        assert_eq!(one["reason"], "not_reached");
    }
    writer.sees_all();
    writer.agent.leave();
}

// shows in part: WS-058 (after an overlay was applied)
#[test]
fn blame_of_an_applied_file_names_the_agent_who_wrote_it_and_the_person_who_applied_it() {
    let rig = Rig::new();
    rig.write("piton.toml", WORKSPACES);
    rig.write("src/retry.rs", "fn retry() {\n    once();\n}\n");
    let mut agent = Agent::start(&rig);
    for (tool, arguments) in [
        (
            "edit",
            json!({ "path": "/scratch/src/retry.rs", "old_string": "once", "new_string": "twice" }),
        ),
        ("write", json!({ "path": "/scratch/draft.rs", "content": "new\n" })),
        ("move", json!({ "from": "/scratch/draft.rs", "to": "/scratch/src/new.rs" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(!is_error, "{text}");
    }
    agent.leave();
    let above = rig.tells(&["blame", "file", "/scratch/src/retry.rs"]);
    let author = above["records"][0]["agent"].as_str().unwrap().to_owned();
    assert_ne!(author, "person");
    rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    for path in ["/project/src/retry.rs", "/project/src/new.rs"] {
        let below = rig.tells(&["blame", "file", path]);
        let record = below["records"].as_array().unwrap().last().unwrap();
        assert_eq!(record["agent"], "person", "{below}");
        assert_eq!(record["overlay"], "/scratch", "{below}");
        assert_eq!(record["authors"][0]["agent"], author.as_str(), "{below}");
        let said = rig.says(&["blame", "file", path]);
        assert!(said.contains(&format!("{author} in /scratch; applied by person")), "{said}");
    }
}

// shows in part: WS-054 (programs)
#[test]
fn a_program_stays_one_when_it_is_edited_copied_and_moved_in_an_overlay_and_applied() {
    let rig = Rig::new();
    rig.write("piton.toml", WORKSPACES);
    for name in ["edited.sh", "copied.sh", "moved.sh", "tree/in.sh", "remade.sh"] {
        let path = rig.write(name, "#!/bin/sh\necho one\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    rig.write("plain.txt", "plain\n");
    let mut agent = Agent::start(&rig);
    for (tool, arguments) in [
        ("edit", json!({ "path": "/scratch/edited.sh", "old_string": "one", "new_string": "two" })),
        ("copy", json!({ "from": "/scratch/copied.sh", "to": "/scratch/copy.sh" })),
        ("copy", json!({ "from": "/scratch/edited.sh", "to": "/scratch/edited-copy.sh" })),
        ("copy", json!({ "from": "/scratch/plain.txt", "to": "/scratch/plain-copy.txt" })),
        ("move", json!({ "from": "/scratch/moved.sh", "to": "/scratch/bin/moved.sh" })),
        ("move", json!({ "from": "/scratch/tree", "to": "/scratch/wood" })),
        ("delete", json!({ "path": "/scratch/remade.sh" })),
        ("write", json!({ "path": "/scratch/remade.sh", "content": "#!/bin/sh\necho one\n" })),
    ] {
        let (text, is_error) = agent.call_text(tool, &arguments);
        assert!(!is_error, "{text}");
    }
    agent.leave();
    let diff = rig.tells(&["workspace", "diff", "/scratch"]);
    let executable = |path: &str| {
        let changes = diff["changes"].as_array().unwrap();
        changes.iter().find(|one| one["path"] == path).map(|one| one["executable"].clone())
    };
    assert_eq!(executable("edited.sh"), Some(Value::Null), "{diff}");
    assert_eq!(executable("copy.sh"), Some(json!(true)), "{diff}");
    assert_eq!(executable("plain-copy.txt"), Some(Value::Null), "{diff}");
    // A new file in the place of a program is none, with the same content too.
    assert_eq!(executable("remade.sh"), Some(json!(false)), "{diff}");
    let said = rig.says(&["workspace", "diff", "/scratch"]);
    assert!(said.contains("old mode 100755\nnew mode 100644"), "{said}");
    assert!(said.contains("-x") && said.contains("+x"), "{said}");
    rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    let mode =
        |name: &str| fs::metadata(rig.project().join(name)).unwrap().permissions().mode() & 0o777;
    for (name, expected) in [
        ("edited.sh", 0o755),
        ("copy.sh", 0o755),
        ("edited-copy.sh", 0o755),
        ("bin/moved.sh", 0o755),
        ("wood/in.sh", 0o755),
        ("remade.sh", 0o644),
        ("plain-copy.txt", 0o644),
    ] {
        assert_eq!(mode(name), expected, "{name}");
    }
    assert!(rig.says(&["workspace", "diff"]).contains("changes nothing"));
}

// shows in part: WS-036 (line ends), WS-033 (CR LF)
#[test]
fn an_agent_finds_line_ends_and_its_edits_keep_them() {
    let rig = Rig::new();
    rig.write("piton.toml", &WORKSPACES.replace("read-only", "read-write"));
    rig.write("unix.rs", "fn a() {\n    one();\n}\n\nend");
    rig.write("dos.rs", "fn a() {\r\n    one();\r\n}\r\n");
    let mut agent = Agent::start(&rig);
    for prefix in ["/project", "/scratch"] {
        for (pattern, expected) in [
            (r"\{$", vec!["dos.rs:1", "unix.rs:1"]),
            (r";$", vec!["dos.rs:2", "unix.rs:2"]),
            (r"^\}$", vec!["dos.rs:3", "unix.rs:3"]),
            ("^$", vec!["unix.rs:4"]),
            ("^end$", vec!["unix.rs:5"]),
        ] {
            let arguments = json!({ "path": prefix, "pattern": pattern, "glob": "*.rs" });
            let (text, is_error) = agent.call_text("grep", &arguments);
            assert!(!is_error, "{text}");
            let found: Vec<String> = text
                .lines()
                .map(|line| {
                    line[prefix.len() + 1..].split(':').take(2).collect::<Vec<_>>().join(":")
                })
                .collect();
            assert_eq!(found, expected, "{pattern} in {prefix}");
        }
    }
    let edit = json!({ "path": "/project/dos.rs", "old_string": "one();", "new_string": "one();\n    two();" });
    let (text, is_error) = agent.call_text("edit", &edit);
    assert!(!is_error, "{text}");
    let edited = fs::read_to_string(rig.project().join("dos.rs")).unwrap();
    assert_eq!(edited, "fn a() {\r\n    one();\r\n    two();\r\n}\r\n");
    agent.leave();
}
