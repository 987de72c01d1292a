//! Starts other programs, `cargo` above all, in the repository root.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The cargo that started this process, so that a `+toolchain` on the command line holds throughout.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// A program with its arguments, to be run in `root`.
pub(crate) fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}

/// Runs a program with its output shown, and says whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(command
        .status()
        .with_context(|| format!("could not start {}", command.get_program().display()))?
        .success())
}

/// Runs a program silently; `false` also when it is not there at all.
pub(crate) fn works(root: &Path, program: &str, arguments: &[&str]) -> bool {
    command(root, program, arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs a program and returns what it printed.
pub(crate) fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = command(root, program, arguments)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start {program}"))?;
    ensure!(output.status.success(), "`{program} {}` failed", arguments.join(" "));
    String::from_utf8(output.stdout).with_context(|| format!("{program} printed no UTF-8"))
}
