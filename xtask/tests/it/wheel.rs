//! The wheel, installed by pip and by uv.

use std::path::Path;
use std::process::Command;

use crate::rig::{Packages, VERSION, kit, says_its_version, succeed};

/// The pip of this machine, for the Python of an environment, without a network.
fn pip(environment: &Path) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "--disable-pip-version-check", "--python"]);
    command.arg(environment.join("bin/python"));
    command
}

/// pip installs a program that runs, and removes all of it.
pub(crate) fn install_and_remove(packages: &Packages) {
    let wheel = packages.file("piton_rs-", ".whl");
    let home = packages.place("home");
    let environment = packages.place("environment");
    succeed(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment));
    succeed(pip(&environment).args(["install", "--no-index"]).arg(&wheel));
    let program = environment.join("bin/piton");
    says_its_version(&mut Command::new(&program));
    let python = || {
        let mut command = Command::new(environment.join("bin/python"));
        command.current_dir(&home);
        command
    };
    let version = succeed(python().args(["-m", "piton", "--version"]));
    assert_eq!(version.trim(), format!("piton {VERSION}"));
    let found = succeed(python().args(["-c", "import piton; print(piton.find_piton())"]));
    assert_eq!(Path::new(found.trim()), program);
    let license =
        "import importlib.metadata as m; print(m.metadata('piton-rs')['License-Expression'])";
    assert_eq!(succeed(python().args(["-c", license])).trim(), "MIT OR Apache-2.0");
    succeed(pip(&environment).args(["uninstall", "--yes", "piton-rs"]));
    assert_eq!(succeed(Command::new("find").arg(&environment).args(["-name", "*piton*"])), "");
}

/// The module finds the program outside an environment.
pub(crate) fn install_into_a_directory(packages: &Packages) {
    let wheel = packages.file("piton_rs-", ".whl");
    let target = packages.place("target");
    let install = ["-m", "pip", "install", "--quiet", "--no-index", "--target"];
    succeed(Command::new("python3").args(install).arg(&target).arg(&wheel));
    let mut python = Command::new("python3");
    let version = succeed(python.args(["-m", "piton", "--version"]).env("PYTHONPATH", &target));
    assert_eq!(version.trim(), format!("piton {VERSION}"));
}

/// uv runs the program from the wheel.
pub(crate) fn run_with_uv(packages: &Packages) {
    let wheel = packages.file("piton_rs-", ".whl");
    let home = packages.place("uv");
    let mut uv = Command::new(kit("uv").join("bin/uv"));
    uv.args(["tool", "run", "--offline", "--no-config", "--from"]).arg(wheel).arg("piton");
    uv.env("UV_CACHE_DIR", home.join("cache")).current_dir(&home);
    says_its_version(&mut uv);
}
