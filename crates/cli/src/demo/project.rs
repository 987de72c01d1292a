//! The project of the demo: a few files with a configuration, and a data directory of its own.
#![expect(clippy::disallowed_methods, reason = "the demo makes a project of its own")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope};

use crate::failure::Failure;

/// The project's configuration: the files that the agent may touch, and the backpack with its state.
const CONFIGURATION: &str = r#"# What agents get in this project.
[[workspaces]]
prefix = "/project"
scope = "read-only"
directory = "."
purpose = "the code"
deny = ["piton.toml"]

[[workspaces]]
prefix = "/scratch"
scope = "read-write"
virtual = ["scratch"]
over = "/project"
purpose = "copy-on-write over /project: change what you like"

[state]
backpack = "login"
agent = "scout"
"#;

const FILES: [(&str, &str); 3] = [
    ("README.md", "# Login\n\nA login page. Sometimes it says \"try again\" to everybody.\n"),
    ("login.rs", "pub fn login(name: &str) -> bool {\n    retry(|| ask(name))\n}\n"),
    ("retry.rs", "pub fn retry(what: impl Fn() -> bool) -> bool {\n    what()\n}\n"),
];

/// Maximum number of demos in one directory.
const DEMOS_MAX: u32 = 10_000;

/// The directories of one demo.
pub(super) struct DemoProject {
    pub(super) root: PathBuf,
    pub(super) project: PathBuf,
    pub(super) data: PathBuf,
}

impl DemoProject {
    /// Creates a new project beside those of earlier demos.
    pub(super) fn create(demos: &Path) -> Result<Self, Failure> {
        let unusable = |error: io::Error| {
            let what = format!("The demo cannot run in {}: {error}.", demos.display());
            let envelope = Envelope::new(Code::StoreIo, what);
            Failure::from(envelope.with_suggestion("Choose another directory with --data-dir."))
        };
        let made = fs::create_dir_all(demos).and_then(|()| new_directory(demos));
        let root = made.map_err(unusable)?;
        let demo = Self { project: root.join("login"), data: root.join("data"), root };
        demo.write_files().map_err(Failure::io("write the project of the demo"))?;
        Ok(demo)
    }

    fn write_files(&self) -> io::Result<()> {
        fs::create_dir_all(&self.project)?;
        fs::write(self.project.join("piton.toml"), CONFIGURATION)?;
        for (name, text) in FILES {
            fs::write(self.project.join(name), text)?;
        }
        Ok(())
    }
}

/// Creates a directory named by the first free number.
fn new_directory(demos: &Path) -> io::Result<PathBuf> {
    for number in 1..DEMOS_MAX {
        let root = demos.join(number.to_string());
        // Creating is the test: a check before it could be outrun by another demo that starts at the same time.
        match fs::create_dir(&root) {
            Ok(()) => return Ok(root),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many demos; remove some"))
}
