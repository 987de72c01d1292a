//! The ratios of a part as bars.

use std::fmt::Write as _;

use super::report::Row;

const WIDTH: usize = 860;
const LABELS: usize = 430;
const LINE: usize = 24;

/// How far the bars reach: what is slower than this is cut, with its number beside it.
const RATIO_MAX: f64 = 4.0;

/// A text as it stands in an SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Bars for the rows that are compared with something; the line is where both are equal.
pub(super) fn ratios(part: &str, rows: &[Row]) -> String {
    let compared: Vec<_> =
        rows.iter().filter_map(|row| Some((row, row.baseline.as_ref()?))).collect();
    let height = LINE * (compared.len() + 2);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/><text x=\"8\" y=\"17\" \
         font-weight=\"bold\">{part}: time against what it is compared with (shorter is faster)</text>\n"
    );
    for (place, (row, baseline)) in compared.iter().enumerate() {
        let y = LINE * (place + 1) + 8;
        let ratio = baseline.ratio.median;
        let length = scaled(ratio.min(RATIO_MAX));
        let colour = if row.verdict == "misses" { "#c2410c" } else { "#2563eb" };
        let label = escaped(&format!("{} / {}", row.name, baseline.name));
        writeln!(
            svg,
            "<text x=\"8\" y=\"{}\">{label}</text><rect x=\"{LABELS}\" y=\"{y}\" width=\"{length:.0}\" height=\"14\" \
             fill=\"{colour}\"/><text x=\"{:.0}\" y=\"{}\">{ratio:.2}x</text>",
            y + 11,
            as_f64(LABELS) + length + 6.0,
            y + 11,
        )
        .expect("writing to a string does not fail");
    }
    let equal = as_f64(LABELS) + scaled(1.0);
    writeln!(
        svg,
        "<line x1=\"{equal:.0}\" x2=\"{equal:.0}\" y1=\"{LINE}\" y2=\"{height}\" stroke=\"#111\" \
         stroke-dasharray=\"3 3\"/></svg>"
    )
    .expect("writing to a string does not fail");
    svg
}

fn scaled(ratio: f64) -> f64 {
    ratio / RATIO_MAX * as_f64(WIDTH - LABELS - 60)
}

fn as_f64(pixels: usize) -> f64 {
    f64::from(u32::try_from(pixels).expect("a drawing is small"))
}
