//! The report as a plain-text table.

use std::fmt::Write as _;

use super::row::{BarVerdict, MeasureRow, Subject};

const HEADINGS: [&str; 9] =
    ["measure", "median", "p99", "unit", "baseline", "its median", "ratio", "bar", "verdict"];

/// Columns of numbers, which are aligned to the right.
const TO_THE_RIGHT: [bool; 9] = [false, true, true, false, false, true, false, false, false];

/// Formats the rows under their headings, with one blank line between parts.
pub(super) fn render(rows: &[(&str, &MeasureRow)]) -> String {
    let mut lines: Vec<(&str, [String; 9])> = vec![("", HEADINGS.map(str::to_owned))];
    lines.extend(rows.iter().map(|(part, row)| (*part, cells(row))));
    let mut widths = [0; 9];
    for (_, line) in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(columns(cell));
        }
    }
    let mut text = String::new();
    let mut part = "";
    for (of, line) in &lines {
        // A part begins with its name, after a blank line except below the headings.
        if !text.is_empty() && *of != part {
            let gap = if part.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}[{of}]");
        }
        part = of;
        text.push_str(&aligned(line, &widths));
        text.push('\n');
    }
    text
}

fn aligned(line: &[String; 9], widths: &[usize; 9]) -> String {
    let mut text = String::new();
    for ((cell, &width), right) in line.iter().zip(widths).zip(TO_THE_RIGHT) {
        let padding = " ".repeat(width - columns(cell));
        let (before, after) = if right { (padding.as_str(), "") } else { ("", padding.as_str()) };
        let _ = write!(text, "{before}{cell}{after}  ");
    }
    text.truncate(text.trim_end().len());
    text
}

fn columns(cell: &str) -> usize {
    cell.chars().count() // tidy: chars: columns on a terminal
}

fn cells(row: &MeasureRow) -> [String; 9] {
    let baseline = row.baseline.as_ref();
    let ratio = baseline.map(|baseline| baseline.ratio);
    let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "–".to_owned());
    [
        row.name.to_owned(),
        figure(row.figures.median),
        figure(row.figures.p99),
        row.unit.text().to_owned(),
        or_dash(baseline.map(|baseline| baseline.name.to_owned())),
        or_dash(baseline.map(|baseline| figure(baseline.figures.median))),
        or_dash(
            ratio.map(|ratio| format!("{:.2}x ({:.2}–{:.2})", ratio.median, ratio.low, ratio.high)),
        ),
        or_dash(row.bar.map(|bar| match bar.on {
            Subject::Median => {
                let slowness = bar.slowness.map(|slowness| format!(" x {slowness:.2}"));
                format!("≤ {} {}{}", bar.at_most, row.unit.text(), slowness.unwrap_or_default())
            }
            Subject::RatioLow | Subject::RatioMedian => format!("≤ {}x", bar.at_most),
        })),
        match row.verdict {
            BarVerdict::Holds => "holds",
            BarVerdict::HoldsIntervalOver => "holds (interval reaches over the bar)",
            BarVerdict::HoldsMedianOver => "holds (only the low end of the interval)",
            BarVerdict::Misses => "MISSES",
            BarVerdict::NotJudged => "–",
        }
        .to_owned(),
    ]
}

/// Formats a value with about three digits.
fn figure(value: f64) -> String {
    match value {
        _ if value.fract().abs() < f64::EPSILON && value < 1e6 => format!("{value:.0}"),
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        measure::{Pair, Samples},
        report::{Bar, Unit},
    };

    #[test]
    fn a_figure_has_about_three_digits() {
        let cases = [(0.0, "0"), (0.123, "0.12"), (1.0, "1"), (12.34, "12.3"), (456.7, "457")];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn columns_are_aligned_and_parts_stand_apart() {
        let samples = Samples(vec![vec![Pair { ours: 3.0, baseline: 2.0 }]]);
        let first = MeasureRow::paired("append", Unit::Milliseconds, "bare", &samples);
        let second = MeasureRow::unpaired("memory of it", Unit::Megabytes, &[1234.5]);
        let (first, second) =
            (first.judged(Bar::disk_ratio(1.3)), second.judged(Bar::promise(60.0)));
        let text = render(&[("one", &first), ("two", &second)]);
        let expected = "\
measure       median   p99  unit  baseline  its median  ratio              bar      verdict
[one]
append             3     3  ms    bare               2  1.50x (1.50–1.50)  ≤ 1.3x   MISSES

[two]
memory of it    1234  1234  MB    –                  –  –                  ≤ 60 MB  MISSES
";
        assert_eq!(text, expected);
    }
}
