//! G: content.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use piton_core::Code;
use serde_json::json;

use super::case::{Expect, Has, case, refused, run};
use crate::world::World;

const NOT_TEXT: Expect = Expect::Code(Code::WorkspaceNotText);

// shows in part: WS-032 (binary and other encodings), WS-033 (bytes are kept)
#[tokio::test]
async fn what_is_not_text_is_told_by_size_and_never_rewritten() {
    let edit = |path: &str| json!({ "path": path, "old_string": "caf", "new_string": "tea" });
    let cases = [
        case("G1", "read", json!({ "path": "/home/src/latin1.txt" }), NOT_TEXT),
        case("G2", "edit", edit("/home/src/latin1.txt"), NOT_TEXT),
        case("G1b", "read", json!({ "path": "/home/src/binary" }), NOT_TEXT),
        case("G2b", "edit", edit("/home/src/binary"), refused(Code::WorkspaceNoMatch)),
        case("G1c", "read", json!({ "path": "/home/src/late" }), NOT_TEXT),
        case("F10", "grep", json!({ "path": "/home/src", "pattern": "caf" }), Has("binary file")),
        case(
            "G7",
            "copy",
            json!({ "from": "/home/src/latin1.txt", "to": "/mem/l" }),
            Has("copied"),
        ),
    ];
    run(&cases, |world| {
        fs::write(world.at("src/latin1.txt"), b"caf\xe9\n").unwrap();
        fs::write(world.at("src/binary"), b"cat\0\x01\x02").unwrap();
        let mut late = b"plain\n".repeat(10_000);
        late.extend_from_slice(b"\xff\n");
        fs::write(world.at("src/late"), late).unwrap();
    })
    .await;
}

// shows in part: WS-032 (huge files)
#[tokio::test]
async fn a_huge_file_is_read_by_windows_and_never_edited() {
    let world = World::new().await;
    let mut file = fs::File::create(world.at("src/huge")).unwrap();
    file.write_all(&b"first\nsecond\n".repeat(1_000)).unwrap();
    file.set_len(10 << 30).unwrap();
    let reply = world.call("read", json!({ "path": "/home/src/huge", "limit": 2 })).await;
    let told = "[/home/src/huge lines 1-2 of a file of 10737418240 bytes; continue with offset=3]\nfirst\nsecond\n";
    assert_eq!(reply.text, told);
    for (tool, arguments) in [
        ("edit", json!({ "path": "/home/src/huge", "old_string": "first", "new_string": "x" })),
        ("copy", json!({ "from": "/home/src/huge", "to": "/mem/x" })),
        ("write", json!({ "path": "/home/src/huge", "content": "x", "append": true })),
    ] {
        let reply = world.call(tool, arguments).await;
        assert_eq!(reply.error.unwrap().code(), Code::WorkspaceTooLarge, "{tool}");
    }
    let stat = world.call("stat", json!({ "path": "/home/src/huge" })).await;
    assert!(stat.text.contains("10737418240 bytes") && !stat.text.contains("version"));
    // Nothing but zero bytes after the first lines: a file that is not text is searched no further.
    let found = world.call("grep", json!({ "path": "/home/src/huge", "pattern": "second" })).await;
    assert!(found.text.contains("binary") || found.text.contains("too long"), "{}", found.text);
}

#[tokio::test]
async fn content_that_is_too_large_is_refused_before_anything_is_written() {
    let world = World::new().await;
    let content = "x".repeat((64 << 20) + 1);
    let reply = world.call("write", json!({ "path": "/home/src/x", "content": content })).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceTooLarge);
}

#[tokio::test]
async fn a_long_line_is_cut_and_says_how_much_is_left_out() {
    let world = World::new().await;
    fs::write(world.at("src/long"), format!("{}\nnext\n", "ä".repeat(300_000))).unwrap();
    let reply = world.call("read", json!({ "path": "/home/src/long" })).await;
    assert!(reply.text.contains("… [596000 more bytes in this line]\nnext\n"));
    assert!(reply.text.len() < 5_000);
    let found = world.call("grep", json!({ "path": "/home/src/long", "pattern": "ä+" })).await;
    assert!(found.text.contains("long:1:") && found.text.len() < 2_000, "{}", found.text.len());
}

#[tokio::test]
async fn a_line_that_no_search_can_hold_is_counted_and_the_other_files_are_searched() {
    let world = World::new().await;
    fs::write(world.at("src/one-line"), "a".repeat(40 << 20)).unwrap();
    fs::write(world.at("src/short"), "abc\n").unwrap();
    let found = world.call("grep", json!({ "path": "/home/src", "pattern": "b" })).await.text;
    let expected = "/home/src/short:1:abc\n[1 files with lines too long to search]\n";
    assert!(found.starts_with(expected), "F11: {found:.300}");
}

