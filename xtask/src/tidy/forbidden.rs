//! Names, attributes and macros that the project does without.
//!
//! Escape: `// tidy: chars` with a reason on a line that counts characters on purpose.

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;

/// Longest source file; a file near it holds more than one concept.
const LINES_MAX: usize = 1_000;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] = ["common", "helper", "helpers", "misc", "util", "utils"];

/// Crates whose job is to talk to a terminal.
const PRINTERS: [&str; 2] = ["bench", "cli"];

/// Code that is refused everywhere, and what to write instead.
const REFUSED: [(&str, &str); 7] = [
    ("#[ignore", "make it fast, or let it scale with PITON_LONG in a module named `long`"),
    ("#[allow(", "write `#[expect(…, reason = \"…\")]`, which goes away when it is not needed"),
    ("#![allow(", "write `#![expect(…, reason = \"…\")]`, which goes away when it is not needed"),
    ("#[path", "put the module's file where the compiler looks for it"),
    ("dbg!(", "remove it"),
    ("todo!(", "write it, or leave the feature out"),
    ("unimplemented!(", "write it, or leave the feature out"),
];

/// Calls that are an agent's: the console shows and settles, and moves no run.
const OF_AGENTS: [&str; 2] = ["start_workflow", "continue_workflow"];

/// Everything this file forbids.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in project.rust() {
        problems.extend(check_name(file));
        problems.extend(check_length(file));
        problems.extend(check_code(file));
        problems.extend(check_budgets(file));
        problems.extend(check_console(file));
    }
    problems
}

/// Calls of agents in the console. Its tests play the agent.
fn check_console(file: &File) -> Vec<Problem> {
    if !file.path.starts_with("crates/console/src/") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for line in file.lines() {
        for name in OF_AGENTS.iter().filter(|name| line.code.contains(**name)) {
            problems.push(Problem::at(
                &file.path,
                line.number,
                format!("the console names `{name}`"),
                "leave starting and continuing runs to agents; the console shows, and settles questions",
            ));
        }
    }
    problems
}

fn check_name(file: &File) -> Option<Problem> {
    let segments = file.path.split('/');
    let mut stems = segments.map(|segment| segment.trim_end_matches(".rs"));
    let name = stems.find(|stem| EMPTY_NAMES.contains(stem))?;
    Some(Problem::of_file(
        &file.path,
        format!("`{name}` says nothing about what is inside"),
        "name the file after the one concept it holds",
    ))
}

fn check_length(file: &File) -> Option<Problem> {
    let lines = file.text.lines().count();
    (lines > LINES_MAX).then(|| {
        Problem::of_file(
            &file.path,
            format!("{lines} lines, more than {LINES_MAX}"),
            "split it by concept",
        )
    })
}

fn check_code(file: &File) -> Vec<Problem> {
    let library = file.library_crate();
    let silent = library.is_some_and(|name| !PRINTERS.contains(&name));
    let mut problems = Vec::new();
    for line in file.lines() {
        for (code, fix) in REFUSED.iter().filter(|(code, _)| line.code.contains(code)) {
            let name = code.trim_end_matches('(');
            let what = format!("`{name}` is not used here");
            problems.push(Problem::at(&file.path, line.number, what, *fix));
        }
        for name in EMPTY_NAMES {
            if source::words(line.code, &format!("mod {name}")).next().is_some() {
                let what = format!("`{name}` says nothing about what is inside");
                let fix = "name the module after the one concept it holds";
                problems.push(Problem::at(&file.path, line.number, what, fix));
            }
        }
        if silent && (line.code.contains("println!(") || line.code.contains("print!(")) {
            problems.push(Problem::at(
                &file.path,
                line.number,
                "a library prints",
                "return what is to be said; only `cli` and `bench` print",
            ));
        }
    }
    problems
}

