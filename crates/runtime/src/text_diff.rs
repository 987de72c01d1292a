//! Line-by-line differences between two texts.

use std::borrow::Cow;
use std::fmt::Write as _;

use piton_core::shorten;
use schemars::JsonSchema;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::bounds::{
    DIFF_CONTEXT_LINES, DIFF_LINE_BYTES_MAX, DIFF_LINES_MAX, DIFF_TIME_MAX, FILE_DIFF_BYTES_MAX,
    cut,
};

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// Whether it is in both.
    pub sign: DiffSign,
    /// The line.
    pub text: String,
}

piton_core::closed_set! {
    /// Whether a line is in both of two texts.
    pub enum DiffSign {
        /// In both.
        Same => "same",
        /// Only in the first.
        Removed => "removed",
        /// Only in the second.
        Added => "added",
        /// Lines that are in both are left out here.
        Gap => "gap",
    }
}

/// Returns the lines that differ with a few around them, and the number of lines that did not fit.
pub fn lines(before: &str, after: &str) -> (Vec<DiffLine>, usize) {
    let (before, after) = (&*with_line_end(before), &*with_line_end(after));
    let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(before, after);
    let mut lines = Vec::new();
    for (place, group) in diff.grouped_ops(DIFF_CONTEXT_LINES).iter().enumerate() {
        if place > 0 {
            lines.push(DiffLine { sign: DiffSign::Gap, text: String::new() });
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let sign = match change.tag() {
                ChangeTag::Equal => DiffSign::Same,
                ChangeTag::Delete => DiffSign::Removed,
                ChangeTag::Insert => DiffSign::Added,
            };
            let line = change.value().trim_end_matches('\n');
            lines.push(DiffLine { sign, text: shorten(line, DIFF_LINE_BYTES_MAX).into_owned() });
        }
    }
    cut(lines, DIFF_LINES_MAX)
}

/// Returns the difference of a file in the unified format; empty if there is none. Long lines are cut.
pub fn unified(name: &str, before: Option<&str>, after: &str) -> String {
    let old = before.unwrap_or_default();
    if old == after {
        return String::new();
    }
    let (old_end, new_end) = (&*with_line_end(old), &*with_line_end(after));
    let diff = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(old_end, new_end);
    let mut text = format!("--- {}\n+++ {name}\n", before.map_or("/dev/null", |_| name));
    for hunk in diff.unified_diff().context_radius(DIFF_CONTEXT_LINES).iter_hunks() {
        writeln!(text, "{}", hunk.header()).expect("writing to a string does not fail");
        for change in hunk.iter_changes() {
            let line = shorten(change.value().trim_end_matches('\n'), DIFF_LINE_BYTES_MAX);
            writeln!(text, "{}{line}", change.tag()).expect("writing to a string does not fail");
        }
    }
    text
}

/// Compares two contents, where either may be absent. Returns nothing if one is not text or is too long.
pub fn contents(before: Option<&[u8]>, after: Option<&[u8]>) -> (Vec<DiffLine>, usize) {
    match (text(before.unwrap_or_default()), text(after.unwrap_or_default())) {
        (Some(before), Some(after)) => lines(before, after),
        _ => (Vec::new(), 0),
    }
}

fn text(content: &[u8]) -> Option<&str> {
    if content.len() > FILE_DIFF_BYTES_MAX { None } else { str::from_utf8(content).ok() }
}

/// Returns the text with a line end after its last line.
fn with_line_end(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') { text.into() } else { format!("{text}\n").into() }
}

#[cfg(test)]
mod tests {
    use super::{DiffSign, lines, unified};

    fn shown(before: &str, after: &str) -> String {
        let (lines, _) = lines(before, after);
        let sign = |sign: DiffSign| match sign {
            DiffSign::Same => ' ',
            DiffSign::Removed => '-',
            DiffSign::Added => '+',
            DiffSign::Gap => '~',
        };
        let shown = lines.iter().map(|line| format!("{}{}|", sign(line.sign), line.text));
        shown.collect::<Vec<_>>().concat()
    }

    fn numbered(count: usize) -> String {
        (0..count).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn lines_that_differ_are_shown_with_a_few_around_them() {
        assert_eq!(shown("a\nb\nc\n", "a\nx\nc\n"), " a|-b|+x| c|");
        assert_eq!(shown("", "a\n"), "+a|");
        assert_eq!(shown("same\n", "same"), "");
        assert_eq!(shown("a\nb", "a"), " a|-b|");
        let long = numbered(30);
        let changed = long.replace("\n3\n", "\nx\n").replace("\n25\n", "\ny\n");
        assert_eq!(
            shown(&long, &changed),
            " 0| 1| 2|-3|+x| 4| 5| 6|~| 22| 23| 24|-25|+y| 26| 27| 28|"
        );
    }

    #[test]
    fn the_unified_format_names_the_file_and_the_lines() {
        assert_eq!(unified("f", Some("a\n"), "a\n"), "");
        assert_eq!(unified("f", None, "a\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(
            unified("f", Some("1\n2\n3\n4\n5\n6\n"), "1\n2\n3\n4\n5\nx\n"),
            "--- f\n+++ f\n@@ -3,4 +3,4 @@\n 3\n 4\n 5\n-6\n+x\n"
        );
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let (shown, left_out) = lines(&numbered(5000), "");
        assert_eq!(shown.len() + left_out, 5000);
        assert!(left_out > 0);
    }
}
