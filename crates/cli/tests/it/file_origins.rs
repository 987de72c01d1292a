//! Who wrote a file that was copied or moved: `piton blame file` and `piton workspace log` follow its content.

use std::fs;

use serde_json::{Value, json};

use crate::{agent::Agent, rig::Rig};

const WORKSPACES: &str = r#"
[[workspaces]]
prefix = "/project"
scope = "read-write"
directory = "."

[[workspaces]]
prefix = "/notes"
scope = "read-write"
virtual = ["notes"]

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"
"#;

/// Agents that one after the other work on the same files.
struct Team {
    rig: Rig,
    agents: Vec<(&'static str, Agent)>,
}

impl Team {
    fn start() -> Self {
        let rig = Rig::new();
        rig.write("piton.toml", WORKSPACES);
        let names = ["author", "copier", "mover", "editor"];
        let agents = names.map(|name| (name, Agent::start_named(&rig, name))).into();
        Self { rig, agents }
    }

    fn call(&mut self, name: &str, tool: &str, arguments: &Value) {
        let agent = self.agents.iter_mut().find(|(agent, _)| *agent == name);
        let (text, is_error) = agent.unwrap().1.call_text(tool, arguments);
        assert!(!is_error, "{name}: {tool} {arguments}: {text}");
    }

    fn write(&mut self, path: &str) {
        self.call("author", "write", &json!({ "path": path, "content": format!("{path}\n") }));
    }

    fn edit(&mut self, path: &str) {
        let edit = json!({ "path": path, "old_string": "\n", "new_string": " edited\n" });
        self.call("editor", "edit", &edit);
    }

    fn copy(&mut self, from: &str, to: &str) {
        self.call("copier", "copy", &json!({ "from": from, "to": to }));
    }

    fn relocate(&mut self, from: &str, to: &str) {
        self.call("mover", "move", &json!({ "from": from, "to": to }));
    }

    fn leave(&mut self) {
        self.agents.drain(..).for_each(|(_, agent)| agent.leave());
    }

