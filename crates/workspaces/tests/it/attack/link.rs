//! B: links, hard links, special files.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;

use piton_core::Code;
use piton_workspaces::physical::PhysicalOptions;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;

use super::case::{Case, Expect, Has, Lacks, OneOf, case, refused, run};
use crate::guarded::{Guarded, in_directory};
use crate::world::{World, quick_directory};

const LINK: Expect = Expect::Code(Code::WorkspaceLink);

/// Every way to get at a path that leads through a link.
fn every_way(id: &'static str, path: &str) -> Vec<Case> {
    let below = format!("{path}/x/y/new.txt");
    vec![
        case(id, "read", json!({ "path": path }), LINK),
        case(id, "stat", json!({ "path": path }), LINK),
        case(id, "write", json!({ "path": path, "content": "new" }), LINK),
        case(id, "write", json!({ "path": path, "content": "new", "append": true }), LINK),
        case(id, "edit", json!({ "path": path, "old_string": "a", "new_string": "b" }), LINK),
        case(id, "copy", json!({ "from": path, "to": "/mem/x" }), LINK),
        case(id, "copy", json!({ "from": "/home/a.txt", "to": path }), OneOf(LINK_OR_THERE)),
        case(id, "move", json!({ "from": path, "to": "/home/src/x" }), LINK),
        case(id, "move", json!({ "from": path, "to": "/mem/x" }), LINK),
        case(id, "move", json!({ "from": "/home/src/m.rs", "to": path }), OneOf(LINK_OR_THERE)),
        case(id, "delete", json!({ "path": path, "recursive": true }), LINK),
        case(id, "ls", json!({ "path": path }), OneOf(LINK_OR_THERE)),
        case(id, "grep", json!({ "path": path, "pattern": "CANARY" }), LINK),
        case(id, "write", json!({ "path": below, "content": "new" }), LINK),
        case(id, "mkdir", json!({ "path": below }), LINK),
        case(id, "move", json!({ "from": "/home/src/m.rs", "to": below }), LINK),
    ]
}

const LINK_OR_THERE: &[Code] = &[Code::WorkspaceLink, Code::WorkspaceExists];

// shows: WS-014
// shows in part: WS-012 (refused in every position)
#[tokio::test]
async fn a_link_is_refused_in_every_position_by_every_operation() {
    let mut cases = Vec::new();
    for (id, name) in [
        ("B1", "leaf"),
        ("B2", "directory"),
        ("B6", "relative"),
        ("B7", "dangling"),
        ("B9", "self"),
        ("B10", "inside"),
        ("B12", "to-inbox"),
        ("B16", "magic-root"),
        ("B16b", "magic-fd"),
        ("B16c", "magic-cwd"),
    ] {
        cases.extend(every_way(id, &format!("/home/src/{name}")));
    }
    for name in ["directory/secret.txt", "relative/secret.txt", "magic-root/etc/passwd"] {
        cases.push(case("B3", "read", json!({ "path": format!("/home/src/{name}") }), LINK));
    }
    run(&cases, |world| {
        let src = |name: &str| world.at("src").join(name);
        symlink(world.outside.join("secret.txt"), src("leaf")).unwrap();
        symlink(&world.outside, src("directory")).unwrap();
        symlink("../../O", src("relative")).unwrap();
        symlink(world.outside.join("created.txt"), src("dangling")).unwrap();
        symlink("self", src("self")).unwrap();
        symlink("m.rs", src("inside")).unwrap();
        symlink("../inbox", src("to-inbox")).unwrap();
        symlink("/proc/self/root", src("magic-root")).unwrap();
        symlink("/proc/self/fd/0", src("magic-fd")).unwrap();
        symlink("/proc/self/cwd", src("magic-cwd")).unwrap();
    })
    .await;
}

