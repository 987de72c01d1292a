//! The licences of the libraries that are linked into the program, whose authors ask that they come with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::contents::Document;
use super::linked::Linked;

/// How the names of files with licences and notices begin, in capitals.
const FILES: [&str; 4] = ["LICENSE", "LICENCE", "COPYING", "NOTICE"];

/// One document with each text once, below the names of all that it is for.
pub(crate) fn licenses(linked: &Linked) -> Result<Document> {
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for component in linked.components.values() {
        let Some(directory) = &component.directory else { continue };
        if component.checksum.is_none() {
            continue;
        }
        let name = format!("{} {}", component.name, component.version);
        writeln!(list, "{name}: {}", component.license)?;
        for file in files(directory)? {
            let text = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            texts.entry(text.trim().to_owned()).or_default().push(name.clone());
        }
    }
    let mut sections: Vec<(String, String)> = texts
        .into_iter()
        .map(|(text, mut names)| {
            names.dedup();
            (names.join("\n"), text)
        })
        .collect();
    sections.sort();
    let line = "-".repeat(72);
    let mut document = format!(
        "The program is linked with these libraries, under these licences. Their texts follow.\n\n{list}"
    );
    for (names, text) in sections {
        write!(document, "\n{line}\n{names}\n{line}\n\n{text}\n")?;
    }
    Ok(Document { name: "LICENSES-THIRD-PARTY".to_owned(), text: document.into_bytes() })
}

/// The files with licences in a directory, by name.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && FILES.iter().any(|begin| name.starts_with(begin)) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
