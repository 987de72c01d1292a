//! No forgotten file: every Rust file under `src` and `tests/it` is part of a build.
//!
//! # Limitations
//! `mod` inside a macro's arguments counts as a declaration; `#[path]` is forbidden elsewhere.

use std::collections::BTreeSet;

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;

/// Files that no `mod` declaration leads to.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let files = project.rust().filter(|file| belongs(&file.path));
    let files: Vec<&File> = files.collect();
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut reached = BTreeSet::new();
    let roots = files.iter().filter(|file| is_root(&file.path));
    let mut waiting: Vec<&File> = roots.copied().collect();
    while let Some(file) = waiting.pop() {
        if !reached.insert(file.path.as_str()) {
            continue;
        }
        for module in declarations(&file.code) {
            let next = candidates(&file.path, &module)
                .into_iter()
                .find(|path| known.contains(path.as_str()));
            waiting.extend(next.and_then(|next| files.iter().find(|file| file.path == next)));
        }
    }
    let orphans = files.iter().filter(|file| !reached.contains(file.path.as_str()));
    orphans
        .map(|file| {
            Problem::of_file(
                &file.path,
                "no `mod` declaration leads to this file, so it is never compiled",
                "declare it in its parent module, or remove it",
            )
        })
        .collect()
}

fn belongs(path: &str) -> bool {
    let in_crate = path.starts_with("crates/") || path.starts_with("xtask/");
    in_crate && (path.contains("/src/") || path.contains("/tests/it/"))
}

fn is_root(path: &str) -> bool {
    ["/src/lib.rs", "/src/main.rs", "/tests/it/main.rs"].iter().any(|root| path.ends_with(root))
        || path.contains("/src/bin/")
}

/// Where the file of a module can be, given the file that declares it.
fn candidates(from: &str, module: &str) -> [String; 2] {
    let (directory, name) = from.rsplit_once('/').unwrap_or(("", from));
    let stem = name.trim_end_matches(".rs");
    let base = if matches!(stem, "lib" | "main" | "mod") {
        directory.to_owned()
    } else {
        format!("{directory}/{stem}")
    };
    [format!("{base}/{module}.rs"), format!("{base}/{module}/mod.rs")]
}

/// The modules declared with `mod name;`, each with the inline modules around it: `outer/name`.
fn declarations(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Inline modules that are open, each with the depth of braces it was opened at.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut starts = source::words(code, "mod").peekable();
    for (offset, character) in code.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                open.retain(|(at, _)| *at < depth);
            }
            _ => {}
        }
        if starts.next_if_eq(&offset).is_none() {
            continue;
        }
        let rest = code[offset + "mod".len()..].trim_start();
        let end = rest.find(|next| !source::is_name(next)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        match after.trim_start().chars().next() {
            Some(';') => {
                let around = open.iter().map(|(_, name)| format!("{name}/"));
                found.push(format!("{}{name}", around.collect::<String>()));
            }
            Some('{') => open.push((depth, name.to_owned())),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{check, declarations};
    use crate::project::Project;

    #[test]
    fn a_file_that_no_declaration_leads_to_is_a_problem() {
        let project = Project::of(&[
            ("crates/a/src/lib.rs", "mod b; pub(crate) mod c;\n// mod lost;"),
            ("crates/a/src/b.rs", "mod deep;"),
            ("crates/a/src/b/deep.rs", ""),
            ("crates/a/src/c/mod.rs", "mod d;"),
            ("crates/a/src/c/d.rs", ""),
            ("crates/a/src/lost.rs", ""),
            ("crates/a/tests/it/main.rs", "mod kept;"),
            ("crates/a/tests/it/kept.rs", ""),
            ("crates/a/tests/it/forgotten.rs", ""),
            ("crates/a/tests/fixtures/free.rs", ""),
        ]);
        let found: Vec<String> = check(&project).into_iter().map(|found| found.path).collect();
        assert_eq!(found, ["crates/a/src/lost.rs", "crates/a/tests/it/forgotten.rs"]);
    }

    #[test]
    fn declarations_know_the_inline_modules_around_them() {
        let code = "mod a; mod b { mod c; fn f() { } mod d { mod e; } mod g; } mod h; mod i { }";
        assert_eq!(declarations(code), ["a", "b/c", "b/d/e", "b/g", "h"]);
    }
}
