//! The repository names nothing that lies outside of it: a path on one machine helps nobody else.

use crate::problem::Problem;
use crate::project::Project;

/// Beginnings of such paths, spelled in two halves so that this file passes its own check.
const OUTSIDE: [&str; 2] = [concat!("/wo", "rk/"), concat!("../sha", "red")];

/// Lines that name a path outside the repository.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in project.files() {
        for (index, line) in file.text.lines().enumerate() {
            for path in OUTSIDE.iter().filter(|path| mentions(line, path)) {
                problems.push(Problem::at(
                    &file.path,
                    index + 1,
                    format!("`{path}` lies outside the repository"),
                    "say it without the path, or bring what it names into the repository",
                ));
            }
        }
    }
    problems
}

/// Whether `path` stands in the line as the beginning of a path, not as its middle.
fn mentions(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        !before.is_some_and(|before| before.is_alphanumeric() || "._-".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, check};
    use crate::project::Project;

    #[test]
    fn a_path_outside_the_repository_is_a_problem_in_any_file() {
        let text = format!("fine\nsee `{}x`\nframe{}x\n", OUTSIDE[0], OUTSIDE[0]);
        let project =
            Project::of(&[("docs/a.md", &text), ("b.sh", &format!("cat {}/x", OUTSIDE[1]))]);
        let places: Vec<_> =
            check(&project).into_iter().map(|problem| (problem.path, problem.line)).collect();
        assert_eq!(places, [("docs/a.md".to_owned(), Some(2)), ("b.sh".to_owned(), Some(1))]);
    }
}
