//! `cargo xtask fuzz`: coverage-guided fuzzing of everything that others send or that lies on a disk.
//!
//! The targets are in `fuzz`, a workspace of its own: libFuzzer wants every crate below it instrumented. That works on a
//! released compiler, because nothing here is unsafe: a panic is what is looked for, and no sanitizer is needed.
//! An input that fails stays below `fuzz/seeds`; fix what it shows, and keep it.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use crate::problem::Problem;
use crate::test::{long_run, tools};
use crate::{process, project};

/// How long each target runs when the tests do: long enough to try every seed and many neighbours of each.
const SECONDS_IN_TESTS: u64 = 3;
/// How long each target runs when its run is recorded.
const SECONDS_LONG: u64 = 600;

/// What makes libFuzzer see which branches an input takes.
const INSTRUMENTED: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Every target, with the directories beside its own whose files are good beginnings.
const TARGETS: [(&str, &[&str]); 11] = [
    ("canonical", &["examples/flows"]),
    ("token", &[]),
    ("workflow", &["crates/workflow/workflows"]),
    ("flow", &["examples/flows"]),
    ("bundle", &["crates/workflow/tests/it/bundle/data"]),
    ("snapshot", &["crates/workflow/tests/it/snapshot/data"]),
    ("manifest", &["crates/store/tests/it/data/v1/sessions"]),
    ("segment", &["crates/store/tests/it/data/v1/sessions"]),
    ("log", &["crates/store/tests/it/data/v1/backpacks", "crates/backpack/tests/it/data"]),
    ("keyring", &["crates/store/tests/it/data/v1/keys"]),
    ("mcp", &[]),
];

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Only this target.
    target: Option<String>,
    /// How many seconds each target runs.
    #[arg(long, default_value_t = SECONDS_IN_TESTS)]
    seconds: u64,
    /// Ten minutes for each target; writes docs/generated/long-runs.md.
    #[arg(long, conflicts_with = "seconds")]
    long: bool,
}

/// Runs the targets, and says what they found.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    tools::install_cpp(&root)?;
    let seconds = if options.long { SECONDS_LONG } else { options.seconds };
    let program = build(&root)?;
    let mut problems = Vec::new();
    fuzz_all(&root, &program, options.target.as_deref(), seconds, |target, duration, found| {
        match found {
            Ok(inputs) if options.long => {
                let duration_ms = u64::try_from(duration.as_millis())?;
                let record = json!({ "name": format!("fuzz: {target}"), "seed": "libFuzzer",
                    "counts": { "inputs": inputs }, "durationMs": duration_ms });
                long_run::record(&root, &format!("{record}\n"))?;
            }
            Ok(inputs) => println!("xtask: fuzz: {target}: {inputs} inputs, nothing found"),
            Err(problem) => problems.push(problem),
        }
        Ok(())
    })?;
    for problem in &problems {
        println!("{problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs every target for a few seconds.
pub(crate) fn check(root: &Path) -> Result<Vec<Problem>> {
    let program = build(root)?;
    let mut problems = Vec::new();
    fuzz_all(root, &program, None, SECONDS_IN_TESTS, |_, _, found| {
        problems.extend(found.err());
        Ok(())
    })?;
    Ok(problems)
}

/// Runs every target, or only one, for so many seconds each, and reports each when it ends.
/// As many run at once as there are cores.
fn fuzz_all(
    root: &Path,
    program: &Path,
    only: Option<&str>,
    seconds: u64,
    report: impl FnMut(&str, Duration, Result<u64, Problem>) -> Result<()> + Send,
) -> Result<()> {
    let selected = TARGETS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name));
    let waiting = Mutex::new(selected);
    let report = Mutex::new(report);
    let work = || -> Result<()> {
        loop {
            let next = waiting.lock().expect("no worker panics").next();
            let Some((target, seeds)) = next else { return Ok(()) };
            let begun = Instant::now();
            let found = fuzz(root, program, target, seeds, seconds)?;
            report.lock().expect("no worker panics")(target, begun.elapsed(), found)?;
        }
    };
    let cores = available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })
}

/// Builds the targets with their instrumentation, beside what others build.
fn build(root: &Path) -> Result<PathBuf> {
    let about = process::output(root, "rustc", &["--version", "--verbose"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc names no host")?;
    let place = tools::clients::target_dir(root)?.join("fuzz");
    // With a target named, programs that run while building are not instrumented.
    let arguments = ["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"];
    let mut command = process::command(root, &process::cargo(), &arguments);
    command.args(["--target", host, "--target-dir"]).arg(&place);
    command.env("RUSTFLAGS", INSTRUMENTED);
    ensure!(process::succeeds(&mut command)?, "the fuzz targets do not build");
    Ok(place.join(host).join("release/piton-fuzz"))
}

/// How many inputs were tried, or what was found.
fn fuzz(
    root: &Path,
    program: &Path,
    target: &str,
    seeds: &[&str],
    seconds: u64,
) -> Result<Result<u64, Problem>> {
    let own = root.join("fuzz/seeds").join(target);
    let corpus = program.with_file_name("corpus").join(target);
    fs::create_dir_all(&own)?;
    fs::create_dir_all(&corpus)?;
    let mut command = Command::new(program);
    command
        .current_dir(root)
        .env("PITON_FUZZ", target)
        .arg(format!("-max_total_time={seconds}"))
        .args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", own.display()))
        .args([&corpus, &own])
        .args(seeds.iter().map(|seeds| root.join(seeds)).filter(|seeds| seeds.is_dir()));
    let output = command.output().context("could not start the fuzz targets")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(Ok(inputs(&said).unwrap_or_default()));
    }
    let last: Vec<&str> = said.lines().rev().take(LINES_SHOWN).collect();
    for line in last.iter().rev() {
        println!("{line}");
    }
    Ok(Err(Problem::of_file(
        format!("fuzz/seeds/{target}"),
        format!("an input of the fuzz target `{target}` fails"),
        format!("PITON_FUZZ={target} {} FILE", program.display()),
    )))
}

/// How much of what a failing target printed is shown.
const LINES_SHOWN: usize = 60;

fn inputs(said: &str) -> Option<u64> {
    let line =
        said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::inputs;

    #[test]
    fn the_count_of_inputs_is_read_from_what_libfuzzer_prints() {
        assert_eq!(inputs("x\nstat::number_of_executed_units: 1734\n"), Some(1734));
        assert_eq!(inputs("x"), None);
    }
}