#[tokio::test]
async fn whatever_a_file_holds_a_reply_stays_within_its_bound() {
    let world = World::new().await;
    let line = format!("{}\n", "€".repeat(1_999));
    fs::write(world.at("src/wide"), line.repeat(100)).unwrap();
    for numbers in [false, true] {
        let arguments = json!({ "path": "/home/src/wide", "numbers": numbers });
        let reply = world.call("read", arguments).await;
        assert!(reply.text.len() <= 80_000, "{}", reply.text.len());
        assert!(reply.text.starts_with("[/home/src/wide lines 1-"), "{:.80}", reply.text);
        assert!(reply.text.contains("continue with offset="), "{:.80}", reply.text);
        let header = reply.text.lines().next().unwrap();
        let last = reply.text.lines().count() - 1;
        assert!(header.contains(&format!("lines 1-{last} of 100")), "{header}: {last}");
    }
    let found =
        world.call("grep", json!({ "path": "/home/src", "pattern": "€", "limit": 2000 })).await;
    assert!(found.text.len() <= 80_000, "{}", found.text.len());
    assert!(found.text.contains("more matching lines"), "{:.200}", found.text);
}

// shows in part: WS-032 (a file that grows while it is read)
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_grows_all_the_time_is_answered_all_the_same() {
    /// Where the file stops to grow: it is in memory.
    const BYTES_MAX: usize = 4 << 20;
    let world = World::new().await;
    let path = world.at("src/grows.log");
    fs::write(&path, "line\n").unwrap();
    let before = world.look().await;
    let (some, is_over) = ("line\n".repeat(100), AtomicBool::new(false));
    let replies = thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            for _ in 0..BYTES_MAX / some.len() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                file.write_all(some.as_bytes()).unwrap();
            }
        });
        let replies = tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(asked_about(&world, "/home/src/grows.log"))
        });
        is_over.store(true, Ordering::Relaxed);
        replies
    });
    world.still_holds(&before, "a file that grows").await;
    for reply in replies {
        assert!(reply.len() <= 80_000, "{reply:.200}");
    }
}

/// What every tool that reads says of a file.
async fn asked_about(world: &World, path: &str) -> Vec<String> {
    let mut replies = Vec::new();
    for (tool, arguments) in [
        ("read", json!({ "path": path })),
        ("read", json!({ "path": path, "offset": 1_000 })),
        ("stat", json!({ "path": path })),
        ("grep", json!({ "path": path, "pattern": "line" })),
        ("edit", json!({ "path": path, "old_string": "absent", "new_string": "x" })),
        ("copy", json!({ "from": path, "to": "/mem/copy" })),
    ] {
        replies.push(world.amid(tool, arguments).await.text);
    }
    replies
}

#[tokio::test]
async fn a_line_that_is_found_is_shown_without_what_would_move_a_cursor_or_turn_text_around() {
    let line = "key\u{1b}[2J\u{1b}]0;x\u{7} \u{202e}txet\tend\u{85}\rmore";
    let shown = "1:key\\u{1b}[2J\\u{1b}]0;x\\u{7} \\u{202e}txet\tend\\u{85}\\rmore\n";
    let cases =
        [case("G9", "grep", json!({ "path": "/home/src/odd.txt", "pattern": "key" }), Has(shown))];
    run(&cases, |world| fs::write(world.at("src/odd.txt"), format!("{line}\r\n")).unwrap()).await;
}

#[tokio::test]
async fn a_search_that_does_not_see_everything_names_the_bound() {
    let world = World::new().await;
    let mut deep = world.at("src/deep");
    deep.extend(std::iter::repeat_n("d", 70));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("needle.txt"), "needle\n").unwrap();
    let crowded = world.at("src/crowded");
    fs::create_dir(&crowded).unwrap();
    fs::write(crowded.join("first"), "").unwrap();
    for number in 0..100_000 {
        fs::hard_link(crowded.join("first"), crowded.join(number.to_string())).unwrap();
    }
    fs::write(world.at("src/needle\u{1b}.txt"), "needle\n").unwrap();
    let files = world.unguarded();
    for (tool, arguments, nothing) in [
        ("glob", json!({ "path": "/home/src", "pattern": "**/needle.txt" }), "files"),
        ("grep", json!({ "path": "/home/src", "pattern": "needle" }), "lines"),
    ] {
        let text = files.call(tool, arguments).await.text;
        assert!(text.starts_with(&format!("[no {nothing} match in what was searched]")), "{text}");
        assert!(
            text.contains("[1 directories with more than 100000 entries not searched"),
            "{text}"
        );
        assert!(
            text.contains(
                "[1 files or directories not searched, because they lie more than 64 names deep]"
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "[1 files or directories not searched, because their names cannot be used here]"
            ),
            "{text}"
        );
        assert!(!text.contains("could not be read"), "{text}");
    }
}
