//! `cargo xtask bench`: runs the benchmark program, built as a published binary is, and passes its verdict on.

mod drawing;
mod report;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;

use crate::test::tools;
use crate::{commit, process, project};

/// What to measure and how to report it.
#[derive(Args)]
pub(crate) struct Options {
    /// Only this part, such as `kernel`; `door` needs the program and a client, `flow` the
    /// libraries that it is measured beside, and `console` a browser, which are built and installed first.
    part: Option<String>,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
    /// Fail when a measure misses its bar.
    #[arg(long)]
    check: bool,
    /// Write `docs/benchmarks.md` and its drawings; with a part, only that part of it.
    #[arg(long, conflicts_with_all = ["json", "check"])]
    report: bool,
}

/// Runs the benchmarks.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    let measures = |parts: &[&str]| options.part.as_deref().is_none_or(|one| parts.contains(&one));
    if measures(&["door", "workspaces"]) {
        tools::clients::install(&root)?;
    }
    if measures(&["console"]) {
        tools::clients::install_browser(&root)?;
    }
    if measures(&["door", "workspaces", "console"]) {
        let arguments = ["build", "--quiet", "--profile", "dist", "--package", "piton-cli"];
        let mut build = process::command(&root, &process::cargo(), &arguments);
        ensure!(process::succeeds(&mut build)?, "could not build the program that is measured");
    }
    if measures(&["flow"]) {
        tools::clients::install_flow_peers(&root)?;
    }
    let arguments = arguments(options);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if options.report {
        let commit = commit::measured(&root)?;
        let told = process::output(&root, &process::cargo(), &arguments)?;
        report::write(&root, &told, &commit)?;
        return Ok(ExitCode::SUCCESS);
    }
    let status = process::command(&root, &process::cargo(), &arguments).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn arguments(options: &Options) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["run", "--quiet", "--profile", "dist", "--package", "piton-bench"]
            .map(str::to_owned)
            .to_vec();
    arguments.push("--".to_owned());
    arguments.extend(options.part.clone());
    if options.json || options.report {
        arguments.push("--json".to_owned());
    }
    if options.check {
        arguments.push("--check".to_owned());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::{Options, arguments};

    #[test]
    fn every_option_is_passed_on() {
        let all =
            Options { part: Some("store".to_owned()), json: true, check: true, report: false };
        assert_eq!(
            arguments(&all).join(" "),
            "run --quiet --profile dist --package piton-bench -- store --json --check"
        );
    }
}
