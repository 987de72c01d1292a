//! The commands of the README and of guides, run as they stand.
//!
//! A block of `toml` whose first line is a comment with the name of a file is written to that file. In a block of
//! `console`, a line that starts with `$ ` is run by the shell, and each line below it is in what that says, apart from
//! the width of columns.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::rig::{Rig, text};

const PAGES: [&str; 2] = ["docs/guides/workspaces.md", "README.md"];

/// The blocks of a page: their language, and their lines.
fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), Vec::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// A text with one blank where there are several.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run(rig: &Rig, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_piton")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", command])
        .env_clear()
        .env("HOME", rig.home())
        .env("PATH", path)
        .current_dir(rig.project())
        .output()
        .unwrap();
    text(&output.stdout) + &text(&output.stderr)
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

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_command_of_a_page_says_what_the_page_says() {
    for name in PAGES {
        let page = fs::read_to_string(repository().join(name)).unwrap();
        let rig = project();
        let mut commands = 0;
        for (language, lines) in blocks(&page) {
            match language.as_str() {
                "toml" => {
                    let file = lines[0].strip_prefix("# ").expect("the block names its file");
                    rig.write(file, &lines.join("\n"));
                }
                "console" => commands += play(&rig, name, &lines),
                // Commands of cargo, which build the program that is tested here.
                "" => assert!(lines.iter().all(|line| !line.starts_with("$ ")), "{name}"),
                other => panic!("{name}: a block of `{other}`"),
            }
        }
        assert!(commands > 0, "{name} has commands");
    }
}

/// Runs the commands of a block, looks for what the page says below each, and counts them.
fn play(rig: &Rig, page: &str, lines: &[String]) -> usize {
    let (mut said, mut commands) = (String::new(), 0);
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            said = run(rig, command);
            commands += 1;
        } else {
            let found = said.lines().any(|said| plain(said).contains(&plain(line)));
            assert!(found, "{page}: `{line}` is not in:\n{said}");
        }
    }
    commands
}