    /// Asserts the history of a file, the oldest entry first, and that nobody changed it outside Piton.
    fn check(&self, path: &str, expected: &[&str]) {
        let told = self.rig.tells(&["blame", "file", path]);
        let found: Vec<String> = told["records"].as_array().unwrap().iter().map(line).collect();
        assert_eq!(found, expected, "{path}: {told:#}");
        assert_eq!(told["changedOutside"], false, "{path}: {told:#}");
        let log = self.rig.tells(&["workspace", "log", path]);
        assert_eq!(log["records"], told["records"], "{path}");
        let said = self.rig.says(&["blame", "file", path]);
        assert!(!said.contains("outside Piton"), "{said}");
    }
}

/// A record in short: who did what, from where and to where.
fn line(record: &Value) -> String {
    let text = |name: &str| record[name].as_str().unwrap_or_default();
    let (who, tool, path) = (text("agent"), text("tool"), text("path"));
    match (text("from"), text("target")) {
        ("", "") => format!("{who} {tool} {path}"),
        ("", target) => format!("{who} {tool} {path} > {target}"),
        (from, _) => format!("{who} {tool} {from} > {path}"),
    }
}

// shows in part: WS-058 (after copies and moves in one Workspace)
#[test]
fn blame_of_what_was_copied_or_moved_goes_on_with_what_it_came_from() {
    let mut team = Team::start();
    for at in ["/project", "/notes"] {
        let path = |name: &str| format!("{at}/{name}");
        team.write(&path("a"));
        team.copy(&path("a"), &path("copy"));
        team.edit(&path("a"));
        team.relocate(&path("a"), &path("moved"));
        team.relocate(&path("moved"), &path("again"));
        team.write(&path("moved"));
        team.write(&path("dir/k"));
        team.relocate(&path("dir"), &path("tree"));
        team.edit(&path("tree/k"));
        team.copy(&path("tree/k"), &path("leaf"));
    }
    team.leave();
    for at in ["/project", "/notes"] {
        let check = |name: &str, expected: &[&str]| {
            let expected: Vec<String> =
                expected.iter().map(|line| line.replace(" /", &format!(" {at}/"))).collect();
            let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
            team.check(&format!("{at}/{name}"), &expected);
        };
        check("copy", &["author write /a", "copier copy /a > /copy"]);
        check(
            "again",
            &[
                "author write /a",
                "editor edit /a",
                "mover move /a > /moved",
                "mover move /moved > /again",
            ],
        );
        // Everything that was at the path is listed.
        check(
            "moved",
            &[
                "author write /a",
                "editor edit /a",
                "mover move /a > /moved",
                "mover move /moved > /again",
                "author write /moved",
            ],
        );
        check(
            "leaf",
            &[
                "author write /dir/k",
                "mover move /dir > /tree",
                "editor edit /tree/k",
                "copier copy /tree/k > /leaf",
            ],
        );
        check("tree/k", &["author write /dir/k", "mover move /dir > /tree", "editor edit /tree/k"]);
        check("dir/k", &["author write /dir/k", "mover move /dir > /tree"]);
    }
    let said = team.rig.says(&["workspace", "log", "/project/leaf"]);
    assert!(said.contains("copy from /project/tree/k"), "{said}");
    assert!(said.contains("move /project/dir to /project/tree"), "{said}");
    assert!(!said.contains("gone"), "{said}");
}

// shows in part: WS-058 (after copies and moves between Workspaces)
#[test]
fn blame_of_what_came_from_another_workspace_goes_on_there() {
    let mut team = Team::start();
    team.write("/project/a");
    team.copy("/project/a", "/notes/copy");
    team.relocate("/notes/copy", "/project/back");
    team.relocate("/project/back", "/scratch/end");
    // What becomes of a source later is no part of a copy.
    team.edit("/project/a");
    team.leave();
    let mut expected = vec![
        "author write /project/a",
        "copier copy /project/a > /notes/copy",
        "mover move /notes/copy > /project/back",
        "mover move /project/back > /scratch/end",
    ];
    team.check("/scratch/end", &expected);
    team.rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    expected.push("person write /project/end");
    team.check("/project/end", &expected);
    team.check(
        "/notes/copy",
        &[expected[0], expected[1], "mover move /notes/copy > /project/back"],
    );
}

// shows in part: WS-058 (after copies and moves in an overlay that was applied)
#[test]
fn blame_of_what_was_copied_or_moved_in_an_overlay_leads_to_who_wrote_it() {
    let mut team = Team::start();
    for path in ["/project/base", "/project/old", "/project/dir/k"] {
        team.write(path);
    }
    for path in ["/scratch/plain", "/scratch/f", "/scratch/g", "/scratch/new/n"] {
        team.write(path);
    }
    team.relocate("/scratch/f", "/scratch/f2");
    team.copy("/scratch/g", "/scratch/g2");
    team.relocate("/scratch/new", "/scratch/newer");
    team.copy("/scratch/base", "/scratch/base2");
    team.relocate("/scratch/old", "/scratch/old2");
    team.relocate("/scratch/dir", "/scratch/tree");
    team.edit("/scratch/tree/k");
    team.leave();
    let moved: [(&str, &[&str]); 6] = [
        ("f2", &["author write /scratch/f", "mover move /scratch/f > /scratch/f2"]),
        ("g2", &["author write /scratch/g", "copier copy /scratch/g > /scratch/g2"]),
        ("newer/n", &["author write /scratch/new/n", "mover move /scratch/new > /scratch/newer"]),
        ("base2", &["author write /project/base", "copier copy /scratch/base > /scratch/base2"]),
        ("old2", &["author write /project/old", "mover move /scratch/old > /scratch/old2"]),
        (
            "tree/k",
            &[
                "author write /project/dir/k",
                "mover move /scratch/dir > /scratch/tree",
                "editor edit /scratch/tree/k",
            ],
        ),
    ];
    for (name, expected) in moved {
        team.check(&format!("/scratch/{name}"), expected);
    }
    team.check("/scratch/base", &["author write /project/base"]);
    team.rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    for (name, expected) in moved {
        let applied = format!("person write /project/{name}");
        team.check(&format!("/project/{name}"), &[expected, &[applied.as_str()]].concat());
    }
    let said = team.rig.says(&["blame", "file", "/project/g2"]);
    assert!(said.contains("copier and author in /scratch; applied by person"), "{said}");
    // Who wrote what was not moved is named by the record of what was applied.
    team.check("/project/plain", &["person write /project/plain"]);
}

#[test]
fn what_an_overlay_does_not_change_any_more_is_told_as_it_is_below() {
    let mut team = Team::start();
    team.write("/project/a");
    team.write("/scratch/applied");
    team.rig.tells(&["workspace", "apply", "/scratch", "--yes"]);
    team.edit("/project/applied");
    team.relocate("/scratch/a", "/scratch/b");
    team.edit("/scratch/b");
    team.rig.tells(&["workspace", "drop", "/scratch", "--yes"]);
    team.leave();
    let outside = |path: &str| team.rig.tells(&["blame", "file", path])["changedOutside"].clone();
    for path in ["/scratch/applied", "/scratch/a", "/scratch/b"] {
        assert_eq!(outside(path), false, "{path}");
    }
    fs::write(team.rig.project().join("applied"), "something else\n").unwrap();
    assert_eq!(outside("/scratch/applied"), true);
}

#[test]
fn what_is_changed_outside_piton_after_a_move_is_told_as_that() {
    let mut team = Team::start();
    for path in ["/project/dir/k", "/project/dir/same"] {
        team.write(path);
    }
    team.rig.write("dir/mine", "not through Piton\n");
    team.relocate("/project/dir", "/project/tree");
    team.leave();
    fs::write(team.rig.project().join("tree/k"), "something else\n").unwrap();
    let outside = |path: &str| team.rig.tells(&["blame", "file", path])["changedOutside"].clone();
    assert_eq!(outside("/project/tree/k"), true);
    assert_eq!(outside("/project/tree/same"), false);
    // Nobody knows what was in the directory that Piton did not write.
    assert_eq!(outside("/project/tree/mine"), false);
    assert_eq!(outside("/project/tree"), false);
}
