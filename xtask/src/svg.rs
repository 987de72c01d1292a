//! Drawings as text.

use std::fmt::Write as _;

/// A text as it stands in an SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

const CHARACTER: usize = 8;
const LINE: usize = 18;
const MARGIN: usize = 16;

/// What a program printed, as a picture of a terminal.
pub(crate) fn terminal(printed: &str) -> String {
    let lines: Vec<&str> = printed.trim_end().lines().collect();
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0); // tidy: chars: drawn
    let (width, height) = (longest * CHARACTER + 2 * MARGIN, lines.len() * LINE + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"13\"><rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0f172a\"/>\n"
    );
    for (place, line) in lines.iter().enumerate() {
        let colour = match line.trim_start().as_bytes().first() {
            Some(b'$') => "#7dd3fc",
            Some(b'+') => "#86efac",
            Some(b'-') => "#fca5a5",
            _ => "#e2e8f0",
        };
        let y = MARGIN + place * LINE + 13;
        writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{colour}\" xml:space=\"preserve\">{}</text>",
            escaped(line)
        )
        .expect("writing to a string does not fail");
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::terminal;

    #[test]
    fn what_is_printed_is_drawn_line_by_line() {
        let svg = terminal("$ piton <x>\n+ new\n");
        assert!(svg.contains("fill=\"#7dd3fc\" xml:space=\"preserve\">$ piton &lt;x&gt;</text>"));
        assert_eq!(svg.matches("<text").count(), 2);
    }
}
