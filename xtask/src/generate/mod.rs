//! `cargo xtask generate`: files that follow from code, written under `docs/generated` and `docs/errors`, and the types
//! of the console's page.
//!
//! *Invariants*: a generator is a pure function of code and of the project's text; it sorts, and
//! knows neither date nor machine. So two runs give the same bytes, and `--check` can compare them.

mod builtins;
mod console_types;
mod errors;
mod schemas;
mod tools;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::problem::Problem;
use crate::process;
use crate::project::{self, Project};
use crate::requirements::coverage::Coverage;

/// Where everything is written but the pages of error codes.
const DIRECTORY: &str = "docs/generated";

/// Where those are written.
const ERRORS: &str = "docs/errors";

/// How to fix every problem found here.
const FIX: &str = "run `cargo xtask generate` and commit what it changes";

/// Write or compare.
#[derive(Args)]
pub(crate) struct Options {
    /// Write nothing; fail when a file on disk differs from what would be written.
    #[arg(long)]
    check: bool,
}

/// Files by their path from the repository root.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes the files, or compares them with those on disk.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    if options.check {
        let problems = check(&root)?;
        for problem in &problems {
            println!("{problem}");
        }
        return Ok(if problems.is_empty() {
            println!("generate: every file is as its generator writes it");
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    let files = everything(&root)?;
    write(&root, &files)?;
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with the generated files on disk.
pub(crate) fn check(root: &Path) -> Result<Vec<Problem>> {
    Ok(compare(&everything(root)?, &on_disk(root)?))
}

/// Every generated file. The program itself prints the reference of its command line, and an example of the console the
/// types of its routes.
fn everything(root: &Path) -> Result<Files> {
    let mut files = generate(&Project::load(root)?)?;
    let arguments = ["run", "--quiet", "--package", "piton-cli", "--", "internal-reference"];
    let reference = process::output(root, &process::cargo(), &arguments)?;
    files.insert(format!("{DIRECTORY}/cli.md"), reference.into_bytes());
    let arguments = "run --quiet --package piton-console --features schemas --example route_types";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let routes = process::output(root, &process::cargo(), &arguments)?;
    files.insert(console_types::FILE.to_owned(), console_types::page(&routes)?.into_bytes());
    Ok(files)
}

/// Every file that follows from code that is linked in here.
fn generate(project: &Project) -> Result<Files> {
    let mut files = Files::new();
    let mut add = |name: &str, text: String| {
        files.insert(format!("{DIRECTORY}/{name}"), text.into_bytes());
    };
    add("builtins.json", builtins::data()?);
    add("builtins.md", builtins::page());
    add("requirements.md", Coverage::of(project, None).page());
    add("tools.json", tools::data()?);
    add("tools.md", tools::page());
    for (name, schema) in tools::schemas() {
        add(&format!("schema/tools/{name}.json"), serde_json::to_string_pretty(&schema)? + "\n");
    }
    for (name, schema) in schemas::all() {
        let mut text = serde_json::to_string_pretty(&schema)?;
        text.push('\n');
        add(&format!("schema/{name}.json"), text);
    }
    for (name, page) in errors::pages() {
        files.insert(format!("{ERRORS}/{name}"), page.into_bytes());
    }
    Ok(files)
}

/// Files that other commands write: measurements, which no generator can repeat.
fn is_measured(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["long-runs.md", "coverage.md"].contains(&name)
}

/// Differences, byte for byte, between what should be there and what is.
fn compare(generated: &Files, found: &Files) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, bytes) in generated {
        match found.get(path) {
            Some(found) if found == bytes => {}
            Some(found) => {
                let line = first_difference(bytes, found);
                let what = "the file differs from what its generator writes";
                problems.push(Problem::at(path, line, what, FIX));
            }
            None => problems.push(Problem::of_file(path, "the file is missing", FIX)),
        }
    }
    let extra = found.keys().filter(|path| !generated.contains_key(*path) && !is_measured(path));
    problems.extend(extra.map(|path| {
        Problem::of_file(path, "no generator writes this file", "remove it, or move it out of here")
    }));
    problems
}

fn first_difference(left: &[u8], right: &[u8]) -> usize {
    let same = left.iter().zip(right).take_while(|(left, right)| left == right);
    same.filter(|(byte, _)| **byte == b'\n').count() + 1
}

