//! The trees that are scanned.

use std::fs;
use std::path::{Path, PathBuf};

use piton_core::port::fixed::SeededEntropy;

use crate::error::{Error, Result};

/// Generates a tree of `files` small files, twenty to a directory, two levels deep.
pub(super) fn generate(root: &Path, files: u64) -> Result<()> {
    let luck = SeededEntropy::new(1);
    for directory in 0..files / 20 {
        let path = root.join(format!("d{}/s{}", directory % 50, directory / 50));
        fs::create_dir_all(&path).map_err(Error::io("make a directory"))?;
        for file in 0..20 {
            let size = usize::try_from(luck.next_u64() % 3_000).expect("it is below 3,000");
            let content = format!("{directory} {file} {}", "x".repeat(size));
            fs::write(path.join(format!("f{file}")), content).map_err(Error::io("write a file"))?;
        }
    }
    Ok(())
}

/// Copies unpacked packages of the registry until there are `files` files, and returns their number.
pub(super) fn copy_packages(root: &Path, files: u64) -> Result<u64> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let mut copied = 0;
    let Some(sources) = home.map(|home| home.join("registry/src")) else {
        return Ok(0);
    };
    for registry in entries(&sources)? {
        for package in entries(&registry)? {
            if copied >= files {
                return Ok(copied);
            }
            let name = package.file_name().expect("an entry has a name");
            copied += copy(&package, &root.join(name))?;
        }
    }
    Ok(copied)
}

/// Copies the project that this program was built from, without its build and git directories, and returns the number
/// of files.
pub(super) fn copy_project(root: &Path) -> Result<u64> {
    let mut copied = 0;
    for entry in entries(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").as_path())? {
        let name = entry.file_name().expect("an entry has a name");
        if name != "target" && name != ".git" {
            copied += copy(&entry, &root.join(name))?;
        }
    }
    Ok(copied)
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut entries = read().map_err(Error::io("list a directory"))?;
    // The order of a directory differs between machines; sorted, every run copies the same packages.
    entries.sort();
    Ok(entries)
}

fn copy(from: &Path, to: &Path) -> Result<u64> {
    let kind = fs::symlink_metadata(from).map_err(Error::io("look at a file"))?;
    if kind.is_file() {
        fs::copy(from, to).map_err(Error::io("copy a file"))?;
        return Ok(1);
    }
    if !kind.is_dir() {
        return Ok(0);
    }
    fs::create_dir_all(to).map_err(Error::io("make a directory"))?;
    let mut copied = 0;
    for entry in entries(from)? {
        copied += copy(&entry, &to.join(entry.file_name().expect("an entry has a name")))?;
    }
    Ok(copied)
}
