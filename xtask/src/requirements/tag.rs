//! Tags: comments by which a test names the rows it shows, alone or as a range.
//!
//! The grammar is a mark and then, anywhere in the rest of the line, ids such as `WR-001`,
//! `WR-001..WR-005` or `WR-001..005`. Other text on the line is free. One mark says that the test
//! shows the whole row, the other that it shows a part of it; which part stands in brackets.
//! A row that spans layers can be whole by several tests: `(with first_test, second_test)` after the
//! whole mark names the tests that show the remaining parts.

use super::register::PREFIXES;
use crate::project::{File, Project};
use crate::source;

/// What makes a comment a tag; in two halves, so that this line is none.
pub(crate) const MARK: &str = concat!("sho", "ws:");
/// What makes a comment a tag for a part of its rows.
pub(crate) const PART_MARK: &str = concat!("sho", "ws in part:");

/// Files that can hold tests.
const EXTENSIONS: [&str; 5] = ["rs", "ts", "mjs", "py", "sh"];

/// One row named by one tag.
pub(crate) struct Tag {
    /// The row.
    pub(crate) row: String,
    /// Whether the test shows only a part of it.
    pub(crate) in_part: bool,
    /// The file of the test.
    pub(crate) path: String,
    /// The line of the tag, from 1.
    pub(crate) line: usize,
    /// The test function, when there is one near.
    pub(crate) test: Option<String>,
    /// What the line says in brackets at its end: which part of the row is shown.
    pub(crate) remark: Option<String>,
}

impl Tag {
    /// The tests that show the parts of the row which this test does not.
    pub(crate) fn partners(&self) -> impl Iterator<Item = &str> {
        let names = self.remark.as_deref().and_then(|remark| remark.strip_prefix("with "));
        let names = names.filter(|_| !self.in_part).into_iter();
        names.flat_map(|names| names.split(',')).map(|name| name.trim().trim_matches('`'))
    }
}

/// Every tag of the project, by file and line.
pub(crate) fn all(project: &Project) -> Vec<Tag> {
    let files = project.files().iter();
    let files = files.filter(|file| EXTENSIONS.iter().any(|extension| file.ends_with(extension)));
    files.flat_map(scan).collect()
}

fn scan(file: &File) -> Vec<Tag> {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut tags = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let rows = rows(line);
        if rows.is_empty() {
            continue;
        }
        let test = test_near(&lines, index);
        tags.extend(rows.into_iter().map(|row| Tag {
            row,
            in_part: line.contains(PART_MARK),
            path: file.path.clone(),
            line: index + 1,
            test: test.clone(),
            remark: remark(line),
        }));
    }
    tags
}

/// The words in brackets at the end of a line.
fn remark(line: &str) -> Option<String> {
    let (_, words) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    Some(words.to_owned())
}

