//! Every Rust file says at its top what it is.

use crate::problem::Problem;
use crate::project::Project;

/// Rust files whose first line is no `//!`.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let files = project.rust();
    let bare = files.filter(|file| !file.text.starts_with("//!"));
    bare.map(|file| {
        Problem::at(
            &file.path,
            1,
            "the file does not say what it is",
            "start it with a `//!` line: what it is, then its invariants and limitations",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::Project;

    #[test]
    fn a_file_without_a_module_comment_is_a_problem() {
        let project = Project::of(&[
            ("crates/a/src/lib.rs", "//! A crate.\n"),
            ("crates/a/src/b.rs", "use x;\n//! Too late.\n"),
            ("crates/a/src/c.txt", "no Rust"),
        ]);
        let found = check(&project);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "crates/a/src/b.rs");
    }
}
