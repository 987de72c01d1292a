//! `cargo xtask test --long`: the tests that grow with their budget, at full size.
//!
//! Such tests live in modules named `long`, read `PITON_LONG` to choose their size, and append what
//! they did to the file that `PITON_LONG_REPORT` names, one JSON object per line. The results are
//! kept in `docs/generated/long-runs.md`: one row per test, the newest run of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::{commit, process};

const PAGE: &str = "docs/generated/long-runs.md";
const LONG: &str = "test(/(^|::)long::/)";
const HEAD: &str = "# Long runs\n\n\
    <!-- Written by `cargo xtask test --long`. -->\n\n\
    The last run of each long test at its full size. A commit with `+` had uncommitted changes.\n\n\
    | test | seed | counts | duration | commit |\n|---|---|---|---:|---|\n";

/// What a long test reports about itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Record {
    name: String,
    seed: Value,
    counts: BTreeMap<String, Value>,
    duration_ms: u64,
}

/// Runs the long tests, all, those of one crate or some of those, then records what they reported.
pub(crate) fn run(root: &Path, package: Option<&str>, filter: Option<&str>) -> Result<ExitCode> {
    let report = std::env::temp_dir().join(format!("piton-long-{}.jsonl", std::process::id()));
    let mut command = process::command(root, &process::cargo(), &arguments(package, filter));
    command.env("PITON_LONG", "1").env("PITON_LONG_REPORT", &report);
    let passed = process::succeeds(&mut command)?;
    let reported = fs::read_to_string(&report).unwrap_or_default();
    if !reported.is_empty() {
        fs::remove_file(&report)?;
    }
    if !passed {
        println!("xtask: a long test failed, or none was selected; see above, also for its seed");
        return Ok(ExitCode::FAILURE);
    }
    if reported.trim().is_empty() {
        println!("xtask: no long test reported a run");
        return Ok(ExitCode::SUCCESS);
    }
    record(root, &reported)?;
    Ok(ExitCode::SUCCESS)
}

/// Records what was reported, one JSON object per line.
pub(crate) fn record(root: &Path, reported: &str) -> Result<()> {
    let commit = commit::measured(root)?;
    let records = parse(reported)?;
    let page = root.join(PAGE);
    let before = fs::read_to_string(&page).unwrap_or_default();
    fs::create_dir_all(page.parent().unwrap_or(root))?;
    fs::write(&page, merge(&before, &records, &commit))?;
    println!("xtask: long runs recorded in {PAGE}: {}", records.len());
    Ok(())
}

/// Arguments for nextest. A crate may have no long tests; a filter that finds none is a mistake.
fn arguments<'a>(package: Option<&'a str>, filter: Option<&'a str>) -> Vec<&'a str> {
    let arguments = ["nextest", "run", "--all-features", "--profile", "long"];
    let crates = package.map_or(vec!["--workspace"], |package| vec!["--package", package]);
    let no_tests = if filter.is_some() { "fail" } else { "pass" };
    let selection = ["--no-tests", no_tests, "--filterset", LONG];
    let names = filter.map_or_else(Vec::new, |filter| vec!["--", filter]);
    [arguments.as_slice(), &crates, &selection, &names].concat()
}

fn parse(lines: &str) -> Result<Vec<Record>> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line).with_context(|| format!("a long test reported {line}"))
        })
        .collect()
}

/// The page with the new rows in place of the old ones of the same tests, sorted by test.
fn merge(page: &str, records: &[Record], commit: &str) -> String {
    let mut rows: BTreeMap<String, String> = BTreeMap::new();
    for line in page.lines() {
        let name = line.strip_prefix("| `").and_then(|rest| rest.split_once('`'));
        if let Some((name, _)) = name {
            rows.insert(name.to_owned(), line.to_owned());
        }
    }
    for record in records {
        let mut counts = String::new();
        for (name, count) in &record.counts {
            let separator = if counts.is_empty() { "" } else { ", " };
            let _ = write!(counts, "{separator}{count} {name}");
        }
        let name = &record.name;
        let seed = record.seed.as_str().map_or_else(|| record.seed.to_string(), str::to_owned);
        let took = format!("{}.{} s", record.duration_ms / 1_000, record.duration_ms % 1_000 / 100);
        let row = format!("| `{name}` | {seed} | {counts} | {took} | {commit} |");
        rows.insert(name.clone(), row);
    }
    let mut page = HEAD.to_owned();
    for row in rows.values() {
        page.push_str(row);
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::{HEAD, LONG, arguments, merge, parse};

    #[test]
    fn a_filter_narrows_the_long_tests_and_has_to_find_some() {
        let told = |package, filter| arguments(package, filter)[5..].join(" ");
        let long = format!("--filterset {LONG}");
        assert_eq!(told(None, None), format!("--workspace --no-tests pass {long}"));
        assert_eq!(
            told(Some("piton-store"), Some("kill")),
            format!("--package piton-store --no-tests fail {long} -- kill")
        );
    }

    #[test]
    fn a_run_replaces_the_row_of_its_test_and_keeps_the_others() {
        let first = parse(
            "{\"name\":\"b\",\"seed\":7,\"counts\":{\"kills\":2000,\"appends\":9},\"durationMs\":61250}\n\
             {\"name\":\"a\",\"seed\":\"0x1f\",\"counts\":{},\"durationMs\":90}\n",
        );
        let page = merge("", &first.unwrap(), "abc1234");
        let b = "| `b` | 7 | 9 appends, 2000 kills | 61.2 s | abc1234 |\n";
        assert_eq!(page, format!("{HEAD}| `a` | 0x1f |  | 0.0 s | abc1234 |\n{b}"));
        let second =
            parse("{\"name\":\"a\",\"seed\":8,\"counts\":{},\"durationMs\":1000}").unwrap();
        let page = merge(&page, &second, "def5678+");
        assert_eq!(page, format!("{HEAD}| `a` | 8 |  | 1.0 s | def5678+ |\n{b}"));
        assert_eq!(merge(&page, &[], "x"), page);
    }

    #[test]
    fn a_report_of_another_shape_is_an_error() {
        assert!(parse("{\"name\":\"a\"}").is_err());
        assert!(parse("\n").unwrap().is_empty());
    }
}
