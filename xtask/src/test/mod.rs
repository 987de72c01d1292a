//! `cargo xtask test`: everything that has to hold before a change is merged, in one command.

pub(crate) mod long_run;
pub(crate) mod tools;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;

use crate::problem::Problem;
use crate::{console, fuzz, generate, process, project, tidy};

/// Which tests to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Only the long tests, at their full size; writes docs/generated/long-runs.md.
    #[arg(long)]
    long: bool,
    /// With --long: only those of this crate, such as `piton-store`.
    #[arg(long, requires = "long")]
    package: Option<String>,
    /// With --package: only those whose name contains this, such as `kill::`.
    #[arg(requires = "package")]
    filter: Option<String>,
}

/// One step of the command.
struct Stage {
    name: &'static str,
    /// What to run when it failed.
    fix: &'static str,
    what: What,
}

/// What a stage does.
enum What {
    Cargo(&'static [&'static str]),
    Check(fn(&Path) -> Result<Vec<Problem>>),
}

const STAGES: [Stage; 9] = [
    Stage {
        name: "format",
        fix: "cargo fmt --all",
        what: What::Cargo(&["fmt", "--all", "--check"]),
    },
    Stage {
        name: "lints",
        fix: "cargo clippy --workspace --all-targets --all-features",
        what: What::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ]),
    },
    Stage {
        // shows: WR-542
        name: "lints of the ports alone",
        fix: "cargo clippy --package piton-store --no-default-features",
        what: What::Cargo(&[
            "clippy",
            "--package",
            "piton-store",
            "--no-default-features",
            "--",
            "-D",
            "warnings",
        ]),
    },
    Stage { name: "tidy", fix: "cargo xtask tidy", what: What::Check(tidy::check) },
    Stage {
        name: "generated files",
        fix: "cargo xtask generate",
        what: What::Check(generate::check),
    },
    Stage {
        name: "tests",
        fix: "cargo nextest run --workspace --all-features",
        what: What::Cargo(&["nextest", "run", "--workspace", "--all-features"]),
    },
    Stage {
        name: "doc tests",
        fix: "cargo test --workspace --doc --all-features",
        what: What::Cargo(&["test", "--workspace", "--doc", "--all-features"]),
    },
    // After the tests, which build the program.
    Stage { name: "console", fix: "cargo xtask console", what: What::Check(console::check) },
    Stage { name: "fuzzing", fix: "cargo xtask fuzz", what: What::Check(fuzz::check) },
];

/// Installs what the stages need.
pub(crate) fn install() -> Result<ExitCode> {
    tools::install(&project::root()?)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the stages in order and stops at the first that fails.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    tools::install(&root)?;
    if options.long {
        return long_run::run(&root, options.package.as_deref(), options.filter.as_deref());
    }
    let begun = Instant::now();
    for stage in &STAGES {
        let stage_begun = Instant::now();
        let passed = stage.run(&root)?;
        let took = seconds(stage_begun.elapsed());
        if !passed {
            println!("xtask: {} failed after {took}. Next: {}", stage.name, stage.fix);
            return Ok(ExitCode::FAILURE);
        }
        println!("xtask: {} passed in {took}", stage.name);
    }
    println!("xtask: all {} stages passed in {}", STAGES.len(), seconds(begun.elapsed()));
    Ok(ExitCode::SUCCESS)
}

impl Stage {
    fn run(&self, root: &Path) -> Result<bool> {
        match self.what {
            What::Cargo(arguments) => {
                process::succeeds(&mut process::command(root, &process::cargo(), arguments))
            }
            What::Check(check) => {
                let problems = check(root)?;
                for problem in &problems {
                    println!("{problem}");
                }
                Ok(problems.is_empty())
            }
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::{STAGES, What};
    use crate::generate;

    // shows: WR-521 (with an_edited_file_fails_the_check_and_the_message_says_what_to_run)
    #[test]
    fn ci_runs_every_stage_and_one_of_them_compares_the_generated_files() {
        let compares = STAGES.iter().any(|stage| match stage.what {
            What::Check(check) => std::ptr::fn_addr_eq(check, generate::check as fn(&_) -> _),
            What::Cargo(_) => false,
        });
        assert!(compares);
        let script = include_str!("../../../.ci/run");
        assert_eq!(script.lines().last(), Some("exec cargo xtask test"));
    }
}
