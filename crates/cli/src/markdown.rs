//! Pages in Markdown, for a person at a terminal: headings and emphasis are bold, code is indented.
//!
//! *Limitations*: everything else stays as it is written. Text that goes to a file or a program is not touched.

use std::io::{self, IsTerminal as _};

use crate::style::{Tone, styled};

/// Margin of a line of code.
const MARGIN: &str = "    ";

/// Returns a page as standard output shows it best: rendered on a terminal, else as it is.
pub(crate) fn shown(page: &str) -> String {
    if io::stdout().is_terminal() { rendered(page) } else { page.to_owned() }
}

fn rendered(page: &str) -> String {
    let (mut lines, mut is_code) = (Vec::new(), false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            lines.push(format!("{MARGIN}{line}"));
        } else if let Some(heading) = heading(line) {
            lines.push(styled(Tone::Strong, heading).to_string());
        } else {
            lines.push(emphasized(line));
        }
    }
    lines.join("\n")
}

/// Returns the text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    (text.len() < line.len()).then(|| text.strip_prefix(' ')).flatten()
}

/// Makes what is between two pairs of stars bold.
fn emphasized(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, (strong, after))) =
        rest.split_once("**").and_then(|(before, behind)| Some((before, behind.split_once("**")?)))
    {
        text.push_str(before);
        text.push_str(&styled(Tone::Strong, strong).to_string());
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::rendered;
    use crate::style::printable;

    #[test]
    fn headings_are_bold_and_code_is_indented() {
        let page = "# SESSION_LOCKED\n\n- **What to do:** retry. 2 ** 3\n\n```json\n{ \"a\": 1 }\n# no heading\n```\n#tag";
        let expected = "\x1b[1mSESSION_LOCKED\x1b[0m\n\n- \x1b[1mWhat to do:\x1b[0m retry. 2 ** 3\n\n    { \"a\": 1 }\n    \
                        # no heading\n#tag";
        assert_eq!(printable(&rendered(page)), expected);
    }
}
