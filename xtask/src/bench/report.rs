//! `docs/benchmarks.md` and its drawings, from what the benchmark program told as JSON.
//!
//! What was measured is kept part by part in `docs/benchmarks.json`, each with its machine and commit, so that one
//! part can be measured again without the others.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drawing;

const DATA: &str = "docs/benchmarks.json";
const PAGE: &str = "docs/benchmarks.md";

/// The parts in the order in which they are read.
const PARTS: [&str; 8] =
    ["kernel", "workflow", "door", "backpack", "flow", "workspaces", "context", "console"];

/// What is kept of one part.
#[derive(Serialize, Deserialize)]
struct Measured {
    commit: String,
    machine: String,
    rows: Vec<Row>,
}

/// One measure.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    unit: String,
    samples: u64,
    median: f64,
    p99: f64,
    pub(super) baseline: Option<Baseline>,
    bar: Option<Bar>,
    pub(super) verdict: String,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Baseline {
    pub(super) name: String,
    median: f64,
    pub(super) ratio: Ratio,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Ratio {
    low: f64,
    pub(super) median: f64,
    high: f64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Bar {
    on: String,
    #[serde(rename = "atMost")]
    at_most: f64,
    /// Factor by which the machine was slower than the one that a calibrated bar was set on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slowness: Option<f64>,
}

/// Takes in what a run told, and writes the page and its drawings.
pub(super) fn write(root: &Path, told: &str, commit: &str) -> Result<()> {
    let told: Value = serde_json::from_str(told).context("the benchmark printed no JSON")?;
    let text = fs::read_to_string(root.join(DATA)).unwrap_or_else(|_| "{}".to_owned());
    let mut kept: BTreeMap<String, Measured> =
        serde_json::from_str(&text).with_context(|| format!("{DATA} cannot be read"))?;
    let mut fresh: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in told["rows"].as_array().into_iter().flatten() {
        let part = row["part"].as_str().unwrap_or_default().to_owned();
        fresh.entry(part).or_default().push(serde_json::from_value(row.clone())?);
    }
    for (part, rows) in fresh {
        let (commit, machine) = (commit.to_owned(), machine(&told["machine"]));
        kept.insert(part, Measured { commit, machine, rows });
    }
    fs::write(root.join(DATA), serde_json::to_string_pretty(&kept)? + "\n")?;
    for (part, measured) in &kept {
        fs::write(root.join(picture(part)), drawing::ratios(part, &measured.rows))?;
    }
    fs::write(root.join(PAGE), page(&kept))?;
    println!("wrote {PAGE}");
    Ok(())
}

fn machine(told: &Value) -> String {
    let text = |name: &str| told[name].as_str().unwrap_or("unknown").to_owned();
    let (processor, kernel, disk) = (text("processor"), text("kernel"), text("fileSystem"));
    format!("{} cores, {processor}, Linux {kernel}, {disk}", told["cores"])
}

fn picture(part: &str) -> String {
    format!("docs/benchmarks-{part}.svg")
}

fn page(kept: &BTreeMap<String, Measured>) -> String {
    let mut page = String::from(
        "# Benchmarks\n\nWritten by `cargo xtask bench --report`. Each measure stands beside what it is compared with, \
         and the two took turns in one run: what counts is the ratio, with its 95 % interval. Times are medians; p99 \
         is not judged. A bar is judged by the median, and where a disk decides by the low end of the interval; where \
         it holds and the interval reaches over it, the table says so. A time with nothing of its kind beside it has a \
         bar that is multiplied by the slowness of the machine: how long one fixed piece of work takes there, measured \
         in the same run. A bar that is missed is marked.\n",
    );
    for (part, measured) in PARTS.iter().filter_map(|part| Some((part, kept.get(*part)?))) {
        let judged = measured.rows.iter().filter(|row| row.bar.is_some()).count();
        let missed = measured.rows.iter().filter(|row| row.verdict == "misses").count();
        let held = judged - missed;
        let doubtful = measured.rows.iter().filter(|row| row.verdict.starts_with("holds_")).count();
        let doubt = if doubtful == 0 {
            String::new()
        } else {
            format!(", {doubtful} of them with an interval that reaches over the bar")
        };
        let Measured { commit, machine, .. } = measured;
        write!(
            page,
            "\n## {part}\n\n{held} of {judged} bars hold{doubt}. Commit {commit}; {machine}.\n\n"
        )
        .expect("writing to a string does not fail");
        writeln!(page, "![Ratios of {part}](benchmarks-{part}.svg)\n")
            .expect("writing to a string does not fail");
        page.push_str("| measure | median | p99 | compared with | ratio | bar | |\n|---|---|---|---|---|---|---|\n");
        measured.rows.iter().for_each(|row| page.push_str(&line(row)));
    }
    page
}

fn line(row: &Row) -> String {
    let Row { name, unit, samples, .. } = row;
    let (with, ratio) = row.baseline.as_ref().map_or_else(Default::default, |baseline| {
        let Ratio { low, median, high } = &baseline.ratio;
        let with = format!("{}: {} {unit}", baseline.name, figure(baseline.median));
        (with, format!("{median:.2}x ({low:.2}–{high:.2})"))
    });
    let bar = row.bar.as_ref().map_or_else(String::new, |bar| {
        let times = if bar.on.starts_with("ratio") { "x".to_owned() } else { format!(" {unit}") };
        let slowness = bar.slowness.map(|slowness| format!(" × {slowness:.2}"));
        format!("at most {}{times}{}", figure(bar.at_most), slowness.unwrap_or_default())
    });
    let verdict = match row.verdict.as_str() {
        "holds" => "holds",
        "holds_interval_over" => "holds (interval reaches over the bar)",
        "holds_median_over" => "holds (only the low end of the interval)",
        "misses" => "**missed**",
        _ => "",
    };
    let (median, p99) = (figure(row.median), figure(row.p99));
    format!(
        "| {name} ({samples}) | {median} {unit} | {p99} {unit} | {with} | {ratio} | {bar} | {verdict} |\n"
    )
}

/// A number with three digits that matter.
fn figure(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_told_with_its_baseline_its_bar_and_what_became_of_it() {
        for (verdict, told) in [
            ("holds", "holds"),
            ("holds_interval_over", "holds (interval reaches over the bar)"),
            ("holds_median_over", "holds (only the low end of the interval)"),
            ("misses", "**missed**"),
            ("not_judged", ""),
        ] {
            let row = serde_json::json!({
                "part": "kernel", "name": "append", "unit": "ms", "samples": 50, "median": 0.714, "p99": 1.5,
                "baseline": { "name": "bare calls", "median": 0.655, "p99": 1.0,
                              "ratio": { "low": 1.07, "median": 1.09, "high": 1.11 } },
                "bar": { "on": "ratio_low", "atMost": 1.3 }, "verdict": verdict,
            });
            let expected = format!(
                "| append (50) | 0.714 ms | 1.50 ms | bare calls: 0.655 ms | 1.09x (1.07–1.11) | at most 1.30x | {told} |\n"
            );
            assert_eq!(line(&serde_json::from_value(row).unwrap()), expected);
        }
    }
}
