//! Packs a program with `cargo xtask dist`, and runs what is installed from the packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The version of everything.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A directory with the packages of one program.
pub(crate) struct Packages {
    pub(crate) directory: TempDir,
}

impl Packages {
    /// Packs the program that the tests were built with, without what a debugger needs.
    pub(crate) fn of_the_program() -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("piton");
        assert!(built.is_file(), "build the program first: cargo build --package piton-cli");
        let directory = directory();
        let program = directory.path().join("program");
        succeed(Command::new("strip").arg("-o").args([&program, &built]));
        succeed(xtask().arg("--program").arg(&program).arg("--to").arg(directory.path()));
        Self { directory }
    }

    /// The only package whose name begins and ends so.
    pub(crate) fn file(&self, begin: &str, end: &str) -> PathBuf {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path()).filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(begin) && name.ends_with(end)
        });
        let found = paths.next().unwrap_or_else(|| panic!("there is a package {begin}…{end}"));
        assert_eq!(paths.next(), None);
        found
    }

    /// An empty directory beside the packages.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        let place = self.directory.path().join(name);
        fs::create_dir(&place).unwrap();
        place
    }
}

/// A new directory where cargo wants those of tests.
pub(crate) fn directory() -> TempDir {
    TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// `cargo xtask dist`, in the repository.
pub(crate) fn xtask() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("dist").current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

/// What `cargo xtask tools` installed under this name.
pub(crate) fn kit(name: &str) -> PathBuf {
    let kit = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients").join(name);
    assert!(kit.is_dir(), "install what the tests need first: cargo xtask tools");
    kit
}

/// Runs a program that has to succeed, and returns what it printed.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = run(command);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a program that has to fail, and returns its exit code and what it complained about.
pub(crate) fn fail(command: &mut Command) -> (Option<i32>, String) {
    let output = run(command);
    assert!(!output.status.success(), "{command:?} succeeded");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The program says its version.
pub(crate) fn says_its_version(start: &mut Command) {
    assert_eq!(succeed(start.arg("--version")).trim(), format!("piton {VERSION}"));
}

/// The program plays a whole run, with data of its own.
pub(crate) fn plays_a_run(start: &mut Command, home: &Path) {
    let shown = succeed(start.arg("demo").env("HOME", home).env_remove("PITON_DATA_DIR"));
    assert!(shown.contains("piton session"), "{shown}");
}
