//! Line-by-line comparison of two contents of a file.

use similar::{ChangeTag, TextDiff};

use crate::bounds::{DIFF_TIME_MAX, FILE_DIFF_BYTES_MAX};

/// The differences between two contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) added: usize,
    pub(super) removed: usize,
    pub(super) diff: String,
}

/// Compares the content below with the content above. Either may be missing.
pub(super) fn compare(path: &str, below: Option<&[u8]>, above: Option<&[u8]>) -> Compared {
    let name = |side: &str, content: Option<&[u8]>| {
        content.map_or_else(|| "/dev/null".to_owned(), |_| format!("{side}/{path}"))
    };
    let (from, to) = (name("a", below), name("b", above));
    let size = |content: Option<&[u8]>| content.map_or(0, <[u8]>::len);
    let text =
        |content: Option<&[u8]>| str::from_utf8(content.unwrap_or_default()).map(str::to_owned);
    let small = size(below) + size(above) <= FILE_DIFF_BYTES_MAX;
    let (Ok(old), Ok(new), true) = (text(below), text(above), small) else {
        let diff = format!(
            "--- {from}\n+++ {to}\nnot compared line by line: {} bytes before, {} after\n",
            size(below),
            size(above)
        );
        return Compared { added: 0, removed: 0, diff };
    };
    let compared = TextDiff::configure().timeout(DIFF_TIME_MAX).diff_lines(&old, &new);
    let count = |tag| compared.iter_all_changes().filter(|change| change.tag() == tag).count();
    Compared {
        added: count(ChangeTag::Insert),
        removed: count(ChangeTag::Delete),
        diff: compared.unified_diff().header(&from, &to).to_string(),
    }
}

/// Returns the placeholder for the lines of a path once the limit is used up by the paths before it.
pub(super) fn not_shown(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\nnot shown: there are too many lines before these\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(below: Option<&str>, above: Option<&str>, expected: (usize, usize, &str)) {
        let compared = compare("a.txt", below.map(str::as_bytes), above.map(str::as_bytes));
        assert_eq!((compared.added, compared.removed, compared.diff.as_str()), expected);
    }

    #[test]
    fn contents_are_told_as_a_unified_diff() {
        check(
            Some("one\ntwo\n"),
            Some("one\n2\n"),
            (1, 1, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
        );
        check(None, Some("new\n"), (1, 0, "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+new\n"));
        check(Some("old\n"), None, (0, 1, "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"));
    }

    #[test]
    fn what_is_no_text_is_counted_in_bytes() {
        let compared = compare("a.bin", Some(b"\xff\xfe"), Some(b"text"));
        assert_eq!((compared.added, compared.removed), (0, 0));
        assert!(compared.diff.ends_with("2 bytes before, 4 after\n"), "{}", compared.diff);
    }
}
