//! What a second process of this test binary can be asked to do.

use std::os::unix::process::CommandExt as _;
use std::process::Child;

use piton_store::testing::worker;
pub(crate) use piton_store::testing::worker::{answers, print_line, spawn};

/// What a child can be asked to do.
fn carry_out(order: &str, arguments: &[&str]) {
    match order {
        "scan" => crate::scan::report(arguments),
        "put-many" => crate::processes::put_many(arguments),
        "work-for-ever" => crate::processes::work_for_ever(arguments),
        "read" => crate::processes::read(arguments),
        "regenerate" => crate::processes::regenerate(arguments),
        other => panic!("no worker knows how to {other}"),
    }
}

/// Starts a process as a user who may read only what everybody may. The superuser can become one.
pub(crate) fn spawn_as_nobody(order: &str, arguments: &[&str]) -> Child {
    let mut command = worker::command(order, arguments);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.spawn().unwrap()
}

#[test]
fn answers_what_it_is_asked() {
    worker::serve(carry_out);
}
