//! The text of the repository, read once, so that every check is a pure function over it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::source;

/// What holds nothing of the project's own. In a second working tree `.git` is a file.
const SKIPPED: [&str; 3] = ["target", ".git", "node_modules"];

/// Every file of the repository that is text.
pub(crate) struct Project {
    files: Vec<File>,
    paths: BTreeSet<String>,
}

/// One text file.
pub(crate) struct File {
    /// Path from the repository root, with `/` on every platform.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
    /// For Rust, the text with comments and the insides of literals blanked; otherwise empty.
    pub(crate) code: String,
}

/// One line of a Rust file.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    /// With comments and the insides of literals blanked.
    pub(crate) code: &'a str,
    /// As written.
    pub(crate) text: &'a str,
}

impl Project {
    /// Reads the tree below `root`.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let mut project = Self { files: Vec::new(), paths: BTreeSet::new() };
        project.walk(root, "")?;
        project.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(project)
    }

    /// A project that exists in memory only.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut project = Self { files: Vec::new(), paths: BTreeSet::new() };
        for (path, text) in files {
            for (slash, _) in path.match_indices('/') {
                project.paths.insert(path[..slash].to_owned());
            }
            project.paths.insert((*path).to_owned());
            project.files.push(File::new((*path).to_owned(), (*text).to_owned()));
        }
        project
    }

    /// Whether a file or directory has this path from the root.
    pub(crate) fn has(&self, path: &str) -> bool {
        path.is_empty() || self.paths.contains(path)
    }

    /// All text files, by path.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.ends_with("rs"))
    }

    /// The Markdown files.
    pub(crate) fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.ends_with("md"))
    }

    fn walk(&mut self, directory: &Path, prefix: &str) -> Result<()> {
        let entries =
            fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                self.walk(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file()
                && let Ok(text) = fs::read_to_string(entry.path())
            {
                self.files.push(File::new(path.clone(), text));
            }
            self.paths.insert(path);
        }
        Ok(())
    }
}

impl File {
    fn new(path: String, text: String) -> Self {
        let code = if has_extension(&path, "rs") { source::mask(&text) } else { String::new() };
        Self { path, text, code }
    }

    /// Whether the file's extension is `extension`.
    pub(crate) fn ends_with(&self, extension: &str) -> bool {
        has_extension(&self.path, extension)
    }

    /// For `crates/<name>/src/…`, the name; tests, benches and everything else have none.
    pub(crate) fn library_crate(&self) -> Option<&str> {
        let (name, rest) = self.path.strip_prefix("crates/")?.split_once('/')?;
        rest.starts_with("src/").then_some(name)
    }

    /// The lines of a Rust file.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let pairs = self.code.lines().zip(self.text.lines()).enumerate();
        pairs.map(|(index, (code, text))| Line { number: index + 1, code, text })
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// The root of the repository: the nearest directory upwards that holds this crate.
pub(crate) fn root() -> Result<PathBuf> {
    let here = std::env::current_dir()?;
    for directory in here.ancestors() {
        if directory.join("xtask/Cargo.toml").is_file() {
            return Ok(directory.to_owned());
        }
    }
    bail!("run this inside the repository: no xtask/Cargo.toml above {}", here.display())
}
