//! Every public item of a crate says what it is.
//!
//! A field or a variant may leave that to its name and its type; an item may not. The compiler's lint asks for both or
//! for neither, so this check takes its place.
//!
//! # Limitations
//! What a macro generates is not seen, except for the text of the macro itself.

use crate::problem::Problem;
use crate::project::{File, Project};

/// Words that begin an item after `pub`. Modules say what they are in their own file.
const ITEMS: [&str; 9] =
    ["async", "const", "enum", "fn", "static", "struct", "trait", "type", "union"];

/// Public items without a doc comment.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let files = project.rust().filter(|file| {
        file.path.starts_with("crates/") && file.path.contains("/src/") && !is_program(&file.path)
    });
    files.flat_map(bare_items).collect()
}

/// Programs have no readers of their public items.
fn is_program(path: &str) -> bool {
    ["crates/cli/", "crates/bench/"].iter().any(|program| path.starts_with(program))
}

fn bare_items(file: &File) -> Vec<Problem> {
    let code: Vec<&str> = file.code.lines().collect();
    let text: Vec<&str> = file.text.lines().collect();
    let is_bare = |line: &usize| is_public_item(code[*line]) && !is_documented(&text[..*line]);
    let problem = |line| {
        Problem::at(
            &file.path,
            line + 1,
            "the item does not say what it is",
            "add a `///` line: a noun phrase for a type, a verb for a function",
        )
    };
    (0..code.len()).filter(is_bare).map(problem).collect()
}

fn is_public_item(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("pub") && words.next().is_some_and(|word| ITEMS.contains(&word))
}

/// True if a doc comment stands above an item, with nothing but attributes between them.
fn is_documented(above: &[&str]) -> bool {
    for line in above.iter().rev().map(|line| line.trim()) {
        if ["///", "#[doc", "$(#["].iter().any(|doc| line.starts_with(doc)) {
            return true;
        }
        // The lines of a long attribute end in none of these, but for the last one.
        let ends_something = line.ends_with(['{', '}', ';']) && !line.starts_with("#[");
        if line.is_empty() || ends_something {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::Project;

    // shows: WR-529
    #[test]
    fn a_public_item_without_a_comment_is_a_problem() {
        let text = "//! A crate.\n\
                    /// A thing.\n#[derive(\n    Clone,\n)]\npub struct A {\n    pub field: u8,\n}\n\n\
                    pub struct B;\n\
                    pub(crate) struct C;\n\
                    /// Does it.\npub async fn d() {}\n\
                    impl B {\n    pub const fn e() {}\n}\n\
                    pub mod f;\npub use g::h;\n";
        let project = Project::of(&[
            ("crates/a/src/lib.rs", text),
            ("crates/a/tests/it/main.rs", "//! x\npub fn i() {}\n"),
        ]);
        let lines: Vec<_> = check(&project).into_iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(10), Some(15)]);
    }
}
