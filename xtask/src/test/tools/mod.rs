//! Installs what the tests need and the machine lacks.
//!
//! This and what is below it are the only places in this crate that may use the network.

pub(crate) mod clients;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use crate::process::{cargo, command, output, succeeds, works};

/// The version that the tests are run with; it builds with the toolchain of this repository.
const NEXTEST: &str = "0.9.143";

/// The browser, where `crates/console/web/playwright.config.ts` looks for it too.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Makes sure of a C compiler, the formatter, the linter, the test runner, the programs that tests compare with or look
/// through, a browser, and the clients of the Model Context Protocol.
pub(crate) fn install(root: &Path) -> Result<()> {
    install_compiler(root)?;
    install_cpp(root)?;
    let cargo = cargo();
    for component in ["rustfmt", "clippy"] {
        let subcommand = if component == "rustfmt" { "fmt" } else { component };
        if !works(root, &cargo, &[subcommand, "--version"]) {
            install_with(root, component, "rustup", &["component", "add", component])?;
        }
    }
    if !works(root, "rg", &["--version"]) {
        // The oracle of searches.
        install_packages(root, "ripgrep", &["ripgrep"])?;
    }
    if cfg!(target_os = "linux") && !works(root, "strace", &["-V"]) {
        // It sees in which order a change of a file becomes durable. Machines may refuse it, and the tests that use it
        // say so then.
        if let Err(error) = install_packages(root, "strace", &["strace"]) {
            println!("xtask: going on without strace: {error:#}");
        }
    }
    if !works(root, &cargo, &["nextest", "--version"]) {
        let arguments = ["install", "--locked", "cargo-nextest", "--version", NEXTEST];
        install_with(root, "cargo-nextest", &cargo, &arguments)?;
    }
    install_browser(root)?;
    clients::install(root)
}

/// Makes sure of what the page of the console is built and tested with.
pub(crate) fn install_page(root: &Path) -> Result<()> {
    install_browser(root)?;
    clients::install_page(root)
}

/// Makes sure of what takes screenshots: a clock that can be set, and something that makes pictures small.
pub(crate) fn install_camera(root: &Path) -> Result<()> {
    if works(root, "pngquant", &["--version"]) && works(root, "faketime", &["--version"]) {
        return Ok(());
    }
    install_packages(root, "what takes screenshots", &["faketime", "pngquant"])
}

/// The page of the console is tested in it.
fn install_browser(root: &Path) -> Result<()> {
    if works(root, CHROMIUM, &["--version"]) {
        return Ok(());
    }
    install_packages(root, "Chromium", &["chromium"])
}

/// Where the tools are that read what instrumented programs leave: those of the toolchain, which fit its compiler.
pub(crate) fn llvm(root: &Path) -> Result<PathBuf> {
    let sysroot = output(root, "rustc", &["--print", "sysroot"])?;
    let about = output(root, "rustc", &["--version", "--verbose"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let place = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
    if !place.join("llvm-cov").is_file() {
        install_with(root, "llvm-tools", "rustup", &["component", "add", "llvm-tools"])?;
    }
    Ok(place)
}

/// SQLite is compiled from its C source.
fn install_compiler(root: &Path) -> Result<()> {
    if works(root, "cc", &["--version"]) {
        return Ok(());
    }
    install_packages(root, "a C compiler", &["gcc", "libc6-dev"])
}

/// libFuzzer is compiled from its C++ source.
pub(crate) fn install_cpp(root: &Path) -> Result<()> {
    if works(root, "c++", &["--version"]) {
        return Ok(());
    }
    install_packages(root, "a C++ compiler", &["g++"])
}

/// Installs packages of Debian and its kin.
fn install_packages(root: &Path, what: &str, packages: &[&str]) -> Result<()> {
    if !works(root, "apt-get", &["--version"]) {
        bail!(
            "{what} is missing, and there is no apt-get to install it: install what Debian calls {} and run this again",
            packages.join(" and ")
        );
    }
    let as_root = works(root, "sh", &["-c", "test \"$(id -u)\" = 0"]);
    let apt = |arguments: &[&str]| {
        if as_root {
            install_with(root, what, "apt-get", arguments)
        } else {
            install_with(root, what, "sudo", &[&["apt-get"], arguments].concat())
        }
    };
    apt(&["update", "--quiet"])?;
    apt(&[&["install", "--quiet", "--yes", "--no-install-recommends"], packages].concat())
}

fn install_with(root: &Path, what: &str, program: &str, arguments: &[&str]) -> Result<()> {
    let line = format!("{program} {}", arguments.join(" "));
    println!("xtask: installing {what}: {line}");
    ensure!(
        succeeds(&mut command(root, program, arguments))?,
        "could not install {what}: `{line}` failed; install it by hand and run this again"
    );
    Ok(())
}