fn on_disk(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    // The one generated file among others that are written by hand.
    if let Ok(types) = fs::read(root.join(console_types::FILE)) {
        files.insert(console_types::FILE.to_owned(), types);
    }
    let mut waiting = vec![root.join(DIRECTORY), root.join(ERRORS)];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                files.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// Writes what changed and removes what no generator writes any more.
fn write(root: &Path, files: &Files) -> Result<()> {
    let found = on_disk(root)?;
    let stale = found.keys().filter(|path| !files.contains_key(*path) && !is_measured(path));
    for path in stale {
        fs::remove_file(root.join(path))?;
        println!("removed {path}");
    }
    for (path, bytes) in files.iter().filter(|(path, bytes)| found.get(*path) != Some(bytes)) {
        let target: PathBuf = root.join(path);
        if let Some(directory) = target.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(&target, bytes).with_context(|| format!("writing {path}"))?;
        println!("wrote {path}");
    }
    println!("generate: {} files up to date", files.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Files, compare, generate};
    use crate::project::Project;

    fn generated() -> Files {
        let rows = "## A\n| WR-001 | one | t |\n";
        generate(&Project::of(&[("docs/requirements/workflow.md", rows)])).unwrap()
    }

    // shows: WR-520
    #[test]
    fn two_runs_write_the_same_bytes() {
        assert_eq!(generated(), generated());
        assert!(generated().contains_key("docs/generated/schema/envelope.json"));
    }

    // shows: WR-517 (with this_is_what_agents_read_of_each_set, the_page_and_the_data_hold_every_entry_and_every_workflow)
    #[test]
    fn schemas_tools_and_builtins_follow_from_code_alone() {
        let files = [("docs/generated/tools.json", "{}"), ("crates/mcp/src/lib.rs", "")];
        let other = generate(&Project::of(&files)).unwrap();
        let differing: Vec<_> = {
            let generated = generated();
            assert!(generated.keys().eq(other.keys()));
            generated.into_iter().filter(|(path, bytes)| other[path] != *bytes).collect()
        };
        let paths: Vec<_> = differing.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["docs/generated/requirements.md"], "only tags are read from files");
    }

    // shows: WR-518 (with every_tool_is_in_the_catalogue_on_the_page_and_has_both_schemas, the_page_and_the_data_hold_every_entry_and_every_workflow)
    #[test]
    fn there_is_a_file_for_everything_that_is_generated() {
        let files = generated();
        let has =
            |name: &str| assert!(files.contains_key(&format!("docs/generated/{name}")), "{name}");
        for name in [
            "builtins.json",
            "builtins.md",
            "schema/health.json",
            "schema/bundle.json",
            "schema/envelope.json",
            "schema/execution-snapshot.json",
            "schema/manifest-record.json",
            "schema/session-event.json",
            "tools.json",
            "tools.md",
        ] {
            has(name);
        }
        let tools: Value = serde_json::from_slice(&files["docs/generated/tools.json"]).unwrap();
        let tools = tools["sets"].as_array().unwrap().iter();
        let tools: Vec<_> = tools.flat_map(|set| set["tools"].as_array().unwrap()).collect();
        assert!(tools.len() > 7);
        for tool in tools {
            for field in ["name", "title", "description"] {
                assert!(tool[field].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
            }
            for schema in ["inputSchema", "outputSchema"] {
                has(tool[schema].as_str().unwrap());
            }
        }
    }

    // shows: WR-519, WR-522
    // shows in part: WR-521 (each target)
    #[test]
    fn an_edited_file_fails_the_check_and_the_message_says_what_to_run() {
        let expected = generated();
        assert!(compare(&expected, &expected).is_empty());
        let targets = [
            "builtins.json",
            "builtins.md",
            "schema/session-event.json",
            "schema/tools/start_workflow.input.json",
            "tools.json",
            "tools.md",
        ];
        for target in targets {
            assert!(expected.contains_key(&format!("docs/generated/{target}")), "{target}");
        }
        for path in expected.keys() {
            let mut found = expected.clone();
            found.get_mut(path).unwrap().push(b' ');
            let problems = compare(&expected, &found);
            assert_eq!(problems.len(), 1, "{path}");
            assert_eq!(&problems[0].path, path);
            assert!(problems[0].fix.contains("cargo xtask generate"));
        }
    }

    #[test]
    fn a_missing_file_fails_the_check() {
        let mut found = generated();
        found.remove("docs/errors/SESSION_LOCKED.md");
        assert_eq!(compare(&generated(), &found)[0].what, "the file is missing");
    }

    #[test]
    fn an_extra_file_fails_the_check_unless_it_holds_measurements() {
        let mut found = generated();
        for measured in ["long-runs.md", "coverage.md"] {
            found.insert(format!("docs/generated/{measured}"), Vec::new());
        }
        assert!(compare(&generated(), &found).is_empty());
        found.insert("docs/generated/notes.md".to_owned(), Vec::new());
        let problems = compare(&generated(), &found);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].path, "docs/generated/notes.md");
    }

    #[test]
    fn a_difference_is_reported_at_its_first_line() {
        let expected = Files::from([("a".to_owned(), b"1\n2\n3\n".to_vec())]);
        let found = Files::from([("a".to_owned(), b"1\n2\n4\n".to_vec())]);
        assert_eq!(compare(&expected, &found)[0].line, Some(3));
    }
}
