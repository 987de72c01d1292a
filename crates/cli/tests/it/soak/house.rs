//! The person who looks after the data while the agents work, and the verdict at the end.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::worker::SOURCES;
use crate::rig::{Rig, text};

/// Somebody else was at the same data.
const BUSY: i32 = 4;

const CONFIGURATION: &str = r#"
[[workspaces]]
prefix = "/src"
scope = "read-write"
directory = "src"

[[workspaces]]
prefix = "/review"
scope = "read-write"
virtual = ["review"]
over = "/src"

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]

[state]
backpack = "team"
agent = "scout"

[context]
agent = "writer"

[[context.agents]]
name = "writer"
role = "writer"
"#;

/// A project with every tool set.
pub(super) fn project() -> Rig {
    let rig = Rig::new();
    rig.write("piton.toml", CONFIGURATION);
    for number in 0..SOURCES {
        rig.write(&format!("src/s{number}.txt"), &format!("source {number}\n"));
    }
    rig.says(&["context", "scan"]);
    rig
}

/// Everything that a person may do at any time, once. Says how many commands had to wait for others.
pub(super) fn look_after(rig: &Rig, round: u64) -> u64 {
    let source = format!("src/s{}.txt", round % SOURCES);
    rig.write(&source, &format!("source, edited in round {round}\n"));
    let commands: [&[&str]; 7] = [
        &["context", "scan"],
        &["context", "validate"],
        &["context", "status"],
        &["session", "list"],
        &["session", "gc"],
        &["workspace", "map"],
        &["backpack", "list"],
    ];
    let mut busy = 0;
    for arguments in commands {
        let output = rig.run(&[arguments, &["--json"]].concat());
        match output.status.code() {
            Some(0) => {
                let told: Value = serde_json::from_slice(&output.stdout).unwrap();
                let damage = told["damage"].as_array().map_or(0, Vec::len);
                assert_eq!(damage, 0, "{arguments:?}: {told}");
            }
            Some(BUSY) => busy += 1,
            code => panic!("{arguments:?} ends with {code:?}: {}", text(&output.stdout)),
        }
    }
    busy
}

/// Nothing is damaged, and nothing is in the way of collection. Says how many sessions there are.
pub(super) fn is_in_order(rig: &Rig) -> u64 {
    let sessions: Vec<PathBuf> = fs::read_dir(rig.data().join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("events").is_dir())
        .collect();
    for session in &sessions {
        let id = session.file_name().unwrap().to_str().unwrap();
        assert_eq!(rig.tells(&["session", "verify", id])["isSound"], true, "{id}");
    }
    let validated = rig.tells(&["context", "validate"]);
    assert_eq!(validated["damage"], serde_json::json!([]), "{validated}");
    let rehearsed = rig.tells(&["session", "gc", "--dry-run"]);
    assert_eq!(rehearsed["spared"], 0, "{rehearsed}");
    assert_eq!(rehearsed["safeMode"], false, "{rehearsed}");
    sessions.len() as u64
}
