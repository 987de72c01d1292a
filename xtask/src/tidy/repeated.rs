//! A sentence that is said in several places of a crate has one place where it is written.
//!
//! *Limitations*: sees literals, not sentences that are put together. Two that differ in a word are two.

use std::collections::BTreeMap;

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;

/// The shortest literal that counts as a sentence, in characters.
const LENGTH_MIN: usize = 30;

/// The fewest words that a sentence has.
const WORDS_MIN: usize = 4;

/// Crates that are not there to tell anybody anything.
const SILENT: [&str; 1] = ["bench"];

/// A literal and where it begins.
struct Literal {
    text: String,
    line: usize,
}

/// Sentences that a crate writes twice.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut said: BTreeMap<(&str, String), Vec<(&str, usize)>> = BTreeMap::new();
    for file in project.rust().filter(|file| !file.path.contains("/testing/")) {
        let Some(name) = file.library_crate().filter(|name| !SILENT.contains(name)) else {
            continue;
        };
        for literal in sentences(file) {
            said.entry((name, literal.text)).or_default().push((&file.path, literal.line));
        }
    }
    let repeated = said.into_iter().filter(|(_, places)| places.len() > 1);
    repeated
        .map(|((_, text), places)| {
            let (first, line) = places[0];
            let others: Vec<String> =
                places[1..].iter().map(|(path, line)| format!("{path}:{line}")).collect();
            let what = format!("\"{text}\" is written again in {}", others.join(", "));
            let fix = "write it once: a constant, or a function that builds it";
            Problem::at(first, line, what, fix)
        })
        .collect()
}

/// The sentences of a file, without those of its tests and those that say why something cannot fail.
fn sentences(file: &File) -> Vec<Literal> {
    let (code, text): (Vec<char>, Vec<char>) =
        (file.code.chars().collect(), file.text.chars().collect());
    let end = file.code.find("#[cfg(test)]").map_or(code.len(), |bytes| {
        file.code[..bytes].chars().count() // tidy: chars
    });
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = (at..end).find(|place| code[*place] == '"') {
        let Some(close) = (open + 1..code.len()).find(|place| code[*place] == '"') else { break };
        at = close + 1;
        let before: String = code[..open].iter().rev().take(40).collect();
        let before: String = before.chars().rev().collect();
        let is_reason = before.trim_end().ends_with("expect(") || before.contains("reason =");
        let text = joined(&text[open + 1..close].iter().collect::<String>());
        let is_sentence =
            text.split_whitespace().count() >= WORDS_MIN && text.chars().count() >= LENGTH_MIN; // tidy: chars
        if is_sentence && !is_reason {
            let before: String = code[..open].iter().collect();
            found.push(Literal { text, line: source::line_of(&before, before.len()) });
        }
    }
    found
}

/// A literal whose lines are joined, as the compiler does.
fn joined(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |whole, line| whole + line.trim_start())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::{self, Project};

    // shows: WR-532
    #[test]
    fn no_crate_of_this_repository_writes_a_sentence_twice() {
        let project = Project::load(&project::root().unwrap()).unwrap();
        assert_eq!(check(&project), []);
    }

    #[test]
    fn a_sentence_that_is_written_twice_is_found_wherever_it_is_broken() {
        let long = "fn a() { say(\"Correct the file, and run the command again.\"); }\n";
        let broken = "fn b() {\n    say(\"Correct the file, \\\n         and run the command again.\");\n}\n";
        let of = |files: &[(&str, &str)]| check(&Project::of(files)).len();
        assert_eq!(of(&[("crates/a/src/b.rs", long), ("crates/a/src/c.rs", broken)]), 1);
        assert_eq!(of(&[("crates/a/src/b.rs", long), ("crates/b/src/c.rs", broken)]), 0);
        let tested = format!("{long}#[cfg(test)]\nmod tests {{ {long} }}\n");
        assert_eq!(of(&[("crates/a/src/b.rs", &tested)]), 0);
        let sure = "fn a() { x.expect(\"writing to a string does not fail\"); \
                    y.expect(\"writing to a string does not fail\"); }\n";
        assert_eq!(of(&[("crates/a/src/b.rs", sure)]), 0);
    }
}
