//! One meaning per word: synonyms that `GLOSSARY.md` rules out do not appear.
//!
//! Only words that are wrong in every sense are listed, so that a finding is never a false alarm.
//! Escape: `<!-- tidy: word -->` in Markdown, `// tidy: word` in Rust, on the line.

use crate::problem::Problem;
use crate::project::{File, Project};
use crate::source;

/// A phrase that readers would take for something else, and the glossary's word.
const PROSE: [(&str, &str); 14] = [
    ("access permission", "Access Scope"),
    ("access permissions", "Access Scope"),
    ("chat session", "connection"),
    ("mcp session", "connection"),
    ("mount point", "Mount"),
    ("project folder", "project directory"),
    ("project root", "project directory"),
    ("savepoint", "checkpoint"),
    ("storage backend", "adapter"),
    ("storage provider", "adapter"),
    ("virtual folder", "Virtual Store"),
    ("workflow execution", "run"),
    ("workflow job", "run"),
    ("workspace folder", "Workspace"),
];

/// Parts of type names that the glossary has another word for.
const NAMES: [(&str, &str); 2] =
    [("Backend", "an adapter, named after what it stands on"), ("Savepoint", "`Checkpoint`")];

/// Documents that quote the words of others or list the words not to use.
const EXEMPT: [&str; 4] =
    ["CHANGELOG.md", "GLOSSARY.md", "docs/generated/requirements.md", "docs/requirements/"];

/// Words that mean something else here.
pub(crate) fn check(project: &Project) -> Vec<Problem> {
    let prose = project
        .markdown()
        .filter(|file| !EXEMPT.iter().any(|exempt| file.path.starts_with(exempt)));
    let rust = project.rust().filter(|file| !file.path.starts_with("xtask/"));
    prose.flat_map(check_prose).chain(rust.flat_map(check_names)).collect()
}

fn check_prose(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        if line.contains("<!-- tidy: word -->") {
            continue;
        }
        let lower = line.to_lowercase();
        for (phrase, word) in PROSE {
            if source::words(&lower, phrase).next().is_some() {
                problems.push(Problem::at(
                    &file.path,
                    index + 1,
                    format!("\"{phrase}\" has another name here"),
                    format!(
                        "say \"{word}\" (GLOSSARY.md), or mark the line with `<!-- tidy: word -->`"
                    ),
                ));
            }
        }
    }
    problems
}

fn check_names(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for line in file.lines() {
        let Some(name) = declared_type(line.code) else {
            continue;
        };
        for (part, word) in NAMES.iter().filter(|(part, _)| name.contains(part)) {
            if !line.text.contains("// tidy: word") {
                problems.push(Problem::at(
                    &file.path,
                    line.number,
                    format!("`{part}` in `{name}` has another name here"),
                    format!("call it {word} (GLOSSARY.md)"),
                ));
            }
        }
    }
    problems
}

/// The name of the type or trait that a line declares.
fn declared_type(code: &str) -> Option<&str> {
    for keyword in ["struct", "enum", "trait", "type"] {
        if let Some(start) = source::words(code, keyword).next() {
            let rest = code[start + keyword.len()..].trim_start();
            let end = rest.find(|next| !source::is_name(next)).unwrap_or(rest.len());
            return Some(&rest[..end]).filter(|name| !name.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::finding::finds;

    #[test]
    fn a_ruled_out_synonym_in_a_document_is_a_problem() {
        finds(check, "docs/a.md", "The Savepoint of it", &["\"savepoint\" has another name here"]);
        finds(check, "docs/a.md", "an MCP session", &["\"mcp session\" has another name here"]);
        finds(check, "docs/a.md", "a savepointed page", &[]);
        finds(check, "docs/a.md", "SQL's savepoint <!-- tidy: word -->", &[]);
        finds(check, "docs/requirements/a.md", "savepoint", &[]);
    }

    #[test]
    fn a_type_named_by_a_ruled_out_synonym_is_a_problem() {
        finds(
            check,
            "crates/a/src/b.rs",
            "pub struct FileSavepoint(u8);",
            &["`Savepoint` in `FileSavepoint` has another name here"],
        );
        finds(check, "crates/a/src/b.rs", "// struct Savepoint", &[]);
        finds(check, "crates/a/src/b.rs", "enum Backend {} // tidy: word: a foreign name", &[]);
    }
}
