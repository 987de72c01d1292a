//! Second processes: this test binary runs itself again to do one thing.
//!
//! The child runs only the test below, which finds its order in the environment, carries it out and leaves. What it
//! [says](say) is one marked line each, so that the parent can tell it from what the test harness prints.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, Child, Command, Stdio};

const ORDER: &str = "PITON_WORKER";
const ARGUMENTS: &str = "PITON_WORKER_ARGUMENTS";
const MARK: &str = "worker says: ";

/// What a child can be asked to do.
fn carry_out(order: &str, arguments: &[&str]) {
    match order {
        "ping" => say("pong"),
        "pack-for-ever" => crate::journal::kill::pack_for_ever(arguments),
        "hold" => crate::journal::processes::hold(arguments),
        other => panic!("no worker knows how to {other}"),
    }
}

/// Starts a process that carries out `order`. It can be spoken to, and answers with [`say`].
pub(crate) fn spawn(order: &str, arguments: &[&str]) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "worker::answers_what_it_is_asked", "--nocapture"])
        .env(ORDER, order)
        .env(ARGUMENTS, arguments.join("\n"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a child says, until it ends.
pub(crate) fn answers(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix(MARK).map(str::to_owned))
}

/// In a child: tells the parent something.
pub(crate) fn say(line: &str) {
    writeln!(io::stdout().lock(), "{MARK}{line}").unwrap();
}

/// In a child: waits until the parent lets it go on.
pub(crate) fn wait_for_go() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    assert_eq!(line, "go\n", "the parent is gone");
}

/// In the parent: lets a child go on that waits.
pub(crate) fn go(child: &mut Child) {
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
}

#[test]
fn answers_what_it_is_asked() {
    if let Ok(order) = env::var(ORDER) {
        // The harness may have begun a line.
        writeln!(io::stdout().lock()).unwrap();
        let arguments = env::var(ARGUMENTS).unwrap();
        carry_out(&order, &arguments.split('\n').collect::<Vec<_>>());
        process::exit(0);
    }
    let mut child = spawn("ping", &[]);
    assert_eq!(answers(&mut child).collect::<Vec<_>>(), ["pong"]);
    assert!(child.wait().unwrap().success());
}
