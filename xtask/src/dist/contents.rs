//! What every package carries, read once: the program, what it generates itself, and the texts beside it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;

use super::linked::Linked;
use super::names::{PROGRAM, TARGET};
use super::needs::Needs;
use super::{bill_of_materials, third_party};
use crate::process;

/// Shells that the program writes completions for, with the name that each gives to such a file.
const SHELLS: [(&str, &str); 3] = [("bash", "piton"), ("zsh", "_piton"), ("fish", "piton.fish")];

/// A text with the name of its file.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// Everything that goes into packages.
pub(crate) struct Contents {
    /// Of the program, as Cargo has it.
    pub(crate) version: String,
    /// Of everything that has a time.
    pub(crate) time: Timestamp,
    pub(crate) program: Vec<u8>,
    pub(crate) needs: Needs,
    /// By name.
    pub(crate) manual: Vec<Document>,
    /// In the order of bash, zsh and fish.
    pub(crate) completions: Vec<Document>,
    /// Both licences, and those of what is linked.
    pub(crate) licenses: Vec<Document>,
    pub(crate) readme: Document,
    pub(crate) changelog: Document,
    pub(crate) bill_of_materials: Document,
}

impl Contents {
    /// Reads what lies in the repository, and has the program write the rest. The program has to say this version.
    pub(crate) fn gather(
        root: &Path,
        program: &Path,
        version: &str,
        linked: &Linked,
    ) -> Result<Self> {
        let program = fs::canonicalize(program)
            .with_context(|| format!("there is no program {}", program.display()))?;
        let bytes = read(&program)?;
        let needs = Needs::read(&bytes).with_context(|| {
            format!("{} cannot be packed: it has to be built for {TARGET}", program.display())
        })?;
        let said = run(root, &program, &["--version"])?;
        ensure!(
            said.trim() == format!("{PROGRAM} {version}"),
            "{} is `{}`, not {PROGRAM} {version}: build it again",
            program.display(),
            said.trim()
        );
        let time = time(root)?;
        Ok(Self {
            version: version.to_owned(),
            time,
            needs,
            manual: manual(root, &program)?,
            completions: completions(root, &program)?,
            licenses: vec![
                Document::read(&root.join("LICENSE-APACHE"))?,
                Document::read(&root.join("LICENSE-MIT"))?,
                third_party::licenses(linked)?,
            ],
            readme: Document::read(&root.join("crates/cli/README.md"))?,
            changelog: Document::read(&root.join("CHANGELOG.md"))?,
            bill_of_materials: bill_of_materials::of(linked, time)?,
            program: bytes,
        })
    }
}

impl Document {
    fn read(path: &Path) -> Result<Self> {
        let name = path.file_name().context("a document has a name")?.display().to_string();
        Ok(Self { name, text: read(path)? })
    }
}

/// The time of the commit, or `SOURCE_DATE_EPOCH` as other tools for reproducible packages read it.
fn time(root: &Path) -> Result<Timestamp> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => process::output(root, "git", &["log", "-1", "--format=%ct"])
            .context("no time for the packages: set SOURCE_DATE_EPOCH to seconds since 1970")?,
    };
    let seconds = text.trim().parse().ok();
    let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.with_context(|| format!("`{}` is no time in seconds since 1970", text.trim()))
}

/// The manual pages that the program writes.
fn manual(root: &Path, program: &Path) -> Result<Vec<Document>> {
    let place = tempfile::tempdir()?;
    let target = place.path().display().to_string();
    run(root, program, &["man", "--to", &target])?;
    let pages = fs::read_dir(place.path())?.map(|entry| Ok(entry?.path()));
    let mut pages = pages.collect::<Result<Vec<PathBuf>>>()?;
    pages.sort();
    pages.iter().map(|page| Document::read(page)).collect()
}

/// The completions that the program prints.
fn completions(root: &Path, program: &Path) -> Result<Vec<Document>> {
    SHELLS
        .iter()
        .map(|(shell, name)| {
            let text = run(root, program, &["completions", shell])?.into_bytes();
            Ok(Document { name: (*name).to_owned(), text })
        })
        .collect()
}

fn run(root: &Path, program: &Path, arguments: &[&str]) -> Result<String> {
    process::output(root, &program.display().to_string(), arguments)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("reading {}", path.display()))
}
