//! `cargo xtask coverage`: which lines of each part its tests run, and whether that is enough.
//!
//! The crates of the parts are built with the compiler's own instrumentation, their tests are run, and the `llvm-cov`
//! of the toolchain adds up what ran. Only code below `src` counts: tests do not cover themselves.

mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::Deserialize;

use self::verdict::{Measured, page, too_low};
use crate::process::{self, cargo};
use crate::test::tools;
use crate::{commit, project};

const PAGE: &str = "docs/generated/coverage.md";

/// The crates of the parts, and what they stand on.
const CRATES: [&str; 8] =
    ["core", "store", "workflow", "backpack", "flow", "models", "workspaces", "context"];

/// What is handed to every call of the compiler for a crate of ours, and for no other.
const WRAPPER: &str = "#!/bin/sh\nexec \"$@\" -C instrument-coverage\n";

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Only this crate, such as `backpack`; nothing is written then.
    package: Option<String>,
}

/// Measures, writes the page, and fails if a crate is below the bar.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    let chosen: Vec<&str> = match options.package.as_deref() {
        None => CRATES.to_vec(),
        Some(package) => {
            ensure!(
                CRATES.contains(&package),
                "there is no part `{package}`: {}",
                CRATES.join(", ")
            );
            vec![package]
        }
    };
    let commit = commit::measured(&root)?;
    let measured = measure(&root, &chosen)?;
    for crate_ in &measured {
        println!("{:>11}: {}", crate_.name, crate_.percent());
    }
    if options.package.is_none() {
        fs::write(root.join(PAGE), page(&measured, &commit))
            .with_context(|| format!("writing {PAGE}"))?;
        println!("wrote {PAGE}");
    }
    let low = too_low(&measured);
    for problem in &low {
        println!("{problem}");
    }
    Ok(if low.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure(root: &Path, crates: &[&str]) -> Result<Vec<Measured>> {
    let tools = tools::llvm(root)?;
    let place = tools::clients::target_dir(root)?.join("coverage");
    if place.is_dir() {
        fs::remove_dir_all(&place).with_context(|| format!("removing {}", place.display()))?;
    }
    fs::create_dir_all(&place).with_context(|| format!("making {}", place.display()))?;
    let wrapper = wrapper(&place)?;
    let packages: Vec<String> =
        crates.iter().map(|name| format!("--package=piton-{name}")).collect();
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    // A process for each test leaves one file in eight for each program, not thousands.
    let profiles = place.join("%8m.profraw");
    let mut run = process::command(root, &cargo(), &["nextest", "run", "--all-features"]);
    run.args(&packages)
        .env("RUSTC_WORKSPACE_WRAPPER", &wrapper)
        .env("LLVM_PROFILE_FILE", &profiles);
    ensure!(process::succeeds(&mut run)?, "a test failed; fix it with `cargo xtask test` first");
    let programs = programs(root, &packages, &wrapper)?;
    let merged = place.join("merged.profdata");
    merge(root, &tools, &place, &merged)?;
    let report = export(root, &tools, &merged, &programs)?;
    verdict::read(&report, root, crates)
}

/// A program that passes its arguments on, and one more.
fn wrapper(place: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = place.join("instrumented");
    fs::write(&path, WRAPPER).context("writing the wrapper of the compiler")?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .context("making the wrapper of the compiler a program")?;
    Ok(path)
}

/// The programs that the tests are in.
fn programs(root: &Path, packages: &[&str], wrapper: &Path) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<String>,
    }
    let mut build =
        process::command(root, &cargo(), &["test", "--no-run", "--all-features", "--quiet"]);
    build.args(["--lib", "--tests", "--bins", "--message-format=json"]).args(packages);
    let output = build.env("RUSTC_WORKSPACE_WRAPPER", wrapper).output();
    let output = output.context("asking cargo for the tests")?;
    ensure!(output.status.success(), "cargo could not list the programs of the tests");
    let lines = String::from_utf8(output.stdout).context("cargo printed no UTF-8")?;
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    Ok(messages.filter_map(|message| message.executable).collect())
}

fn merge(root: &Path, tools: &Path, place: &Path, merged: &Path) -> Result<()> {
    let mut merge = process::command(root, &tools.join("llvm-profdata").display().to_string(), &[]);
    merge.args(["merge", "--sparse", "--failure-mode=all", "--output"]).arg(merged);
    for entry in fs::read_dir(place).context("listing what the tests left")? {
        let path = entry.context("listing what the tests left")?.path();
        if path.extension().is_some_and(|extension| extension == "profraw") {
            merge.arg(path);
        }
    }
    ensure!(process::succeeds(&mut merge)?, "llvm-profdata could not add up what the tests left");
    Ok(())
}

fn export(root: &Path, tools: &Path, merged: &Path, programs: &[String]) -> Result<String> {
    let mut export = process::command(root, &tools.join("llvm-cov").display().to_string(), &[]);
    export.args(["export", "--summary-only", "--instr-profile"]).arg(merged);
    for program in programs {
        export.args(["--object", program]);
    }
    let output = export.output().context("could not start llvm-cov")?;
    ensure!(output.status.success(), "llvm-cov: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).context("llvm-cov printed no UTF-8")
}
