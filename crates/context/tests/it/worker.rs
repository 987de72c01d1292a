//! Second processes: this test binary runs itself again to do one thing.

use std::{
    env,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::process::CommandExt as _,
    process::{self, Child, Command, Stdio},
};

const ORDER: &str = "PITON_WORKER";
const ARGUMENTS: &str = "PITON_WORKER_ARGUMENTS";
const MARK: &str = "worker says: ";

/// What a child can be asked to do.
fn carry_out(order: &str, arguments: &[&str]) {
    match order {
        "ping" => say("pong"),
        "scan" => crate::scan::report(arguments),
        "put-many" => crate::processes::put_many(arguments),
        "work-for-ever" => crate::processes::work_for_ever(arguments),
        "read" => crate::processes::read(arguments),
        "regenerate" => crate::processes::regenerate(arguments),
        other => panic!("no worker knows how to {other}"),
    }
}

/// Starts a process that carries out `order`, and answers with [`say`].
pub(crate) fn spawn(order: &str, arguments: &[&str]) -> Child {
    command(order, arguments).spawn().unwrap()
}

/// The same as a user who may read only what everybody may. The superuser can become one.
pub(crate) fn spawn_as_nobody(order: &str, arguments: &[&str]) -> Child {
    let mut command = command(order, arguments);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.spawn().unwrap()
}

fn command(order: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args(["--exact", "worker::answers_what_it_is_asked", "--nocapture"])
        .env(ORDER, order)
        .env(ARGUMENTS, arguments.join("\n"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
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
