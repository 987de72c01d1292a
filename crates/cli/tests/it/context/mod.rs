//! `piton context`, as people, programs and agents use it.

mod agents;
mod commands;
mod freshness;
mod generating;
mod guide;
mod killed;
mod large;
mod making;
mod renames;
mod together;
mod watching;

use std::process::Output;

use serde_json::Value;

use crate::rig::{Rig, text};

/// A project with three files, scanned.
fn project() -> Rig {
    let rig = Rig::new();
    rig.write("README.md", "# A sample\n");
    rig.write("src/main.rs", "fn main() {}\n");
    rig.write("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    rig.says(&["context", "scan"]);
    rig
}

/// The agents that the tests use: one of each role.
const AGENTS: &str = r#"
[[context.agents]]
name = "scout"
role = "reader"

[[context.agents]]
name = "scribe"
role = "writer"
prompt = "Say what it is for."

[[context.agents]]
name = "librarian"
role = "synthesis"
prompt = "Say what it is for."
"#;

fn configure(rig: &Rig, more: &str) {
    rig.write("piton.toml", &format!("{more}\n{AGENTS}"));
    rig.says(&["context", "scan"]);
}

/// Everything that a command said, with its code.
fn transcript(rig: &Rig, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = rig.run(arguments);
    let code = status.code().unwrap();
    let said = format!("{}{}", text(&stdout), text(&stderr));
    let said = said.replace(rig.home().to_str().unwrap(), "~");
    format!("$ piton {}\n{said}[{code}]\n", arguments.join(" "))
}

fn is_sound(rig: &Rig) -> bool {
    let found: Value = rig.tells(&["context", "validate"]);
    found["damage"].as_array().unwrap().is_empty()
}
