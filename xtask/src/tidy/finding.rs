//! What a check finds in one file, for the tests of the checks.

use crate::problem::Problem;
use crate::project::Project;

/// Holds if `check` says exactly this of a project with this one file.
#[track_caller]
pub(super) fn finds(
    check: fn(&Project) -> Vec<Problem>,
    path: &str,
    text: &str,
    expected: &[&str],
) {
    let found = check(&Project::of(&[(path, text)]));
    let found: Vec<&str> = found.iter().map(|problem| problem.what.as_str()).collect();
    assert_eq!(found, expected, "{path}: {text}");
}