// shows: WS-015
// shows in part: WS-014 (a link shows nothing of its target)
#[tokio::test]
async fn a_walk_ends_at_links_and_tells_nothing_of_where_they_lead() {
    let cases = [
        case(
            "B9",
            "glob",
            json!({ "pattern": "**/*", "path": "/home/src", "all": true }),
            Lacks("loop/"),
        ),
        case("B9b", "grep", json!({ "pattern": "CANARY", "all": true }), Has("no lines match")),
        case("B28b", "ls", json!({ "path": "/home/src" }), Has("out\tlink")),
        case("F2", "glob", json!({ "pattern": "out/*", "path": "/home/src" }), Has("no files")),
    ];
    run(&cases, |world| {
        fs::create_dir(world.at("src/sub")).unwrap();
        symlink(".", world.at("src/sub/loop")).unwrap();
        symlink(&world.outside, world.at("src/out")).unwrap();
    })
    .await;
}

// shows: WS-012 (with a_link_is_refused_in_every_position_by_every_operation)
#[tokio::test]
async fn a_workspace_may_follow_links_that_stay_inside_it_and_no_others() {
    let hidden = refused(Code::WorkspaceHidden);
    let cases = [
        case("B10", "read", json!({ "path": "/home/src/inside" }), Has("fn main")),
        case("B10b", "read", json!({ "path": "/home/src/dir/n.txt" }), Has("nested")),
        case(
            "B10c",
            "edit",
            json!({ "path": "/home/src/inside", "old_string": "main", "new_string": "start" }),
            Has("fn start"),
        ),
        case(
            "B10d",
            "write",
            json!({ "path": "/home/src/dir/new.txt", "content": "x" }),
            Has("created"),
        ),
        case("B10e", "read", json!({ "path": "/home/src/up/n.txt" }), Has("nested")),
        case("B10f", "read", json!({ "path": "/home/src/out/secret.txt" }), LINK),
        case("B10g", "read", json!({ "path": "/home/src/leaf" }), LINK),
        case("B10h", "write", json!({ "path": "/home/src/dangling", "content": "x" }), LINK),
        case("B10i", "read", json!({ "path": "/home/src/l1" }), LINK),
        case("B10j", "read", json!({ "path": "/home/src/climb" }), LINK),
        case("B10k", "delete", json!({ "path": "/home/src/inside" }), LINK),
        case("B10l", "move", json!({ "from": "/home/src/inside", "to": "/home/src/z" }), LINK),
        case("B10m", "read", json!({ "path": "/home/src/to-env" }), hidden),
        case("B10n", "read", json!({ "path": "/home/src/dir2/old.txt" }), hidden),
        case("B10o", "copy", json!({ "from": "/home/src/to-env", "to": "/mem/x" }), hidden),
        case("B10p", "stat", json!({ "path": "/home/src/to-env" }), hidden),
        case("B10q", "write", json!({ "path": "/home/src/to-env", "content": "x" }), hidden),
        case("B10r", "ls", json!({ "path": "/home/src/dir2" }), hidden),
        case("B10s", "glob", json!({ "path": "/home/src/dir2", "pattern": "*" }), hidden),
        case("B10t", "grep", json!({ "path": "/home/src/to-env", "pattern": "KEY" }), hidden),
        case("B10u", "ls", json!({ "path": "/home/src/dir" }), Has("n.txt\t7\n")),
        case("B10v", "grep", json!({ "path": "/home/src/dir", "pattern": "nes" }), Has("n.txt:1:")),
        case("B10w", "glob", json!({ "path": "/home/src/out", "pattern": "*" }), LINK),
        case("B10x", "mkdir", json!({ "path": "/home/src/out/made" }), LINK),
        case(
            "B10y",
            "move",
            json!({ "from": "/home/src/m.rs", "to": "/home/src/dir2/m.rs" }),
            hidden,
        ),
    ];
    for (case, by_name) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let options = PhysicalOptions { links: true, by_name, ..PhysicalOptions::default() };
        let world = World::with(options, &[".env"]).await;
        let src = |name: &str| world.at("src").join(name);
        fs::create_dir_all(src("real/deep")).unwrap();
        fs::write(src("real/n.txt"), "nested\n").unwrap();
        fs::write(src(".env"), "KEY=1\n").unwrap();
        fs::create_dir(src("inbox")).unwrap();
        fs::write(src("inbox/old.txt"), "SHADOW\n").unwrap();
        symlink("m.rs", src("inside")).unwrap();
        symlink("real", src("dir")).unwrap();
        symlink("real/deep/../", src("up")).unwrap();
        symlink(&world.outside, src("out")).unwrap();
        symlink("../../O/secret.txt", src("leaf")).unwrap();
        symlink("nowhere", src("dangling")).unwrap();
        symlink("l2", src("l1")).unwrap();
        symlink("l1", src("l2")).unwrap();
        symlink("../src/m.rs", src("climb")).unwrap();
        symlink(".env", src("to-env")).unwrap();
        symlink("inbox", src("dir2")).unwrap();
        let reply = case.run(&world).await;
        let words = match case.id {
            "B10h" => "leads through a link to nowhere in this Workspace",
            "B10i" => "leads through links that go in a circle",
            _ => "",
        };
        assert!(reply.text.contains(words), "{}, by name {by_name}: {}", case.id, reply.text);
        let is_link = fs::symlink_metadata(src("inside")).unwrap().is_symlink();
        assert!(is_link, "{}, by name {by_name}: {}", case.id, reply.text);
    }
}

