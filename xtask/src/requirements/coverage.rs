//! Coverage: rows beside the tests that show them, as counts and as a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use super::register::{self, Heading, Register, Row};
use super::tag;
use crate::project::Project;

/// Longest heading that a line of the summary shows.
const TITLE_MAX: usize = 60;
/// Longest row text that the summary shows.
const TEXT_MAX: usize = 150;

/// A test that shows a row: whether only in part, its file, its function, and what the tag says of it.
type Test = (bool, String, Option<String>, Option<String>);

/// How many rows tests show.
#[derive(Clone, Copy, Default)]
struct Count {
    whole: usize,
    in_part: usize,
    all: usize,
}

impl Count {
    const fn is_complete(self) -> bool {
        self.whole + self.in_part == self.all
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {}", self.whole, self.all)?;
        if self.in_part > 0 {
            write!(out, ", {} in part", self.in_part)?;
        }
        Ok(())
    }
}

/// The registers and what shows their rows.
pub(crate) struct Coverage {
    registers: Vec<Register>,
    /// For each row, the tests.
    shown: BTreeMap<String, BTreeSet<Test>>,
}

impl Coverage {
    /// Reads the project; `group` keeps the rows of one prefix only.
    pub(crate) fn of(project: &Project, group: Option<&str>) -> Self {
        let mut registers = register::all(project);
        if let Some(group) = group {
            for heading in registers.iter_mut().flat_map(|register| &mut register.headings) {
                let prefix = format!("{group}-");
                heading.rows.retain(|row| row.id.starts_with(&prefix));
            }
        }
        for register in &mut registers {
            register.headings.retain(|heading| !heading.rows.is_empty());
        }
        registers.retain(|register| !register.headings.is_empty());
        let mut shown: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for tag in tag::all(project) {
            shown.entry(tag.row).or_default().insert((tag.in_part, tag.path, tag.test, tag.remark));
        }
        Self { registers, shown }
    }

    fn count<'a>(&self, rows: impl Iterator<Item = &'a Row>) -> Count {
        let mut count = Count::default();
        for row in rows {
            count.all += 1;
            match self.shown.get(&row.id) {
                Some(tests) if tests.iter().any(|(in_part, ..)| !in_part) => count.whole += 1,
                Some(_) => count.in_part += 1,
                None => {}
            }
        }
        count
    }

    fn total(&self) -> Count {
        self.count(self.registers.iter().flat_map(Register::rows))
    }

    /// One line per heading, and the rows that are missing if asked for.
    pub(crate) fn summary(&self, missing: bool) -> String {
        let mut lines = Vec::new();
        for register in &self.registers {
            for heading in &register.headings {
                let count = self.count(heading.rows.iter());
                let title: String = heading.title.chars().take(TITLE_MAX).collect();
                lines.push(format!("{:11} {title:60} {count}", register.name));
                let rows = heading.rows.iter().filter(|row| !self.is_whole(row));
                lines.extend(rows.filter(|_| missing).map(|row| {
                    let text: String = row.text.chars().take(TEXT_MAX).collect();
                    let part = if self.shown.contains_key(&row.id) { " (in part)" } else { "" };
                    format!("    {}{part}  {text}", row.id)
                }));
            }
        }
        lines.push(format!("rows shown by a test: {}\n", self.total()));
        lines.join("\n")
    }

    fn is_whole(&self, row: &Row) -> bool {
        self.count(std::iter::once(row)).whole == 1
    }

    /// The page for readers: no line numbers and no dates, so that it changes only with the tests.
    pub(crate) fn page(&self) -> String {
        let Count { whole, in_part, all } = self.total();
        let mut page = format!(
            "# Requirement coverage\n\n\
             <!-- Written by `cargo xtask generate`; edit the registers or the tests instead. -->\n\n\
             {whole} of {all} rows are shown by a test, and {in_part} more in part. \
             A test that shows a part says so, with the part in brackets. \
             The registers are in [docs/requirements](../requirements/).\n\n\
             | register | heading | shown |\n|---|---|---:|\n"
        );
        for register in &self.registers {
            for heading in &register.headings {
                let (count, title) = (self.count(heading.rows.iter()), &heading.title);
                let _ = writeln!(page, "| {} | {title} | {count} |", register.name);
            }
        }
        for register in &self.registers {
            let _ = write!(page, "\n## {}\n", register.name);
            for heading in &register.headings {
                self.section(&mut page, heading);
            }
        }
        page
    }

    fn section(&self, page: &mut String, heading: &Heading) {
        let count = self.count(heading.rows.iter());
        let _ = write!(page, "\n### {} ({count})\n", heading.title);
        if count.whole + count.in_part > 0 {
            page.push_str("\n| row | requirement | shown by |\n|---|---|---|\n");
        }
        for row in &heading.rows {
            if let Some(tests) = self.shown.get(&row.id) {
                let tests: Vec<String> = tests.iter().map(describe).collect();
                let _ = writeln!(page, "| {} | {} | {} |", row.id, row.text, tests.join("<br>"));
            }
        }
        if !count.is_complete() {
            page.push_str("\nNot shown yet:\n\n");
        }
        let rows = heading.rows.iter();
        for row in rows.filter(|row| !self.shown.contains_key(&row.id)) {
            let _ = writeln!(page, "- {} {}", row.id, row.text);
        }
    }
}

