//! Second processes: a test binary runs itself again to do one thing.
//!
//! The child runs only one test, `worker::answers_what_it_is_asked` of its crate, which finds its order in the
//! environment, carries it out and exits. Each answer that it [prints](print_line) is one marked line, so that the
//! parent can tell it from the output of the test harness.
#![expect(
    clippy::disallowed_methods,
    reason = "a test starts itself again, and finds its order in the environment"
)]

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{self, Child, Command, Stdio};

const ORDER: &str = "PITON_WORKER";
const ARGUMENTS: &str = "PITON_WORKER_ARGUMENTS";
const MARK: &str = "worker says: ";
const TEST: &str = "worker::answers_what_it_is_asked";

/// Returns the command for a process that will carry out `order`. It takes input, and answers with [`print_line`].
pub fn command(order: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", TEST, "--nocapture"])
        .env(ORDER, order)
        .env(ARGUMENTS, arguments.join("\n"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Starts such a process.
pub fn spawn(order: &str, arguments: &[&str]) -> Child {
    command(order, arguments).spawn().unwrap()
}

/// Returns the answers of a child, until it ends.
pub fn answers(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix(MARK).map(str::to_owned))
}

/// In a child: prints an answer for the parent.
pub fn print_line(line: &str) {
    writeln!(io::stdout().lock(), "{MARK}{line}").unwrap();
}

/// In a child: waits until the parent lets it continue.
pub fn wait_for_go() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    assert_eq!(line, "go\n", "the parent is gone");
}

/// In the parent: lets a waiting child continue.
pub fn go(child: &mut Child) {
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
}

/// Body of the test of that name. In a child it carries out the order and exits; in the parent it checks that a child
/// answers.
pub fn serve(carry_out: impl Fn(&str, &[&str])) {
    if let Ok(order) = env::var(ORDER) {
        // The harness may have begun a line.
        writeln!(io::stdout().lock()).unwrap();
        let arguments = env::var(ARGUMENTS).unwrap();
        match order.as_str() {
            "ping" => print_line("pong"),
            order => carry_out(order, &arguments.split('\n').collect::<Vec<_>>()),
        }
        process::exit(0);
    }
    let mut child = spawn("ping", &[]);
    assert_eq!(answers(&mut child).collect::<Vec<_>>(), ["pong"]);
    assert!(child.wait().unwrap().success());
}
