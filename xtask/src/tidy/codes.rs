//! Every error code is met by a test.
//!
//! *Limitations*: that a test names a code is all that can be seen here; the tests themselves say what leads to it.

use piton_core::Code;

use crate::problem::Problem;
use crate::project::{File, Project};

const HOME: &str = "crates/core/src/error/code.rs";

/// Codes that no test outside of the crate that defines them names.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let is_test = |file: &&File| {
        !file.path.starts_with("crates/core/")
            && (file.path.contains("/tests/") || file.text.contains("#[cfg(test)]"))
    };
    let tests: Vec<&File> = project.files().iter().filter(is_test).collect();
    let is_met = |code: &Code| {
        let (text, variant) = (format!("\"{}\"", code.as_str()), format!("Code::{code:?}"));
        tests.iter().any(|file| file.text.contains(&text) || names(&file.text, &variant))
    };
    let unmet = Code::ALL.iter().filter(|code| !is_met(code));
    unmet
        .map(|code| {
            Problem::at(
                HOME.to_owned(),
                1,
                format!("no test names the code {}", code.as_str()),
                "add a test that leads to it, or take the code out",
            )
        })
        .collect()
}

/// Whether `text` has `variant` and not only the beginning of a longer name.
fn names(text: &str, variant: &str) -> bool {
    text.match_indices(variant).any(|(at, _)| {
        let after = text[at + variant.len()..].chars().next();
        after.is_none_or(|next| !next.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use piton_core::Code;

    use super::{check, names};
    use crate::project::Project;

    // shows: WR-499
    #[test]
    fn a_code_that_no_test_names_is_a_problem() {
        let all = |but: &str| -> String {
            let codes = Code::ALL.iter().map(|code| code.as_str()).filter(|code| *code != but);
            codes.map(|code| format!("{code:?}")).collect::<Vec<_>>().join("\n")
        };
        let found = |text: &str| check(&Project::of(&[("crates/a/tests/it/b.rs", text)]));
        assert_eq!(found(&all("")).len(), 0);
        let missing = found(&all("STORE_IO"));
        assert_eq!(missing.len(), 1);
        assert_eq!(missing[0].what, "no test names the code STORE_IO");
        assert_eq!(
            check(&Project::of(&[("crates/core/tests/it/b.rs", &all(""))])).len(),
            Code::ALL.len()
        );
    }

    #[test]
    fn the_beginning_of_a_name_is_not_the_name() {
        assert!(names("x(Code::StoreIo)", "Code::StoreIo"));
        assert!(!names("x(Code::StoreIoError)", "Code::StoreIo"));
    }
}
