//! The libraries that are linked into the program, as Cargo resolves them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::names::{CRATE, TARGET};
use crate::process;

/// The crate that carries the source of SQLite, and the file that has its version.
const SQLITE: (&str, &str) = ("libsqlite3-sys", "sqlite3/sqlite3.h");

/// Everything that is linked, by package URL. The program itself is the first.
pub(crate) struct Linked {
    pub(crate) program: String,
    pub(crate) components: BTreeMap<String, Component>,
}

/// One library.
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) version: String,
    /// In SPDX form.
    pub(crate) license: String,
    /// SHA-256 of what was downloaded, in hexadecimal digits; the crates of the repository have none.
    pub(crate) checksum: Option<String>,
    /// Where its source is; what is a part of a crate has none of its own.
    pub(crate) directory: Option<PathBuf>,
    /// What it uses itself, by package URL.
    pub(crate) uses: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Linked {
    /// Asks Cargo.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let cargo = process::cargo();
        // Macros and build scripts run on the machine that builds, and stay there.
        let tree = ["tree", "--locked", "--package", CRATE, "--edges", "normal,no-proc-macro"];
        let form = ["--target", TARGET, "--prefix", "depth", "--format", "|{p}"];
        let tree = process::output(root, &cargo, &[&tree[..], &form].concat())?;
        let metadata =
            ["metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET];
        let metadata: Metadata = serde_json::from_str(&process::output(root, &cargo, &metadata)?)?;
        let lock: Lock = toml::from_str(&fs::read_to_string(root.join("Cargo.lock"))?)?;
        let (program, uses) = parse_tree(&tree)?;
        let mut components = BTreeMap::new();
        for (url, (name, version, uses)) in uses {
            let package = metadata.packages.iter().find(|p| p.name == name && p.version == version);
            let package = package.with_context(|| format!("cargo metadata lacks {url}"))?;
            let locked = lock.package.iter().find(|p| p.name == name && p.version == version);
            let license = package.license.as_deref();
            let license = license.with_context(|| format!("{url} names no licence"))?;
            let component = Component {
                name,
                version,
                // An old form of Cargo's.
                license: license.replace('/', " OR "),
                checksum: locked.and_then(|locked| locked.checksum.clone()),
                directory: package.manifest_path.parent().map(Path::to_owned),
                uses,
            };
            components.insert(url, component);
        }
        let mut linked = Self { program, components };
        linked.add_sqlite()?;
        Ok(linked)
    }

    /// Adds SQLite, which its crate carries as C source.
    fn add_sqlite(&mut self) -> Result<()> {
        let mut crates = self.components.values_mut();
        let Some(carrier) = crates.find(|component| component.name == SQLITE.0) else {
            return Ok(());
        };
        let header = carrier.directory.as_deref().unwrap_or(Path::new("")).join(SQLITE.1);
        let text =
            fs::read_to_string(&header).with_context(|| format!("reading {}", header.display()))?;
        let version = text.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
        let version = version.context("SQLite does not say its version")?.trim().trim_matches('"');
        let url = format!("pkg:generic/sqlite@{version}");
        carrier.uses.push(url.clone());
        let component = Component {
            name: "sqlite".to_owned(),
            version: version.to_owned(),
            license: "blessing".to_owned(),
            checksum: None,
            directory: None,
            uses: Vec::new(),
        };
        self.components.insert(url, component);
        Ok(())
    }
}

/// A name, a version, and the package URLs of what it uses.
type Uses = BTreeMap<String, (String, String, Vec<String>)>;

/// Reads lines such as `2|serde v1.0.0 (*)`, each with its depth; only the first line about a package has what it uses
/// below it.
fn parse_tree(tree: &str) -> Result<(String, Uses)> {
    let (mut path, mut uses): (Vec<String>, Uses) = (Vec::new(), Uses::new());
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (depth, package) = line.split_once('|').with_context(|| format!("no tree: {line}"))?;
        let mut words = package.split(' ');
        let (name, version) = words.next().zip(words.next()).context("no package in a line")?;
        let version = version.trim_start_matches('v');
        let url = format!("pkg:cargo/{name}@{version}");
        path.truncate(depth.parse()?);
        if let Some((_, _, used)) = path.last().and_then(|user| uses.get_mut(user))
            && !used.contains(&url)
        {
            used.push(url.clone());
        }
        uses.entry(url.clone())
            .or_insert_with(|| (name.to_owned(), version.to_owned(), Vec::new()));
        path.push(url);
    }
    let program = path.into_iter().next().context("cargo tree is empty")?;
    Ok((program, uses))
}

#[cfg(test)]
mod tests {
    use super::{Linked, parse_tree};
    use crate::project;

    #[test]
    fn a_tree_of_cargo_says_what_uses_what() {
        let tree = "0|a v1.0.0 (/a)\n1|b v2.0.0\n2|c v3.0.0\n1|c v3.0.0 (*)\n1|c v4.0.0\n";
        let (program, uses) = parse_tree(tree).unwrap();
        assert_eq!(program, "pkg:cargo/a@1.0.0");
        let of = |url: &str| uses[url].2.join(" ");
        assert_eq!(of(&program), "pkg:cargo/b@2.0.0 pkg:cargo/c@3.0.0 pkg:cargo/c@4.0.0");
        assert_eq!(of("pkg:cargo/b@2.0.0"), "pkg:cargo/c@3.0.0");
        assert_eq!(of("pkg:cargo/c@3.0.0"), "");
    }

    #[test]
    fn only_what_is_in_the_program_counts() {
        let linked = Linked::read(&project::root().unwrap()).unwrap();
        let has = |name: &str| linked.components.values().any(|component| component.name == name);
        for name in ["piton-cli", "piton-core", "tokio", "libsqlite3-sys", "sqlite"] {
            assert!(has(name), "{name} is linked");
        }
        // Macros, build scripts, tests, other systems.
        for name in ["serde_derive", "cc", "insta", "proptest", "windows-sys", "xtask"] {
            assert!(!has(name), "{name} is not linked");
        }
        for (url, component) in &linked.components {
            let is_downloaded = !component.name.starts_with("piton") && component.name != "sqlite";
            assert_eq!(component.checksum.is_some(), is_downloaded, "{url}");
            assert!(component.uses.iter().all(|used| linked.components.contains_key(used)));
        }
    }
}