/// The rows that a line names after the mark.
pub(crate) fn rows(line: &str) -> Vec<String> {
    let Some((_, rest)) = line.split_once(MARK).or_else(|| line.split_once(PART_MARK)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        let inside_a_word = rest[..at].chars().next_back().is_some_and(source::is_name);
        match range(&rest[at..]).filter(|_| !inside_a_word) {
            Some(range) => {
                let rows = range.first..=range.last;
                found.extend(rows.map(|number| format!("{}-{number:03}", range.prefix)));
                at += range.length;
            }
            None => at += rest[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

struct Range<'a> {
    prefix: &'a str,
    first: u16,
    last: u16,
    length: usize,
}

/// An id or a range of ids at the very beginning of the text.
fn range(text: &str) -> Option<Range<'_>> {
    let prefix = PREFIXES.iter().find(|prefix| text.starts_with(**prefix))?;
    let rest = text[prefix.len()..].strip_prefix('-')?;
    let first = number(rest)?;
    let one = Range { prefix, first, last: first, length: prefix.len() + 4 };
    let Some(end) = rest[3..].strip_prefix("..") else {
        return Some(one);
    };
    let named = end.len() > 3
        && end.as_bytes()[..2].iter().all(u8::is_ascii_uppercase)
        && end.as_bytes()[2] == b'-';
    let skipped = if named { 3 } else { 0 };
    Some(match number(&end[skipped..]) {
        Some(last) => Range { last, length: one.length + 2 + skipped + 3, ..one },
        None => one,
    })
}

fn number(text: &str) -> Option<u16> {
    let digits = text.get(..3)?;
    let all = digits.bytes().all(|digit| digit.is_ascii_digit());
    all.then(|| digits.parse().ok()).flatten()
}

/// The test that a tag belongs to: the one that begins below it, else the one it stands in.
fn test_near(lines: &[&str], at: usize) -> Option<String> {
    for line in &lines[at + 1..] {
        if let Some(name) = test_name(line) {
            return Some(name);
        }
        let code = line.trim();
        let comment = code.starts_with("//") || code.starts_with('#');
        if !comment && code.ends_with([';', '}']) {
            break;
        }
    }
    let above = lines[..=at].iter().rev();
    above.copied().find_map(test_name)
}

/// The name of the test or function that a line begins.
fn test_name(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.starts_with("//") {
        return None;
    }
    for opening in ["test(", "it("] {
        if let Some(rest) = line.strip_prefix(opening) {
            let quote = rest.chars().next()?;
            let title = rest[quote.len_utf8()..].split(quote).next();
            return title.filter(|_| "\"'`".contains(quote)).map(str::to_owned);
        }
    }
    for keyword in ["fn", "def", "function"] {
        if let Some(start) = source::words(line, keyword).next() {
            let rest = line[start + keyword.len()..].trim_start();
            let end = rest.find(|next| !source::is_name(next)).unwrap_or(rest.len());
            let named = end > 0 && rest[end..].starts_with(['(', '<']);
            return named.then(|| rest[..end].to_owned());
        }
    }
    let shell = line.strip_suffix("() {")?;
    shell.chars().all(source::is_name).then(|| shell.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{MARK, all, rows};
    use crate::project::Project;

    #[track_caller]
    fn reads(after: &str, expected: &str) {
        assert_eq!(rows(&format!("// {MARK}{after}")).join(" "), expected, "{after}");
    }

    #[test]
    fn a_tag_names_rows_and_ranges() {
        reads(" WR-001", "WR-001");
        reads(" WR-001, BP-002 and (CT-003)", "WR-001 BP-002 CT-003");
        reads(" WR-001..WR-003", "WR-001 WR-002 WR-003");
        reads(" WS-009..011, WS-020", "WS-009 WS-010 WS-011 WS-020");
        reads(" WR-001.. and on", "WR-001");
        reads(" XWR-001 WR-1 XX-001 é", "");
        reads("", "");
        assert!(rows("// WR-001").is_empty());
    }

    #[test]
    fn a_tag_finds_its_test_above_or_below() {
        let text = format!(
            "// {MARK} WR-001\n#[test(\n    slow\n)]\n// why;\nfn below() {{\n    // {MARK} WR-002\n    \
             f();\n}}\nfn next() {{}}\n"
        );
        let script = format!("# {MARK} WR-003\ndef later(x):\n");
        let typed = format!("// {MARK} WR-004\ntest(\"says it\", () => {{\n");
        let project = Project::of(&[
            ("a.rs", &text),
            ("b.py", &script),
            ("c.ts", &typed),
            ("d.md", &format!("{MARK} WR-005")),
        ]);
        let found: Vec<(String, Option<String>)> =
            all(&project).into_iter().map(|tag| (tag.row, tag.test)).collect();
        let expected =
            [("WR-001", "below"), ("WR-002", "below"), ("WR-003", "later"), ("WR-004", "says it")]
                .map(|(row, test)| (row.to_owned(), Some(test.to_owned())));
        assert_eq!(found, expected);
    }
}
