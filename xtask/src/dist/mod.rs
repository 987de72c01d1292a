//! `cargo xtask dist`: the packages that carry the program, for Linux on x86-64.
//!
//! *Invariants*: packages follow from the program, the repository and the time of its commit, to the byte; neither the
//! clock nor the directory, the user or the permissions of files matter. Nothing is published.

mod archive;
mod bill_of_materials;
mod build;
mod contents;
mod debian;
mod linked;
mod names;
mod needs;
mod notes;
mod npm;
mod package;
mod tarball;
mod third_party;
mod wheel;
mod zip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;

use self::contents::Contents;
use self::linked::Linked;
use self::package::{Package, checksums};
use crate::project;
use crate::test::tools::clients::target_dir;

/// How hard packages are compressed: the next levels take twice as long for a hundredth of the size.
const LEVEL: u32 = 6;

/// What to pack.
#[derive(Args)]
pub(crate) struct Options {
    /// Pack this program instead of building it.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Write the packages into this directory [default: `dist` in the target directory].
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
    /// Print the release notes of this version, and pack nothing.
    #[arg(long, conflicts_with_all = ["program", "to"])]
    notes: bool,
}

/// Builds the program, packs it, and says what was written where.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = project::root()?;
    let version = env!("CARGO_PKG_VERSION");
    let changelog =
        fs::read_to_string(root.join("CHANGELOG.md")).context("reading CHANGELOG.md")?;
    let notes = notes::of(&changelog, version)?;
    if options.notes {
        print!("{notes}");
        return Ok(ExitCode::SUCCESS);
    }
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build::program(&root)?,
    };
    let mut packages = pack(&root, &program, version)?;
    packages.push(checksums(&packages));
    packages.push(Package { name: "RELEASE-NOTES.md".to_owned(), bytes: notes.into_bytes() });
    let to = match &options.to {
        Some(to) => to.clone(),
        None => target_dir(&root)?.join("dist"),
    };
    fs::create_dir_all(&to).with_context(|| format!("making {}", to.display()))?;
    for package in &packages {
        let path = to.join(&package.name);
        fs::write(&path, &package.bytes).with_context(|| format!("writing {}", path.display()))?;
        println!("{:>9} KiB  {}", package.bytes.len().div_ceil(1024), package.name);
    }
    println!("Wrote {} files into {}. Nothing is published.", packages.len(), to.display());
    println!("Next: try one, as docs/install.md says.");
    Ok(ExitCode::SUCCESS)
}

/// Every package of a program, which has to have this version.
fn pack(root: &Path, program: &Path, version: &str) -> Result<Vec<Package>> {
    let linked = Linked::read(root)?;
    let contents = Contents::gather(root, program, version, &linked)?;
    let bill = &contents.bill_of_materials;
    Ok(vec![
        archive::pack(&contents)?,
        debian::pack(&contents)?,
        npm::pack_launcher(&contents)?,
        npm::pack_program(&contents)?,
        wheel::pack(&contents)?,
        Package { name: bill.name.clone(), bytes: bill.text.clone() },
    ])
}