// shows: WS-013
#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_at_once() {
    let special = refused(Code::WorkspaceNotRegular);
    let mut cases = Vec::new();
    for name in ["pipe", "socket", "device"] {
        let path = format!("/home/src/{name}");
        for (tool, arguments) in [
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "x" })),
            ("write", json!({ "path": path, "content": "x", "append": true })),
            ("edit", json!({ "path": path, "old_string": "a", "new_string": "b" })),
            ("copy", json!({ "from": path, "to": "/mem/x" })),
            ("move", json!({ "from": path, "to": "/home/src/y" })),
            ("delete", json!({ "path": path })),
        ] {
            cases.push(case("B20", tool, arguments, special));
        }
        cases.push(case("B20b", "stat", json!({ "path": path }), Has("special")));
    }
    cases.push(case("B20c", "ls", json!({ "path": "/home/src" }), Has("pipe\tspecial")));
    cases.push(case(
        "B20d",
        "grep",
        json!({ "path": "/home/src", "pattern": "main" }),
        Has("m.rs:1:"),
    ));
    run(&cases, |world| {
        let src = |name: &str| world.at("src").join(name);
        let mode = Mode::from_raw_mode(0o666);
        rustix::fs::mknodat(CWD, src("pipe"), FileType::Fifo, mode, 0).unwrap();
        drop(UnixListener::bind(src("socket")).unwrap());
        let null = rustix::fs::makedev(1, 3);
        // Making a device takes a right that not every test run has; a second pipe will do.
        if rustix::fs::mknodat(CWD, src("device"), FileType::CharacterDevice, mode, null).is_err() {
            rustix::fs::mknodat(CWD, src("device"), FileType::Fifo, mode, 0).unwrap();
        }
        assert!(!fs::symlink_metadata(src("device")).unwrap().file_type().is_file());
        assert!(fs::symlink_metadata(src("pipe")).unwrap().file_type().is_fifo());
    })
    .await;
}

