//! Every requirement that a tag names exists, and so does every test that a tag counts on.

use std::collections::BTreeSet;

use crate::problem::Problem;
use crate::project::Project;
use crate::requirements::register;
use crate::requirements::tag::{self, Tag};

/// Tags that name a row which no register holds, or a partner that does not show a part of the row.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let registers = register::all(project);
    let known: BTreeSet<&str> =
        registers.iter().flat_map(register::Register::rows).map(|row| row.id.as_str()).collect();
    let tags = tag::all(project);
    let unknown = tags.iter().filter(|tag| !known.contains(tag.row.as_str()));
    let unknown = unknown.map(|tag| {
        Problem::at(
            tag.path.clone(),
            tag.line,
            format!("no register has a row {}", tag.row),
            "name a row of docs/requirements, or add the row there",
        )
    });
    unknown.chain(missing_partners(&tags)).collect()
}

/// A row is whole by several tests only while each of them is there and says which part it shows.
fn missing_partners(tags: &[Tag]) -> Vec<Problem> {
    let parts: BTreeSet<(&str, &str)> = tags
        .iter()
        .filter(|tag| tag.in_part)
        .filter_map(|tag| Some((tag.row.as_str(), tag.test.as_deref()?)))
        .collect();
    let mut problems = Vec::new();
    for tag in tags {
        for partner in tag.partners().filter(|name| !parts.contains(&(tag.row.as_str(), *name))) {
            problems.push(Problem::at(
                tag.path.clone(),
                tag.line,
                format!("no test `{partner}` shows a part of {}", tag.row),
                "name a test with an in-part tag for this row, or take the claim back",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::Project;

    const REGISTER: (&str, &str) =
        ("docs/requirements/workflow.md", "## A\n| WR-001 | x | y |\n| WR-003 | x | y |\n");

    #[test]
    fn a_tag_for_a_row_that_does_not_exist_is_a_problem() {
        let tagged = concat!("// sho", "ws: WR-001..003\nfn f() {}\n");
        let found = check(&Project::of(&[REGISTER, ("crates/a/tests/it/b.rs", tagged)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "no register has a row WR-002");
    }

    #[test]
    fn a_row_that_several_tests_show_needs_each_of_them() {
        let tagged = concat!(
            "// sho",
            "ws: WR-001 (with part, `gone`)\nfn whole() {}\n",
            "// sho",
            "ws in part: WR-001 (with care)\nfn part() {}\n",
            "// sho",
            "ws in part: WR-003 (another row)\nfn gone() {}\n",
        );
        let found = check(&Project::of(&[REGISTER, ("crates/a/tests/it/b.rs", tagged)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "no test `gone` shows a part of WR-001");
    }
}
