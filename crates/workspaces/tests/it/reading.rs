//! What `read`, `ls` and `stat` tell.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::world::World;

async fn told(world: &World, arguments: Value) -> String {
    world.call("read", arguments).await.text
}

// shows: WS-032
#[tokio::test]
async fn a_window_says_which_lines_it_has_and_how_to_go_on() {
    let world = World::new().await;
    let mut text = String::new();
    for line in 1..=5_000 {
        writeln!(text, "line {line}").unwrap();
    }
    fs::write(world.at("src/long.txt"), text).unwrap();
    fs::write(world.at("src/empty"), "").unwrap();
    fs::write(world.at("src/unended"), "a\r\nb").unwrap();
    let reply = told(&world, json!({ "path": "/home/src/long.txt" })).await;
    let mut lines = reply.lines();
    let header = lines.next().unwrap();
    assert!(header.starts_with("[/home/src/long.txt lines 1-2000 of 5000, version "), "{header}");
    assert!(header.ends_with("; continue with offset=2001]"), "{header}");
    assert_eq!((lines.next(), lines.count()), (Some("line 1"), 1_999));
    let mut page = String::new();
    for arguments in [
        json!({ "path": "/home/src/long.txt", "offset": 4_999, "limit": 1 }),
        json!({ "path": "/home/src/long.txt", "offset": 4_999, "numbers": true }),
        json!({ "path": "/home/src/long.txt", "offset": 5_001 }),
        json!({ "path": "/home/src/empty" }),
        json!({ "path": "/home/src/empty", "offset": 2 }),
        json!({ "path": "/home/src/unended" }),
        json!({ "file_path": "/home/a.txt" }),
    ] {
        page.push_str(&told(&world, arguments).await);
        page.push_str("---\n");
    }
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn a_large_file_is_read_without_holding_it() {
    let world = World::new().await;
    // 1 GiB: a line of text, a gap, and nothing in memory but the window.
    let file = fs::File::create(world.at("src/big")).unwrap();
    file.set_len(1 << 30).unwrap();
    fs::write(world.at("src/lines"), "0123456789\n".repeat(2_000_000)).unwrap();
    let reply = told(&world, json!({ "path": "/home/src/lines", "offset": 1_999_999 })).await;
    assert_eq!(
        reply,
        "[/home/src/lines lines 1999999-2000000 of 2000000]\n0123456789\n0123456789\n"
    );
    let reply = world.call("read", json!({ "path": "/home/src/big" })).await;
    assert!(reply.text.contains("binary data of 1073741824 bytes"), "{}", reply.text);
}

#[tokio::test]
async fn a_listing_tells_kinds_and_sizes_and_counts_what_it_leaves_out() {
    let world = World::new().await;
    fs::create_dir(world.at("src/many")).unwrap();
    for number in 0..2_100 {
        fs::write(world.at(&format!("src/many/{number:04}")), "x").unwrap();
    }
    let reply = world.call("ls", json!({ "path": "/home/src/many" })).await.text;
    assert!(reply.starts_with("0000\t1\n0001\t1\n"), "{reply:.100}");
    assert!(reply.ends_with("1999\t1\n[100 more entries; find them with glob]\n"));
    fs::write(world.at("src/bad\nname"), "x").unwrap();
    let reply = world.call("ls", json!({ "path": "/home/src" })).await.text;
    let expected = "dup.txt\t4\ninbox/\twrite-only Workspace\nm.rs\t13\nmany/\n[1 more with names that cannot be used here]\n";
    assert_eq!(reply, expected);
    fs::create_dir(world.at("src/void")).unwrap();
    let reply = world.call("ls", json!({ "path": "/home/src/void" })).await.text;
    assert_eq!(reply, "[/home/src/void is empty]\n");
    let reply = world.call("stat", json!({ "path": "/home/a.txt" })).await.text;
    assert!(reply.starts_with("/home/a.txt: file, 11 bytes, version "), "{reply}");
    assert!(reply.ends_with(" UTC, in /home (read-only)\n"), "{reply}");
}

#[tokio::test]
async fn numbered_lines_that_do_not_fit_are_not_claimed() {
    let world = World::new().await;
    fs::write(world.at("src/blank.txt"), "\n".repeat(30_000)).unwrap();
    let arguments = json!({ "path": "/home/src/blank.txt", "limit": 30_000, "numbers": true });
    let reply = told(&world, arguments).await;
    let (header, lines) = reply.split_once('\n').unwrap();
    let shown = lines.lines().count();
    assert!(shown < 30_000, "{shown}");
    assert!(header.contains(&format!(" lines 1-{shown} of 30000, ")), "{header}");
    assert!(header.ends_with(&format!("; continue with offset={}]", shown + 1)), "{header}");
}
