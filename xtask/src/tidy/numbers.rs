//! Budgets and thresholds are constants with a reason, in the file of bounds of their crate.
//!
//! A whole number from a hundred on is taken for one. Lengths of arrays and capacities are not; they follow from
//! what they are for.
//!
//! Escape: `// tidy: number` with a reason on the line, or `// tidy: numbers` with one in a file that calculates.

use crate::problem::Problem;
use crate::project::{File, Project};

/// The smallest number that is taken for a budget.
const NUMBER_MIN: u64 = 100;

/// Crates whose numbers are what they are about.
const MEASURING: [&str; 1] = ["bench"];

/// Numbers in the code of a library that have no name in its bounds.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let is_code = |file: &&File| {
        let name = file.library_crate();
        name.is_some_and(|name| !MEASURING.contains(&name))
            && !file.path.ends_with("/bounds.rs")
            && !file.text.contains("// tidy: numbers")
            && !["/testing/", "/demo/"].iter().any(|part| file.path.contains(part))
    };
    project.rust().filter(is_code).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Problem> {
    let lines = file.lines().take_while(|line| !line.code.contains("#[cfg(test)]"));
    let unnamed = lines.filter(|line| {
        let is_named = line.text.contains("// tidy: number")
            || line.code.contains("with_capacity(")
            || line.code.trim_start().starts_with("#[");
        !is_named && numbers(line.code).any(|number| number >= NUMBER_MIN)
    });
    let told = |line: crate::project::Line<'_>| {
        let what = "a number that says neither what it bounds nor why";
        let fix = "name it in bounds.rs, with the reason; or end the line with `// tidy: number` and a reason";
        Problem::at(&file.path, line.number, what, fix)
    };
    unnamed.map(told).collect()
}

/// The whole numbers of a line in decimal, but for lengths of arrays.
fn numbers(code: &str) -> impl Iterator<Item = u64> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let mut place = 0;
    code.split(move |letter: char| !is_part(letter)).filter_map(move |word| {
        let at = place;
        place += word.len() + code[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        let is_length = code[..at].trim_end().ends_with(';') && code[place - 1..].starts_with(']');
        let digits = word.trim_end_matches("usize").trim_end_matches("u64").trim_end_matches("u32");
        let digits = digits.trim_end_matches('_').replace('_', "");
        if is_length { None } else { digits.parse().ok() }
    })
}

#[cfg(test)]
mod tests {
    use super::{check, numbers};
    use crate::project::{self, Project};

    // shows: WR-528
    #[test]
    fn every_budget_of_this_repository_has_a_name_and_a_reason() {
        let project = Project::load(&project::root().unwrap()).unwrap();
        assert_eq!(check(&project), []);
        // A file of bounds is a list of constants, and the compiler asks for a text on each that others can see.
        for file in project.rust().filter(|file| file.path.ends_with("/bounds.rs")) {
            let mut before = "";
            for line in file.text.lines() {
                if line.contains("const ") && !line.starts_with(' ') && !line.starts_with("//") {
                    let has_text = before.starts_with("///") || before.starts_with("#[");
                    assert!(has_text, "{}: {line}", file.path);
                }
                before = line;
            }
        }
    }

    #[test]
    fn a_number_is_a_budget_unless_it_is_a_length_or_says_why() {
        let of = |line: &str| check(&Project::of(&[("crates/a/src/b.rs", line)])).len();
        for (line, count) in [
            ("const LIMIT: usize = 4096;", 1),
            ("let x = y.min(1_000);", 1),
            ("let x = y.min(99);", 0),
            ("let table = [0; 256];", 0),
            ("let x = 60_000; // tidy: number: milliseconds of a minute", 0),
            ("let x = Vec::with_capacity(512);", 0),
            ("let x = v1024;", 0),
            ("let x = 0xffff;", 0),
            ("let x = \"4096\";", 0),
            ("let x = 1; // 4096", 0),
        ] {
            assert_eq!(of(line), count, "{line}");
        }
        assert_eq!(
            check(&Project::of(&[("crates/a/src/bounds.rs", "const A: u8 = 200;")])).len(),
            0
        );
        assert_eq!(numbers("a(512usize, 7_000_u64); [x; 300]").collect::<Vec<_>>(), [512, 7000]);
    }
}