/// Budgets count UTF-8 bytes: a character count in library code is a mistake until it says why.
fn check_budgets(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    if file.library_crate().is_none() {
        return problems;
    }
    for (start, call) in file.code.match_indices(".chars()") {
        let rest = &file.code[start + call.len()..];
        if !rest.trim_start().starts_with(".count()") {
            continue;
        }
        let number = source::line_of(&file.code, start);
        let line = file.text.lines().nth(number - 1).unwrap_or_default();
        if !line.contains("// tidy: chars") {
            problems.push(Problem::at(
                &file.path,
                number,
                "characters are counted where budgets count UTF-8 bytes",
                "use the core's byte length, or end the line with `// tidy: chars` and the reason",
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::finding::finds;

    // shows: WR-531
    #[test]
    fn a_module_or_file_with_an_empty_name_is_a_problem() {
        let what = ["`utils` says nothing about what is inside"];
        finds(check, "crates/a/src/utils.rs", "", &what);
        finds(check, "crates/a/src/utils/b.rs", "", &what);
        finds(check, "crates/a/src/lib.rs", "pub(crate) mod utils { }", &what);
        finds(check, "crates/a/src/lib.rs", "mod utils_of_war; // mod utils", &[]);
    }

    #[test]
    fn ignored_tests_and_silenced_lints_are_problems() {
        finds(check, "crates/a/src/b.rs", "#[ignore = \"slow\"]", &["`#[ignore` is not used here"]);
        finds(check, "crates/a/src/b.rs", "#[allow(dead_code)]", &["`#[allow` is not used here"]);
        finds(check, "crates/a/src/b.rs", "// #[allow(x)] in a comment", &[]);
        finds(check, "crates/a/src/b.rs", "let x = \"#[ignore]\";", &[]);
    }

    // shows in part: WR-500 (the console has no name for the calls that move a run)
    #[test]
    fn the_console_does_not_name_the_calls_of_agents() {
        for name in ["start_workflow", "continue_workflow"] {
            let code = format!("connection.{name}(request).await");
            let what = format!("the console names `{name}`");
            finds(check, "crates/console/src/routes.rs", &code, &[what.as_str()]);
            finds(check, "crates/console/tests/it/browser.rs", &code, &[]);
            finds(check, "crates/mcp/src/sets/workflow.rs", &code, &[]);
        }
    }

    #[test]
    fn unfinished_code_is_a_problem() {
        finds(check, "crates/a/src/b.rs", "fn f() { todo!() }", &["`todo!` is not used here"]);
        finds(check, "crates/a/tests/it/b.rs", "dbg!(x);", &["`dbg!` is not used here"]);
    }

    #[test]
    fn only_the_command_line_and_the_benchmarks_print() {
        finds(check, "crates/store/src/b.rs", "println!(\"x\")", &["a library prints"]);
        finds(check, "crates/store/src/b.rs", "eprint!(\"x\")", &["a library prints"]);
        finds(check, "crates/cli/src/b.rs", "println!(\"x\")", &[]);
        finds(check, "crates/store/tests/it/b.rs", "println!(\"seed\")", &[]);
    }

    // shows: WR-012
    #[test]
    fn counting_characters_needs_a_reason() {
        let what = ["characters are counted where budgets count UTF-8 bytes"];
        finds(check, "crates/a/src/b.rs", "text.chars().count()", &what);
        finds(check, "crates/a/src/b.rs", "text\n    .chars()\n    .count()", &what);
        finds(
            check,
            "crates/a/src/b.rs",
            "text.chars().count() // tidy: chars: shown to a person",
            &[],
        );
        finds(check, "crates/a/tests/it/b.rs", "text.chars().count()", &[]);
    }

    #[test]
    fn a_file_over_a_thousand_lines_is_a_problem() {
        finds(check, "crates/a/src/b.rs", &"\n".repeat(1_000), &[]);
        finds(check, "crates/a/src/b.rs", &"\n".repeat(1_001), &["1001 lines, more than 1000"]);
    }
}
