//! Manifests keep the house lints on and the tests found.

use toml::{Table, Value};

use crate::problem::Problem;
use crate::project::{File, Project};

/// Lints of the workspace that may not be weakened, with the least level.
const LINTS: [(&str, &str, &str); 9] = [
    ("rust", "unsafe_code", "forbid"),
    ("rust", "unused", "deny"),
    ("clippy", "allow_attributes", "deny"),
    ("clippy", "allow_attributes_without_reason", "deny"),
    ("clippy", "disallowed_methods", "deny"),
    ("clippy", "disallowed_types", "deny"),
    ("clippy", "print_stdout", "deny"),
    ("clippy", "pedantic", "warn"),
    ("clippy", "unwrap_used", "deny"),
];

/// Manifests that turn a lint off or lose a test.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in project.files() {
        if file.path != "Cargo.toml" && !file.path.ends_with("/Cargo.toml") {
            continue;
        }
        match file.text.parse::<Table>() {
            Ok(manifest) if manifest.contains_key("workspace") => {
                problems.extend(check_workspace(file, &manifest));
            }
            Ok(manifest) => problems.extend(check_package(project, file, &manifest)),
            Err(error) => problems.push(Problem::of_file(
                &file.path,
                format!("the manifest is no TOML: {}", error.message()),
                "correct it",
            )),
        }
    }
    problems
}

fn check_workspace(file: &File, manifest: &Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (tool, lint, level) in LINTS {
        let lints = manifest.get("workspace").and_then(|workspace| workspace.get("lints"));
        let found = lints.and_then(|lints| lints.get(tool)?.get(lint));
        let found = found.and_then(|found| match found {
            Value::Table(table) => table.get("level")?.as_str(),
            plain => plain.as_str(),
        });
        if found != Some(level) {
            problems.push(Problem::of_file(
                &file.path,
                format!("the lint `{lint}` of {tool} is not at `{level}`"),
                format!("set `{lint} = \"{level}\"` under [workspace.lints.{tool}]"),
            ));
        }
    }
    problems
}

fn check_package(project: &Project, file: &File, manifest: &Table) -> Vec<Problem> {
    let mut problems = Vec::new();
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if lints.and_then(Value::as_bool) != Some(true) {
        problems.push(Problem::of_file(
            &file.path,
            "the crate does not take the workspace's lints",
            "add `[lints]` with `workspace = true`",
        ));
    }
    let directory = file.path.trim_end_matches("Cargo.toml");
    if project.has(&format!("{directory}tests")) {
        problems.extend(check_tests(project, file, manifest, directory));
    }
    problems
}

/// One test binary per crate: it links once, and no file can be forgotten.
fn check_tests(project: &Project, file: &File, manifest: &Table, directory: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let package = manifest.get("package");
    let automatic = package.and_then(|package| package.get("autotests"));
    if automatic.and_then(Value::as_bool) != Some(false) {
        problems.push(Problem::of_file(
            &file.path,
            "cargo looks for test binaries by itself",
            "set `autotests = false` and declare `[[test]]` with `path = \"tests/it/main.rs\"`",
        ));
    }
    let tests = manifest.get("test").and_then(Value::as_array);
    let declared = tests
        .into_iter()
        .flatten()
        .any(|test| test.get("path").and_then(Value::as_str) == Some("tests/it/main.rs"));
    if !declared {
        problems.push(Problem::of_file(
            &file.path,
            "the crate's tests are not declared, so they never run",
            "add `[[test]]` with `name = \"it\"` and `path = \"tests/it/main.rs\"`",
        ));
    }
    let stray = project.rust().filter(|test| {
        let inside = test.path.strip_prefix(&format!("{directory}tests/"));
        inside.is_some_and(|inside| !inside.contains('/'))
    });
    problems.extend(stray.map(|test| {
        Problem::of_file(
            &test.path,
            "the file lies beside the crate's one test binary, so it never runs",
            "move it under tests/it and declare it there with `mod`",
        )
    }));
    problems
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::project::Project;

    const PACKAGE: &str = "[package]\nname = \"a\"\nautotests = false\n\
                           [[test]]\npath = \"tests/it/main.rs\"\n[lints]\nworkspace = true\n";

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let problems = check(&Project::of(files));
        problems.into_iter().map(|problem| problem.what).collect()
    }

    // shows: WR-530
    #[test]
    fn weakening_a_house_lint_is_a_problem() {
        let house = include_str!("../../../Cargo.toml");
        assert_eq!(found(&[("Cargo.toml", house)]), [""; 0]);
        for lint in ["unused", "unsafe_code", "unwrap_used"] {
            let without: Vec<&str> = house.lines().filter(|line| !line.starts_with(lint)).collect();
            let problems = found(&[("Cargo.toml", &without.join("\n"))]);
            assert_eq!(problems.len(), 1, "{lint}");
            assert!(problems[0].contains(lint));
        }
        let loud = house.replace("unused = { level = \"deny\"", "unused = { level = \"warn\"");
        assert_eq!(found(&[("Cargo.toml", &loud)]), ["the lint `unused` of rust is not at `deny`"]);
    }

    #[test]
    fn a_crate_without_the_workspace_lints_is_a_problem() {
        let bare = "[package]\nname = \"a\"\n";
        assert_eq!(
            found(&[("crates/a/Cargo.toml", bare)]),
            ["the crate does not take the workspace's lints"]
        );
    }

    #[test]
    fn a_test_file_that_no_binary_holds_is_a_problem() {
        let main = ("crates/a/tests/it/main.rs", "//! x");
        assert_eq!(found(&[("crates/a/Cargo.toml", PACKAGE), main]), [""; 0]);
        let stray = [("crates/a/Cargo.toml", PACKAGE), main, ("crates/a/tests/b.rs", "//! x")];
        assert_eq!(
            found(&stray),
            ["the file lies beside the crate's one test binary, so it never runs"]
        );
        let automatic = PACKAGE.replace("autotests = false\n", "");
        assert_eq!(
            found(&[("crates/a/Cargo.toml", &automatic), main]),
            ["cargo looks for test binaries by itself"]
        );
        let undeclared = PACKAGE.replace("path = ", "name = ");
        assert_eq!(
            found(&[("crates/a/Cargo.toml", &undeclared), main]),
            ["the crate's tests are not declared, so they never run"]
        );
    }
}