fn describe((in_part, path, test, remark): &Test) -> String {
    let test = test.as_ref().map_or_else(String::new, |test| format!(" `{test}`"));
    let remark = remark.as_ref().map_or_else(String::new, |remark| format!(" ({remark})"));
    let part = if *in_part { "in part: " } else { "" };
    format!("{part}`{path}`{test}{remark}")
}

#[cfg(test)]
mod tests {
    use super::Coverage;
    use crate::{
        project::Project,
        requirements::tag::{MARK, PART_MARK},
    };

    fn project() -> Project {
        let test = format!("// {MARK} WR-002, BP-001\n#[test]\nfn it_holds() {{}}\n");
        Project::of(&[
            ("crates/a/tests/it/b.rs", &test),
            ("docs/requirements/backpack.md", "## Items\n| BP-001 | packs | t |\n"),
            (
                "docs/requirements/workflow.md",
                "## One\n| WR-001 | first | t |\n| WR-002 | second | t |\n",
            ),
        ])
    }

    #[test]
    fn the_summary_counts_per_heading_and_lists_what_is_missing() {
        let summary = Coverage::of(&project(), Some("WR")).summary(true);
        let expected = format!(
            "workflow    {:60} 1 of 2\n    WR-001  first\nrows shown by a test: 1 of 2\n",
            "One"
        );
        assert_eq!(summary, expected);
    }

    #[test]
    fn the_page_names_the_tests_and_what_is_not_shown_yet() {
        let page = Coverage::of(&project(), None).page();
        assert!(page.contains("2 of 3 rows are shown by a test, and 0 more in part."));
        assert!(page.contains("| WR-002 | second | `crates/a/tests/it/b.rs` `it_holds` |"));
        assert!(page.contains("### One (1 of 2)"));
        assert!(page.contains("Not shown yet:\n\n- WR-001 first\n"));
    }

    #[test]
    fn a_row_that_has_only_parts_is_counted_apart() {
        let parts = format!("// {PART_MARK} WR-001 (the first half)\nfn half() {{}}\n");
        let whole = format!("// {MARK} WR-002\n// {PART_MARK} WR-002\nfn both() {{}}\n");
        let project = Project::of(&[
            ("crates/a/tests/it/b.rs", &parts),
            ("crates/a/tests/it/c.rs", &whole),
            (
                "docs/requirements/workflow.md",
                "## One\n| WR-001 | first | t |\n| WR-002 | second | t |\n",
            ),
        ]);
        let coverage = Coverage::of(&project, None);
        assert!(
            coverage.summary(true).contains("1 of 2, 1 in part\n    WR-001 (in part)  first\n")
        );
        let page = coverage.page();
        assert!(page.contains("1 of 2 rows are shown by a test, and 1 more in part."), "{page}");
        assert!(page.contains("in part: `crates/a/tests/it/b.rs` `half` (the first half) |"));
        assert!(!page.contains("Not shown yet"));
    }
}
