//! The commands of the README and of guides, run as they stand.
//!
//! A block of `toml` whose first line is a comment with the name of a file is written to that file. In a block of
//! `console`, a line that starts with `$ ` is run by the shell, and each line below it is in what that says, apart from
//! the width of columns.

use std::fs;

use crate::{
    page::{Block, blocks, repository, typed},
    rig::{Rig, text},
};

const PAGES: [&str; 2] = ["docs/guides/workspaces.md", "README.md"];

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
                // Commands of cargo, which build the program that is tested here.
                "" => assert!(lines.iter().all(|line| !line.starts_with("$ ")), "{name}"),
                other => panic!("{name}: a block of `{other}`"),
            }
        }
        assert!(commands > 0, "{name} has commands");
    }
}

/// Runs the commands of a block, looks for what the page says below each, and counts them.
fn play(rig: &Rig, page: &str, block: &Block) -> usize {
    let commands = block.commands();
    for (command, below) in &commands {
        let output = typed(rig, command);
        let said = text(&output.stdout) + &text(&output.stderr);
        for line in below {
            let found = said.lines().any(|said| plain(said).contains(&plain(line)));
            assert!(found, "{page}: `{line}` is not in:\n{said}");
        }
    }
    commands.len()
}