#[tokio::test]
async fn a_write_breaks_a_hard_link_instead_of_changing_the_other_file() {
    for (tool, more) in [
        ("write", json!({ "content": "new" })),
        ("write", json!({ "content": "new", "append": true })),
        ("edit", json!({ "old_string": "alpha", "new_string": "omega" })),
    ] {
        let world = World::new().await;
        fs::hard_link(world.at("home/a.txt"), world.at("src/h.txt")).unwrap();
        let mut arguments = more;
        arguments["path"] = "/home/src/h.txt".into();
        // `/home` is read-only: that its files stay as they are is checked after every call.
        let reply = world.call(tool, arguments).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
}

#[tokio::test]
async fn a_workspace_may_refuse_files_that_have_other_names_elsewhere() {
    let options = PhysicalOptions { deny_hard_links: true, ..PhysicalOptions::default() };
    for path in ["/home/src/h.txt", "/home/src/m.rs"] {
        let world = World::with(options, &[]).await;
        fs::hard_link(world.outside.join("secret.txt"), world.at("src/h.txt")).unwrap();
        let reply = world.call("read", json!({ "path": path })).await;
        assert_eq!(reply.is_error(), path.ends_with("h.txt"), "{}", reply.text);
    }
}

#[tokio::test]
async fn files_and_directories_are_not_mistaken_for_each_other() {
    let cases = [
        case("B22", "read", json!({ "path": "/home/sub" }), refused(Code::WorkspaceIsDirectory)),
        case("B22b", "ls", json!({ "path": "/home/a.txt" }), refused(Code::WorkspaceNotDirectory)),
        case(
            "B22c",
            "write",
            json!({ "path": "/home/src/dir", "content": "x" }),
            refused(Code::WorkspaceIsDirectory),
        ),
        case(
            "B22d",
            "read",
            json!({ "path": "/home/a.txt/x" }),
            refused(Code::WorkspaceNotDirectory),
        ),
        case(
            "B22e",
            "write",
            json!({ "path": "/home/src/m.rs/x", "content": "x" }),
            refused(Code::WorkspaceNotDirectory),
        ),
        case(
            "B22f",
            "mkdir",
            json!({ "path": "/home/src/m.rs" }),
            refused(Code::WorkspaceNotDirectory),
        ),
        case(
            "B22g",
            "edit",
            json!({ "path": "/home/src/dir", "old_string": "a", "new_string": "b" }),
            refused(Code::WorkspaceIsDirectory),
        ),
        case(
            "B22h",
            "delete",
            json!({ "path": "/home/src/dir" }),
            refused(Code::WorkspaceNotEmpty),
        ),
        case(
            "B22i",
            "move",
            json!({ "from": "/home/src/dir", "to": "/home/src/dir/in/self" }),
            refused(Code::WorkspaceNotDirectory),
        ),
        case(
            "B22j",
            "move",
            json!({ "from": "/home/src/m.rs", "to": "/home/src/dup.txt" }),
            refused(Code::WorkspaceExists),
        ),
        case(
            "B22k",
            "copy",
            json!({ "from": "/home/src/dir", "to": "/mem/d" }),
            refused(Code::WorkspaceBadArgument),
        ),
        case("B22l", "delete", json!({ "path": "/home/src" }), refused(Code::WorkspaceBadArgument)),
        case(
            "B22m",
            "write",
            json!({ "path": "/home/src", "content": "x" }),
            refused(Code::WorkspaceIsDirectory),
        ),
    ];
    run(&cases, |world| {
        fs::create_dir(world.at("src/dir")).unwrap();
        fs::write(world.at("src/dir/f"), "f").unwrap();
    })
    .await;
}

// shows in part: WS-011 (a Mount whose own path is a link)
#[tokio::test]
async fn a_link_that_leads_to_a_mount_is_followed_once_and_never_again() {
    let directory = quick_directory();
    let at = |name: &str| directory.path().join(name);
    for name in ["real", "other"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("f.txt"), name).unwrap();
    }
    symlink("real", at("link")).unwrap();
    let mount = in_directory("/w", "read-write", &at("link"), PhysicalOptions::default());
    let files = Guarded::new(Some(directory.path()), vec![mount]).beside_directory(&at("other"));
    fs::remove_file(at("link")).unwrap();
    symlink("other", at("link")).unwrap();
    let read = files.call("read", json!({ "path": "/w/f.txt" })).await.text;
    assert!(read.ends_with("\nreal\n"), "{read}");
    files.call("write", json!({ "path": "/w/new.txt", "content": "x" })).await;
    assert!(at("real/new.txt").exists());
}

// shows in part: WS-011 (the Mount is held, not looked up again)
#[tokio::test]
async fn a_mount_is_held_from_the_start_on_whatever_happens_to_its_path() {
    let world = World::new().await;
    fs::rename(world.at("src"), world.at("moved")).unwrap();
    symlink(&world.outside, world.at("src")).unwrap();
    let reply = world.call("read", json!({ "path": "/home/src/m.rs" })).await;
    assert!(reply.text.contains("fn main"), "{}", reply.text);
    let reply = world.call("write", json!({ "path": "/home/src/n.rs", "content": "x" })).await;
    assert!(!reply.is_error() && world.at("moved/n.rs").exists());
}
