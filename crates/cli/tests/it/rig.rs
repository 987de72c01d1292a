//! A home, a project and a data directory of their own, and `piton` run in them as a person runs it.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A home, a project and a data directory of their own.
pub(crate) struct Rig {
    dir: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("home/project")).unwrap();
        Self { dir }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home().join(".local/share/piton")
    }

    /// The command, in an environment that says nothing but where home is.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::program());
        command.args(arguments).env_clear().env("HOME", self.home()).current_dir(self.project());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.type_in(arguments, "")
    }

    /// Runs the command with `input` on its standard input.
    pub(crate) fn type_in(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // One that does not read its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// What a command that succeeds tells a person.
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// What a command that succeeds tells a program.
    pub(crate) fn tells(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What a command that fails tells a program: the exit code and the error.
    pub(crate) fn fails(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[arguments, &["--json"]].concat());
        let told: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{arguments:?}: {}", text(&output.stderr)));
        assert_eq!(told["schema"], "piton.error/1", "{told}");
        (output.status.code().unwrap(), told["error"].clone())
    }

    /// Starts a run of the tour, is refused once, and finishes its first step.
    pub(crate) fn tour(&self) -> Run {
        let input = "Hello\n.\nProject: a login page\nSeen: 3 files\n.\n.\n";
        let arguments = ["workflow", "run", "wr.tour", "--goal", "see what this is"];
        let output = self.type_in(&arguments, input);
        assert!(output.status.success(), "{}", text(&output.stderr));
        self.newest()
    }

    /// The run that was touched last.
    pub(crate) fn newest(&self) -> Run {
        let run = self.tells(&["session", "list"])["runs"][0].clone();
        let field = |name: &str| run[name].as_str().unwrap().to_owned();
        Run { label: field("label"), id: field("runId"), session: field("sessionId") }
    }

    /// The only segment file of a session that is there after `tour`, the first one.
    pub(crate) fn segment(&self, session: &str) -> PathBuf {
        let events = self.data().join("sessions").join(session).join("events");
        let mut files: Vec<PathBuf> =
            fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().last().unwrap()
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// A run, by its names.
pub(crate) struct Run {
    pub(crate) label: String,
    pub(crate) id: String,
    pub(crate) session: String,
}

impl Run {
    /// A text in which what differs from run to run is replaced, and columns are as wide as it takes.
    pub(crate) fn stable(&self, text: &str, rig: &Rig) -> String {
        let replaced = text
            .replace(&self.label, "amber-otter")
            .replace(&self.id, "run_…")
            .replace(&self.session, "sess_…")
            .replace(rig.home().to_str().unwrap(), "~");
        let line = |line: &str| {
            let margin = line.len() - line.trim_start().len();
            let words: Vec<&str> =
                line.trim().split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
            format!("{}{}", &line[..margin], words.join("  "))
        };
        replaced.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Flips a bit in the middle of a file.
pub(crate) fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}
