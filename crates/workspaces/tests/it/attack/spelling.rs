//! A: spellings of paths.

use piton_core::Code;
use serde_json::json;

use super::case::{Case, Expect, Has, case, refused, run};

const BAD: Expect = Expect::Code(Code::WorkspaceBadPath);
const NONE: Expect = Expect::Code(Code::WorkspaceUnmapped);
const ABSENT: Expect = Expect::Code(Code::WorkspaceNotFound);

fn read(id: &'static str, path: &str, expect: Expect) -> Case {
    case(id, "read", json!({ "path": path }), expect)
}

// shows: WS-005, WS-010, WS-014
#[tokio::test]
async fn no_spelling_of_a_path_leaves_its_workspace() {
    let long_name = "x".repeat(5_000);
    let deep = "/a".repeat(10_000);
    let write = |id, path: &str, expect| {
        case(id, "write", json!({ "path": path, "content": "new" }), expect)
    };
    let cases = [
        read("A1", "/home/../etc/passwd", BAD),
        read("A2", "/home/src/../a.txt", BAD),
        read("A3", "/home/src/./../../O/secret.txt", BAD),
        write("A4", "/home/src/inbox/../../a.txt", BAD),
        read("A5", "../../O/secret.txt", BAD),
        read("A5b", "home/a.txt", BAD),
        read("A5c", "", BAD),
        read("A7", "/home//a.txt", Has("alpha")),
        read("A7b", "/home/./a.txt", Has("alpha")),
        read("A7c", "/home/a.txt/", Has("alpha")),
        read("A8", "//home/a.txt", Has("alpha")),
        read("A8b", "///home///a.txt", Has("alpha")),
        // It is judged, changed and shown as the plain path.
        write("A8c", "//home//src/./new/.//a.txt", Has("created /home/src/new/a.txt")),
        write("A8d", "//home/./src//.git/config", refused(Code::WorkspaceProtected)),
        write("A8e", "/home//./a.txt", refused(Code::WorkspaceScope)),
        read("A9", "/", NONE),
        read("A10", "/homeX/a.txt", NONE),
        read("A10b", "/hom/a.txt", NONE),
        read("A11", "/HOME/a.txt", NONE),
        read("A11b", "/Home/Src/m.rs", NONE),
        read("A12", "/home/%2e%2e/x", ABSENT),
        read("A13", "/home/%252e%252e/x", ABSENT),
        read("A15", "/home/\u{ff0e}\u{ff0e}/x", ABSENT),
        read("A16", "/home\u{ff0f}a.txt", NONE),
        read("A16b", "/home/sub\u{2044}b.txt", ABSENT),
        read("A16c", "/home/sub\u{2215}b.txt", ABSENT),
        read("A17", "/home/cafe\u{301}", ABSENT),
        read("A19", "/home/a.txt\0.png", BAD),
        write("A20", "/home/src/x\nERROR: ok", BAD),
        write("A20b", "/home/src/x\r", BAD),
        write("A20c", "/home/src/x\ty", BAD),
        write("A20d", "/home/src/x\u{1b}[2J", BAD),
        write("A20e", "/home/src/x\u{202e}txt.exe", BAD),
        write("A20f", "/home/src/x\u{2028}y", BAD),
        write("A20g", "/home/src/x\u{7f}", BAD),
        read("A22", "C:\\Windows\\x", BAD),
        read("A22b", "C:/x", BAD),
        read("A22c", "C:x", BAD),
        read("A22d", "/home/C:/x", ABSENT),
        read("A23", "\\\\host\\share", BAD),
        read("A23b", "//?/C:/x", NONE),
        read("A23c", "\\\\.\\pipe\\x", BAD),
        read("A24", "/home/sub\\b.txt", BAD),
        read("A25", "/home/a.txt.", ABSENT),
        read("A25b", "/home/a.txt ", ABSENT),
        read("A25c", "/home ", NONE),
        read("A25d", "/home\"", NONE),
        read("A26", "\"/home/a.txt\"", BAD),
        read("A26b", "'/home/a.txt'", BAD),
        read("A27", "~/x", BAD),
        read("A27b", "/home/~root/x", ABSENT),
        read("A28", "/home/$HOME/x", ABSENT),
        read("A28b", "/home/${IFS}/`id`", ABSENT),
        read("A29", "file:///etc/passwd", BAD),
        read("A29b", "file://home/a.txt", BAD),
        write("A31", "/home/src/a..b.txt", Has("created")),
        write("A31b", "/home/src/..hidden", Has("created")),
        write("A31c", "/home/src/...", Has("created")),
        write("A31d", "/home/src/....//x", Has("created /home/src/..../x")),
        read("A32", &format!("/home/{long_name}"), BAD),
        read("A32b", &format!("/home/{}", "y/".repeat(35_000)), BAD),
        read("A32c", &format!("/home{deep}"), BAD),
        read("A32d", &format!("/home{}", "/a".repeat(70)), BAD),
        read("A33", "/proc/self/environ", NONE),
        read("A33b", "/etc/passwd", NONE),
        read("A36", "/home/src/.piton-0000000000000000.tmp", BAD),
    ];
    run(&cases, |_| {}).await;
}

#[tokio::test]
async fn a_refused_path_is_shown_short_and_on_one_line() {
    let world = crate::world::World::new().await;
    let path = format!("/home/\n\u{1b}{}", "z".repeat(5_000));
    let reply = world.call("read", json!({ "path": path })).await;
    assert!(reply.text.len() < 600 && !reply.text.contains(['\n', '\u{1b}']), "{}", reply.text);
}

#[tokio::test]
async fn names_in_two_forms_of_unicode_are_two_names() {
    let (one, other) = ("/home/src/caf\u{e9}", "/home/src/cafe\u{301}");
    let world = crate::world::World::new().await;
    for (path, content) in [(one, "composed\n"), (other, "apart\n")] {
        let reply = world.call("write", json!({ "path": path, "content": content })).await;
        assert!(reply.text.starts_with("created"), "A17: {}", reply.text);
    }
    for (path, content) in [(one, "composed\n"), (other, "apart\n")] {
        let reply = world.call("read", json!({ "path": path })).await;
        assert!(reply.text.ends_with(content), "A17: {}", reply.text);
    }
}

// A name that merely looks like a Mount's own, beside it.
#[tokio::test]
async fn a_sibling_whose_name_begins_like_a_mounts_is_out_of_reach() {
    let cases: Vec<Case> = ["/home/srcEvil/x.txt", "/home/src\"/x.txt", "/home/src /x.txt"]
        .into_iter()
        .flat_map(|path| {
            ["read", "ls", "stat"].map(|tool| {
                case("A25e", tool, json!({ "path": path }), refused(Code::WorkspaceNotFound))
            })
        })
        .collect();
    run(&cases, |world| {
        for name in ["src\"", "src "] {
            std::fs::create_dir(world.at(name)).unwrap();
            std::fs::write(world.at(name).join("x.txt"), "CANARY-SIB").unwrap();
        }
    })
    .await;
}
