//! Builds the program so that its bytes follow from the source and the toolchain alone.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::names::{CRATE, PROGRAM, TARGET};
use crate::process;
use crate::test::tools::clients::target_dir;

/// Builds the program for publication. The directories of this machine get the same names everywhere.
pub(crate) fn program(root: &Path) -> Result<PathBuf> {
    let target = target_dir(root)?;
    let home = match std::env::var("CARGO_HOME") {
        Ok(home) => PathBuf::from(home),
        Err(_) => PathBuf::from(std::env::var("HOME").context("HOME is not set")?).join(".cargo"),
    };
    // The last that fits wins: the target directory is usually below the root.
    let names = [(root, "/piton"), (&home, "/cargo"), (&target, "/target")]
        .map(|(path, name)| format!("{}={name}", path.display()));
    let rust = names.each_ref().map(|name| format!("--remap-path-prefix={name}"));
    let c = names.each_ref().map(|name| format!("-ffile-prefix-map={name}"));
    let build = ["build", "--locked", "--package", CRATE, "--profile", "dist", "--target", TARGET];
    let mut build = process::command(root, &process::cargo(), &build);
    build.env("CARGO_ENCODED_RUSTFLAGS", rust.join("\x1f")).env("CFLAGS", c.join(" "));
    ensure!(process::succeeds(&mut build)?, "the program was not built");
    Ok(target.join(TARGET).join("dist").join(PROGRAM))
}
