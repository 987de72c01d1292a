//! The project of the demo: a few files with a configuration, and a data directory of its own.
#![expect(clippy::disallowed_methods, reason = "the demo makes a project of its own")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use piton_core::{Code, Envelope, SessionId};
use piton_runtime::backpack::BackpackId;
use piton_runtime::library::PROJECT_WORKFLOWS;

use crate::failure::Failure;
use crate::files;

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

/// The workflow of the run that the console shows, and the directory of the project that it is in.
const LIVE_WORKFLOW: &str = include_str!("login_fix.json");

/// The file that names the session of a demo which the console shows.
const SESSION_FILE: &str = "session";

/// Maximum length of a session's id in bytes.
const SESSION_BYTES_MAX: u64 = 64;

/// Maximum number of demos in one directory.
const DEMOS_MAX: u32 = 10_000;

/// The directories of one demo.
pub(super) struct DemoProject {
    pub(super) root: PathBuf,
    pub(super) project: PathBuf,
    pub(super) data: PathBuf,
}

impl DemoProject {
    /// Creates the project of a run that the console shows.
    pub(super) fn create_live(demos: &Path) -> Result<Self, Failure> {
        let demo = Self::create(demos)?;
        let written = || {
            // The state of the run is in a backpack of its own, which is removed with it.
            fs::remove_file(demo.project.join("piton.toml"))?;
            let workflows = demo.project.join(PROJECT_WORKFLOWS);
            fs::create_dir_all(&workflows)?;
            fs::write(workflows.join("login_fix.json"), LIVE_WORKFLOW)
        };
        written().map_err(Failure::io("write the project of the demo"))?;
        Ok(demo)
    }

    /// Returns the project of the demo with this session, if there is one.
    pub(super) fn of_session(demos: &Path, session: SessionId) -> Option<Self> {
        let mut entries =
            fs::read_dir(demos).ok()?.filter_map(Result::ok).map(|entry| entry.path());
        let is_its = |root: &PathBuf| {
            let named = files::read_if_there(&root.join(SESSION_FILE), SESSION_BYTES_MAX);
            named.is_ok_and(|named| named.is_some_and(|named| named == session.to_string()))
        };
        entries.find(is_its).map(Self::at)
    }

    /// Notes which session the demo is in.
    pub(super) fn note_session(&self, session: SessionId) -> Result<(), Failure> {
        files::write(&self.root.join(SESSION_FILE), session.to_string().as_bytes(), false)
    }

    /// Returns the backpack of a demo which the console shows.
    pub(super) fn backpack(&self) -> BackpackId {
        let number = self.root.file_name().unwrap_or_default().to_string_lossy();
        format!("demo-{number}").parse().expect("letters, a dash and digits are a name")
    }

    /// Removes everything.
    pub(super) fn remove(self) -> Result<(), Failure> {
        fs::remove_dir_all(&self.root).map_err(Failure::io("remove the project of the demo"))
    }

    /// Creates a new project beside those of earlier demos.
    pub(super) fn create(demos: &Path) -> Result<Self, Failure> {
        let unusable = |error: io::Error| {
            let what = format!("The demo cannot run in {}: {error}.", demos.display());
            let envelope = Envelope::new(Code::StoreIo, what);
            Failure::from(envelope.with_suggestion("Choose another directory with --data-dir."))
        };
        let made = fs::create_dir_all(demos).and_then(|()| new_directory(demos));
        let root = made.map_err(unusable)?;
        let demo = Self::at(root);
        demo.write_files().map_err(Failure::io("write the project of the demo"))?;
        Ok(demo)
    }

    fn at(root: PathBuf) -> Self {
        Self { project: root.join("login"), data: root.join("data"), root }
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
