//! Every requirement that a tag names exists.

use std::collections::BTreeSet;

use crate::{
    problem::Problem,
    project::Project,
    requirements::{register, tag},
};

/// Tags that name a row which no register holds.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let registers = register::all(project);
    let known: BTreeSet<&str> =
        registers.iter().flat_map(register::Register::rows).map(|row| row.id.as_str()).collect();
    let tags = tag::all(project).into_iter();
    let unknown = tags.filter(|tag| !known.contains(tag.row.as_str()));
    unknown
        .map(|tag| {
            Problem::at(
                tag.path,
                tag.line,
                format!("no register has a row {}", tag.row),
                "name a row of docs/requirements, or add the row there",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::Project;

    #[test]
    fn a_tag_for_a_row_that_does_not_exist_is_a_problem() {
        let tagged = concat!("// sho", "ws: WR-001..003\nfn f() {}\n");
        let project = Project::of(&[
            ("docs/requirements/workflow.md", "## A\n| WR-001 | x | y |\n| WR-003 | x | y |\n"),
            ("crates/a/tests/it/b.rs", tagged),
        ]);
        let found = check(&project);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "no register has a row WR-002");
    }
}
