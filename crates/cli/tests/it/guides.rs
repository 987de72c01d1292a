//! The commands of the README and of guides, run as they stand.
//!
//! A block of `toml` whose first line is a comment with the name of a file is written to that file, and so is a block of
//! `json` with the name behind that word. In a block of `console`, a line that starts with `$ ` is run by the shell, and
//! each line below it is in what that says, apart from the width of columns.
//!
//! What a page calls [`RUN`] is the run that was begun in it, and [`NODE`] the end of the branch that it left.

use std::fs;

use crate::{
    page::{Block, blocks, repository, typed},
    rig::{Rig, text},
};

const PAGES: [&str; 4] = [
    "docs/guides/workspaces.md",
    "docs/guides/flow.md",
    "docs/guides/fork-and-compare.md",
    "README.md",
];

/// What pages call a run.
const RUN: &str = "amber-otter";

/// What they call a node.
const NODE: &str = "h3kq9x7d";

/// Pages that other tests run, each with the file that does.
const ELSEWHERE: [(&str, &str); 7] = [
    ("docs/guides/console.md", "crates/cli/tests/it/console.rs"),
    ("docs/guides/after-damage.md", "crates/cli/tests/it/advice.rs"),
    ("docs/guides/debug-a-wrong-answer.md", "crates/cli/tests/it/examples.rs"),
    ("docs/guides/context.md", "crates/cli/tests/it/context/guide.rs"),
    ("docs/authoring.md", "crates/workflow/tests/it/builtin_workflows/guide.rs"),
    ("docs/guides/backpack.md", "crates/backpack/src/lib.rs"),
    ("docs/guides/from-a-dictionary.md", "crates/backpack/src/flow/mod.rs"),
];

/// A text with one blank where there are several.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A project with what the pages refer to.
fn project() -> Rig {
    let rig = Rig::new();
    rig.write("README.md", "# A project\n");
    for file in ["flow.json", "models.json"] {
        let name = format!("examples/flows/prices/{file}");
        let text = fs::read_to_string(repository().join(&name)).unwrap();
        rig.write(&name, &text);
    }
    rig
}

// shows in part: BP-121 (the README, and the tutorials of Workspaces and flows)
#[test]
fn every_command_of_a_page_says_what_the_page_says() {
    for name in PAGES {
        let rig = project();
        let mut commands = 0;
        for block in blocks(name) {
            let lines = &block.lines;
            match block.language.as_str() {
                "toml" => {
                    let file = lines[0].strip_prefix("# ").expect("the block names its file");
                    rig.write(file, &lines.join("\n"));
                }
                "console" => commands += play(&rig, name, &block),
                named if named.starts_with("json ") => {
                    rig.write(&named["json ".len()..], &lines.join("\n"));
                }
                // Commands of cargo, which build the program that is tested here.
                "" => assert!(lines.iter().all(|line| !line.starts_with("$ ")), "{name}"),
                other => panic!("{name}: a block of `{other}`"),
            }
        }
        assert!(commands > 0, "{name} has commands");
    }
}

/// A guide that nobody runs is wrong before anybody notices.
// shows: BP-121 (with every_command_of_a_page_says_what_the_page_says, the_guide_to_a_wrong_answer_prints_what_it_shows, every_command_of_the_guide_does_what_it_says, the_examples_of_the_guide_compile_and_no_lint_flags_them)
#[test]
fn every_guide_is_run_by_some_test() {
    let elsewhere = ELSEWHERE.map(|(page, _)| page);
    for entry in fs::read_dir(repository().join("docs/guides")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let page = format!("docs/guides/{name}");
        let is_known = PAGES.contains(&page.as_str()) || elsewhere.contains(&page.as_str());
        assert!(is_known, "{page} is run by no test");
    }
    let tutorials =
        ["backpack", "flow", "workspaces", "context"].map(|part| format!("docs/guides/{part}.md"));
    for page in tutorials.iter().map(String::as_str).chain([
        "docs/authoring.md",
        "docs/guides/from-a-dictionary.md",
        "README.md",
    ]) {
        assert!(PAGES.contains(&page) || elsewhere.contains(&page), "{page} is run by no test");
    }
    for (page, runner) in ELSEWHERE {
        let source = fs::read_to_string(repository().join(runner)).unwrap();
        assert!(source.contains(page), "{runner} does not run {page}");
    }
}

/// Runs the commands of a block, looks for what the page says below each, and counts them.
fn play(rig: &Rig, page: &str, block: &Block) -> usize {
    let commands = block.commands();
    let has_run = block.lines.iter().any(|line| line.contains(RUN));
    let names = || if has_run { names(rig) } else { Vec::new() };
    for (command, below) in &commands {
        let command = names()
            .iter()
            .fold(command.clone(), |command, (told, meant)| command.replace(told, meant));
        let output = typed(rig, &command);
        let said = text(&output.stdout) + &text(&output.stderr);
        let said = names().iter().fold(said, |said, (told, meant)| said.replace(meant, told));
        for line in below {
            let found = said.lines().any(|said| plain(said).contains(&plain(line)));
            assert!(found, "{page}: `{line}` is not in:\n{said}");
        }
    }
    commands.len()
}

/// What a page calls the run that was begun in it, and the end of the branch that it left, each with its name here.
fn names(rig: &Rig) -> Vec<(&'static str, String)> {
    let listed = rig.tells(&["session", "list"]);
    let Some(label) = listed["runs"][0]["label"].as_str() else { return Vec::new() };
    let tree = rig.tells(&["session", "tree", label]);
    let nodes = tree["nodes"].as_array().unwrap();
    let left = nodes.iter().find(|node| node["isTip"] == true && node["isPreferredTip"] == false);
    let left = left.map(|node| node["nodeId"].as_str().unwrap());
    let left = left.map(|id| (NODE, id[id.len() - NODE.len()..].to_owned()));
    [(RUN, label.to_owned())].into_iter().chain(left).collect()
}
