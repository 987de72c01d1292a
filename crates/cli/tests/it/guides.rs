//! The commands of the guides, run as they stand.
//!
//! A block of `toml` whose first line is a comment with the name of a file is written to that file. In a block of
//! `console`, a line that starts with `$ ` is run by the shell, and each line below it is in what that says, apart from
//! the width of columns.

use std::{fs, path::Path, process::Command};

use crate::rig::{Rig, text};

const GUIDES: [&str; 1] = ["workspaces"];

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

#[test]
fn every_command_of_a_guide_says_what_the_guide_says() {
    for guide in GUIDES {
        let page =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/guides/{guide}.md"));
        let page = fs::read_to_string(page).unwrap();
        let rig = Rig::new();
        let mut commands = 0;
        for (language, lines) in blocks(&page) {
            match language.as_str() {
                "toml" => {
                    let file = lines[0].strip_prefix("# ").expect("the block names its file");
                    rig.write(file, &lines.join("\n"));
                }
                "console" => {
                    let mut said = String::new();
                    for line in lines {
                        if let Some(command) = line.strip_prefix("$ ") {
                            said = run(&rig, command);
                            commands += 1;
                        } else {
                            let found =
                                said.lines().any(|said| plain(said).contains(&plain(&line)));
                            assert!(found, "{guide}: `{line}` is not in:\n{said}");
                        }
                    }
                }
                other => panic!("{guide}: a block of `{other}`"),
            }
        }
        assert!(commands > 0, "{guide} has commands");
    }
}
