//! The page of the console: its types, its tests, its committed build, and the program in a browser.
//!
//! `cargo xtask console` checks all of it, as a stage of `cargo xtask test` does; `cargo xtask screenshots` takes
//! pictures of every page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::problem::Problem;
use crate::test::tools;
use crate::{process, project};

/// The sources of the page.
const WEB: &str = "crates/console/web";
/// The page as it is committed, and embedded into the program.
const ASSETS: &str = "crates/console/assets";
/// Where screenshots are kept.
const SCREENSHOTS: &str = "crates/console/web/screenshots";
/// Colours of a screenshot. Text on few grounds needs no more, and a file is a third of what it was.
const COLOURS: &str = "64";

/// Checks the page with the program that cargo builds for a person.
pub(crate) fn run() -> Result<ExitCode> {
    let root = project::root()?;
    tools::install_page(&root)?;
    let problems = check_with(&root, &build_program(&root)?)?;
    for problem in &problems {
        println!("{problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks the page with the program that the tests have just built.
pub(crate) fn check(root: &Path) -> Result<Vec<Problem>> {
    let program = tools::clients::target_dir(root)?.join("debug/piton");
    ensure!(program.is_file(), "{} is missing: the tests build it", program.display());
    check_with(root, &program)
}

/// Takes the screenshots.
pub(crate) fn take_screenshots() -> Result<ExitCode> {
    let root = project::root()?;
    tools::install_page(&root)?;
    tools::install_camera(&root)?;
    let program = build_program(&root)?;
    let mut suite = playwright(&root, &program, "screenshots")?;
    ensure!(process::succeeds(&mut suite)?, "the screenshots were not taken");
    let taken = files(&root.join(SCREENSHOTS))?;
    let mut words =
        vec!["--force", "--ext", ".png", "--speed", "1", "--strip", "--nofs", COLOURS, "--"];
    let names: Vec<String> = taken.keys().map(|name| format!("{SCREENSHOTS}/{name}")).collect();
    words.extend(names.iter().map(String::as_str));
    let made = process::succeeds(&mut process::command(&root, "pngquant", &words))?;
    ensure!(made, "the screenshots could not be made smaller");
    println!("wrote {} screenshots into {SCREENSHOTS}", names.len());
    Ok(ExitCode::SUCCESS)
}

fn check_with(root: &Path, program: &Path) -> Result<Vec<Problem>> {
    let scripts = [
        (
            "svelte-check/bin/svelte-check",
            &["--tsconfig", "./tsconfig.json", "--fail-on-warnings"][..],
        ),
        ("typescript/bin/tsc", &["-p", "browser"]),
        ("vitest/vitest.mjs", &["run"]),
    ];
    for (script, words) in scripts {
        if !process::succeeds(&mut node(root, script, words)?)? {
            let what = format!("`{script}` found problems, see above");
            return Ok(vec![Problem::of_file(WEB, what, "run it there again when they are gone")]);
        }
    }
    let problems = compare_assets(root)?;
    if !problems.is_empty() {
        return Ok(problems);
    }
    if process::succeeds(&mut playwright(root, program, "console")?)? {
        return Ok(Vec::new());
    }
    let fix = "`npx playwright show-trace` shows what a test saw";
    Ok(vec![Problem::of_file(WEB, "the suite in the browser failed, see above", fix)])
}

/// Builds the page again, beside the committed one, and compares the bytes.
fn compare_assets(root: &Path) -> Result<Vec<Problem>> {
    let directory = tools::clients::target_dir(root)?.join("console-assets");
    let place = directory.display().to_string();
    // The second build adds the page of an exported run to the first.
    for which in [&["--emptyOutDir"][..], &["--mode", "export"]] {
        let words = [&["build", "--outDir", &place, "--logLevel", "warn"], which].concat();
        let mut vite = node(root, "vite/bin/vite.js", &words)?;
        ensure!(process::succeeds(&mut vite)?, "the page was not built");
    }
    let (built, committed) = (files(&directory)?, files(&root.join(ASSETS))?);
    let names = built.keys().chain(committed.keys().filter(|name| !built.contains_key(*name)));
    let differs = names.filter(|name| built.get(*name) != committed.get(*name));
    let what = format!("it is not what {WEB} builds");
    let fix = "run `npm run build` there, and commit it";
    Ok(differs.map(|name| Problem::of_file(format!("{ASSETS}/{name}"), &what, fix)).collect())
}

/// Builds the program as a person does.
fn build_program(root: &Path) -> Result<PathBuf> {
    let mut build = process::command(root, &process::cargo(), &["build", "--package", "piton-cli"]);
    ensure!(process::succeeds(&mut build)?, "the program was not built");
    Ok(tools::clients::target_dir(root)?.join("debug/piton"))
}

/// A project of the suite in a browser.
fn playwright(root: &Path, program: &Path, project: &str) -> Result<Command> {
    let mut suite = node(root, "@playwright/test/cli.js", &["test", "--project", project])?;
    suite.env("PITON", program);
    Ok(suite)
}

/// A script of the page's packages, run by the Node of the test tools in the directory of the page.
fn node(root: &Path, script: &str, words: &[&str]) -> Result<Command> {
    let node = tools::clients::node(root)?;
    let script = format!("node_modules/{script}");
    let mut command = process::command(&root.join(WEB), &node.display().to_string(), &[&script]);
    command.args(words);
    Ok(command)
}

/// The files of a directory, by name.
fn files(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    entries
        .map(|entry| {
            let entry = entry?;
            Ok((entry.file_name().display().to_string(), fs::read(entry.path())?))
        })
        .collect()
}
