//! Documents point at things that exist.
//!
//! Relative links in every Markdown file, and in `ARCHITECTURE.md` paths in backticks and the names in its tables of
//! files: a table that begins with `in PATH` names files and directories below that path, except in parentheses.
//! Escape: `<!-- tidy: path -->` on a line whose path is deliberately not in the repository.

use crate::problem::Problem;
use crate::project::{File, Project};

const ESCAPE: &str = "<!-- tidy: path -->";

/// First segments of paths that are meant from the repository root.
const TOP: [&str; 6] = [".cargo", ".ci", ".config", "crates", "docs", "xtask"];
/// First segments that look like a path inside a crate, written without the crate.
const INSIDE: [&str; 2] = ["src", "tests"];

/// Links and paths that lead nowhere.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in project.markdown() {
        for (number, line) in prose(file) {
            for target in targets(line) {
                let Some(path) = resolve(&file.path, target) else {
                    continue;
                };
                if !project.has(&path) {
                    problems.push(Problem::at(
                        &file.path,
                        number,
                        format!("the link to `{target}` leads nowhere"),
                        "correct the path, which is relative to the file, or drop the link",
                    ));
                }
            }
            if file.path != "ARCHITECTURE.md" || line.contains(ESCAPE) {
                continue;
            }
            for path in code_spans(line).filter(|span| looks_like_a_path(span)) {
                if !project.has(path.trim_end_matches('/')) {
                    problems.push(Problem::at(
                        &file.path,
                        number,
                        format!("`{path}` does not exist"),
                        format!("write the path from the repository root, or mark the line with `{ESCAPE}`"),
                    ));
                }
            }
        }
    }
    problems.extend(
        project
            .markdown()
            .filter(|file| file.path == "ARCHITECTURE.md")
            .flat_map(|map| unknown_names(project, map)),
    );
    problems
}

/// The names in the tables of files that are no file or directory where the table looks.
fn unknown_names(project: &Project, map: &File) -> Vec<Problem> {
    let (mut base, mut problems) = (None, Vec::new());
    for (number, line) in prose(map) {
        let mut cells = line.split('|').skip(1);
        let (Some(place), Some(contents)) = (cells.next(), cells.next()) else {
            base = None;
            continue;
        };
        if let Some(path) = place.trim().strip_prefix("in ") {
            base = Some(path.trim_matches('`'));
            continue;
        }
        let Some(base) = base else { continue };
        let exists = |path: &str| project.has(path) || project.has(&format!("{path}.rs"));
        let places: Vec<String> = match code_spans(place).collect::<Vec<_>>() {
            top if top.is_empty() => vec![base.to_owned()],
            named => named.iter().map(|name| format!("{base}/{name}")).collect(),
        };
        let outside: String = contents
            .split('(')
            .map(|part| part.split_once(')').map_or(part, |(_, rest)| rest))
            .collect();
        let is_name = |span: &&str| {
            !looks_like_a_path(span)
                && span.chars().all(|letter| letter.is_ascii_lowercase() || "_/".contains(letter))
        };
        let is_unknown =
            |name: &&str| !places.iter().any(|place| exists(&format!("{place}/{name}")));
        let unknown = code_spans(&outside).filter(is_name).filter(is_unknown);
        let unknown = unknown.map(|name| format!("`{name}` is not in `{}`", places.join("` or `")));
        let gone = places.iter().filter(|place| !exists(place));
        for what in gone.map(|place| format!("`{place}` does not exist")).chain(unknown) {
            let next = "correct the name, or put it in parentheses if it is no file";
            problems.push(Problem::at(&map.path, number, what, next));
        }
    }
    problems
}

/// The lines outside fenced code, with their numbers.
fn prose(file: &File) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// What the inline links of a line point at.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.split("](").skip(1);
    ends.filter_map(|rest| rest.split(')').next())
}

/// The path from the root that a link means; `None` for addresses, anchors and templates.
fn resolve(from: &str, target: &str) -> Option<String> {
    let path = target.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains(':') || path.contains(['<', ' ']) {
        return None;
    }
    let mut segments: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    segments.pop();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// The insides of a line's backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a code span means a file or directory of this repository.
fn looks_like_a_path(span: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./".contains(character);
    if span.is_empty() || !span.chars().all(plain) || span.starts_with('/') {
        return false;
    }
    let (first, nested) = span.split_once('/').map_or((span, false), |(first, _)| (first, true));
    let name = span.rsplit('/').next().unwrap_or(span);
    let document = name.strip_suffix(".md").is_some_and(|stem| {
        nested || stem.chars().all(|letter| letter.is_ascii_uppercase() || letter == '-')
    });
    let rust = name.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty());
    (nested && (TOP.contains(&first) || INSIDE.contains(&first))) || rust || document
}

#[cfg(test)]
mod tests {
    use super::{check, looks_like_a_path, resolve};
    use crate::project::Project;

    #[test]
    fn a_link_that_leads_nowhere_is_a_problem() {
        let project = Project::of(&[
            ("README.md", "[a](docs/a.md#top) [b](docs/b.md) [c](https://x.y/z) [d](#here)"),
            ("docs/a.md", "[up](../README.md) [gone](../GONE.md)\n```\n[x](no.md)\n```\n"),
        ]);
        let found: Vec<String> = check(&project).into_iter().map(|found| found.what).collect();
        assert_eq!(
            found,
            ["the link to `docs/b.md` leads nowhere", "the link to `../GONE.md` leads nowhere"]
        );
    }

    #[test]
    fn a_path_in_the_code_map_must_exist() {
        let map = "`crates/core/src/lib.rs` `crates/core/` `crates/gone` `piton.toml` `a::b`\n\
                   `crates/later` <!-- tidy: path -->\n";
        let project = Project::of(&[
            ("ARCHITECTURE.md", map),
            ("STYLE.md", "`crates/gone`"),
            ("crates/core/src/lib.rs", "//! x"),
        ]);
        let found = check(&project);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "`crates/gone` does not exist");
    }

    #[test]
    fn a_name_in_a_table_of_files_must_exist() {
        let map = "| in `crates/core/src` | holds |\n|---|---|\n\
                   | (top level) | `lib`, `gone` (as `word`) |\n| `id` | `run`; `lost` |\n| `left` | x |\n\
                   \n| other | table |\n|---|---|\n| `a` | `b` |\n";
        let project = Project::of(&[
            ("ARCHITECTURE.md", map),
            ("crates/core/src/lib.rs", "//! x"),
            ("crates/core/src/id/run.rs", "//! x"),
        ]);
        let found: Vec<String> = check(&project).into_iter().map(|found| found.what).collect();
        assert_eq!(
            found,
            [
                "`gone` is not in `crates/core/src`",
                "`lost` is not in `crates/core/src/id`",
                "`crates/core/src/left` does not exist"
            ]
        );
    }

    #[test]
    fn a_path_is_told_from_other_code() {
        for path in ["crates/core", "src/lib.rs", "lib.rs", "docs/", "STYLE.md", ".ci/run"] {
            assert!(looks_like_a_path(path), "{path}");
        }
        for other in
            ["cargo xtask test", "/data", "artifacts/", "manifest.jsonl", "piton.toml", ".rs"]
        {
            assert!(!looks_like_a_path(other), "{other}");
        }
    }

    #[test]
    fn links_resolve_from_the_directory_of_their_file() {
        assert_eq!(resolve("docs/a/b.md", "../c.md").as_deref(), Some("docs/c.md"));
        assert_eq!(resolve("README.md", "docs/").as_deref(), Some("docs"));
        assert_eq!(resolve("README.md", "mailto:a@b.c"), None);
    }
}
