//! The blocks of published pages, and a shell to run their commands in.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::rig::Rig;

/// A fenced block of a page.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) lines: Vec<String>,
}

impl Block {
    /// The commands in it, each with the lines below it.
    pub(crate) fn commands(&self) -> Vec<(String, Vec<String>)> {
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in &self.lines {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                (None, Some((_, below))) => below.push(line.clone()),
                (None, None) => panic!("`{line}` stands before any command"),
            }
        }
        commands
    }
}

/// Where the pages are.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The blocks of a page, by its path in the repository, in the order in which they stand.
pub(crate) fn blocks(name: &str) -> Vec<Block> {
    let page = fs::read_to_string(repository().join(name)).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block { language: language.to_owned(), lines: Vec::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{name}: a block is not closed");
    blocks
}

/// Runs lines of a shell as somebody types them in the project.
pub(crate) fn typed(rig: &Rig, lines: &str) -> Output {
    let binary = crate::program();
    let binary = Path::new(&binary).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", lines]).env_clear().env("HOME", rig.home()).env("PATH", path);
    shell.current_dir(rig.project()).output().unwrap()
}
