//! `cargo xtask picture`: `docs/demo.svg`, what `piton demo` prints on this machine.

use std::fs;
use std::process::ExitCode;

use anyhow::Result;

use crate::{process, project, svg};

/// Plays the demo, and draws what it prints.
pub(crate) fn run() -> Result<ExitCode> {
    let root = project::root()?;
    let data = std::env::temp_dir().join(format!("piton-picture-{}", std::process::id()));
    let shown = data.display().to_string();
    let arguments =
        ["run", "--quiet", "--package", "piton-cli", "--", "demo", "--data-dir", &shown];
    let printed = process::output(&root, &process::cargo(), &arguments);
    let removed = fs::remove_dir_all(&data);
    // The demo names the program by its path unless the shell finds it. Whoever has installed it sees its name.
    let program = std::env::current_exe()?.with_file_name("piton").display().to_string();
    let printed = printed?.replace(&shown, "~/.local/share/piton").replace(&program, "piton");
    removed?;
    fs::write(root.join("docs/demo.svg"), svg::terminal(&printed))?;
    println!("wrote docs/demo.svg");
    Ok(ExitCode::SUCCESS)
}
