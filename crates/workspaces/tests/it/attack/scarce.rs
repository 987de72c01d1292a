//! What runs out, and what the operating system refuses.

use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::{env, fs};

use piton_core::Code;
use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::world::World;

/// Says to a child that it is one.
const CHILD: &str = "PITON_WORKSPACES_SCARCE";

/// A user who owns nothing.
const NOBODY: u32 = 65_534;

/// This test program, to run one test in a process of its own.
fn child(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test]).env(CHILD, "1");
    command
}

/// That the test of a child passed, and was run.
#[track_caller]
fn passes(child: &mut Command) {
    let told = String::from_utf8(child.output().unwrap().stdout).unwrap();
    assert!(told.contains("1 passed; 0 failed"), "{told}");
}

/// Every operation, at places that exist.
fn operations() -> [(&'static str, Value); 10] {
    let path = "/home/src/m.rs";
    [
        ("read", json!({ "path": path })),
        ("ls", json!({ "path": "/home/src" })),
        ("stat", json!({ "path": path })),
        ("glob", json!({ "pattern": "*", "path": "/home/src" })),
        ("grep", json!({ "pattern": "main", "path": "/home/src" })),
        ("write", json!({ "path": "/home/src/new.txt", "content": "x" })),
        ("edit", json!({ "path": path, "old_string": "main", "new_string": "start" })),
        ("copy", json!({ "from": path, "to": "/home/src/copied.rs" })),
        ("move", json!({ "from": path, "to": "/home/src/moved.rs" })),
        ("delete", json!({ "path": "/home/src/dup.txt" })),
    ]
}

#[tokio::test]
async fn without_descriptors_every_call_is_refused_and_the_next_one_works() {
    if env::var_os(CHILD).is_none() {
        // The limit is one of the whole process.
        let test =
            "attack::scarce::without_descriptors_every_call_is_refused_and_the_next_one_works";
        return passes(&mut child(test));
    }
    let world = World::new().await;
    let (before, limit) = (world.look().await, getrlimit(Resource::Nofile));
    // The number that the next descriptor would get.
    let next = u64::try_from(fs::File::open("/dev/null").unwrap().as_raw_fd()).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(next), ..limit }).unwrap();
    let mut told = Vec::new();
    for (tool, arguments) in operations() {
        // To look at the world takes descriptors, too.
        told.push((tool, world.amid(tool, arguments).await));
    }
    setrlimit(Resource::Nofile, limit).unwrap();
    world.nothing_changed(&before, "without descriptors").await;
    for (tool, reply) in told {
        let code = reply.error.map(|error| error.code());
        assert_eq!(code, Some(Code::WorkspaceBusy), "I4c: {tool}: {}", reply.text);
    }
    for (tool, arguments) in operations() {
        let reply = world.call(tool, arguments).await;
        assert!(!reply.is_error(), "I4c: {tool}: {}", reply.text);
    }
}

// shows in part: WS-014 (what the operating system refuses)
#[tokio::test]
async fn what_the_operating_system_refuses_is_told_without_a_path_of_the_machine() {
    if geteuid().is_root() {
        // Nothing is refused to this one.
        let test = "attack::scarce::what_the_operating_system_refuses_is_told_without_a_path_of_the_machine";
        return passes(child(test).uid(NOBODY).gid(NOBODY));
    }
    let world = World::new().await;
    fs::write(world.at("src/closed.txt"), "x").unwrap();
    fs::create_dir(world.at("src/closed")).unwrap();
    let closed = |mode| {
        for name in ["src/closed.txt", "src/closed"] {
            fs::set_permissions(world.at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    closed(0o000);
    for (tool, arguments) in [
        ("read", json!({ "path": "/home/src/closed.txt" })),
        ("edit", json!({ "path": "/home/src/closed.txt", "old_string": "x", "new_string": "y" })),
        ("ls", json!({ "path": "/home/src/closed" })),
        ("write", json!({ "path": "/home/src/closed/x", "content": "x" })),
        ("copy", json!({ "from": "/home/src/closed.txt", "to": "/mem/x" })),
        ("move", json!({ "from": "/home/src/m.rs", "to": "/home/src/closed/m.rs" })),
    ] {
        let reply = world.call(tool, arguments).await;
        let code = reply.error.map(|error| error.code());
        assert_eq!(code, Some(Code::WorkspacePermission), "B24: {tool}: {}", reply.text);
    }
    let found = world.call("grep", json!({ "path": "/home/src", "pattern": "main|x" })).await;
    assert!(found.text.contains("m.rs:1:"), "F17: {}", found.text);
    assert!(found.text.contains("[2 files or directories could not be read]"), "{}", found.text);
    closed(0o700);
    assert_eq!(fs::read_to_string(world.at("src/closed.txt")).unwrap(), "x");
}
