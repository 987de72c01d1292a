//! Weaknesses that the reference file server for the Model Context Protocol has in its version
//! 2026.8.31, each as something that must not happen here.

use std::fs;
use std::os::unix::fs::symlink;

use piton_core::Code;
use piton_workspaces::Error;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn an_edit_changes_no_line_ends_and_never_the_first_of_several_places() {
    let world = World::new().await;
    let host = world.at("src/crlf.txt");
    fs::write(&host, "a\r\nb\r\nb\r\n").unwrap();
    let edit = |old: &str, new: &str| json!({ "path": "/home/src/crlf.txt", "old_string": old, "new_string": new });
    let reply = world.call("edit", edit("b", "x")).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceAmbiguous);
    world.call("edit", edit("a\nb", "c\nd")).await;
    assert_eq!(fs::read_to_string(&host).unwrap(), "c\r\nd\r\nb\r\n");
    let reply = world.call("edit", edit("", "front")).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceBadArgument);
}

#[tokio::test]
async fn an_edit_never_rewrites_bytes_that_are_not_text() {
    let world = World::new().await;
    let host = world.at("src/latin1.txt");
    fs::write(&host, b"caf\xe9 old\n").unwrap();
    let arguments =
        json!({ "path": "/home/src/latin1.txt", "old_string": "old", "new_string": "new" });
    assert!(world.call("edit", arguments).await.is_error());
    assert_eq!(fs::read(&host).unwrap(), b"caf\xe9 old\n");
}

#[tokio::test]
async fn reading_a_pipe_answers_at_once_also_a_thousand_times() {
    let world = World::new().await;
    let mode = Mode::from_raw_mode(0o666);
    rustix::fs::mknodat(CWD, world.at("src/pipe"), FileType::Fifo, mode, 0).unwrap();
    let before = world.look().await;
    let reads = (0..1_000).map(|_| {
        let files = world.unguarded().clone();
        tokio::spawn(async move { files.call("read", json!({ "path": "/home/src/pipe" })).await })
    });
    for read in reads.collect::<Vec<_>>() {
        let reply = read.await.unwrap();
        assert_eq!(reply.error.unwrap().code(), Code::WorkspaceNotRegular);
        world.nothing_leaks("read", &reply.text);
    }
    world.nothing_changed(&before, "a thousand pipes").await;
}

#[tokio::test]
async fn a_large_read_stays_below_what_clients_take_and_is_sent_once() {
    let world = World::new().await;
    fs::write(world.at("src/ten.txt"), "0123456789abcde\n".repeat(655_360)).unwrap();
    let reply = world.call("read", json!({ "path": "/home/src/ten.txt" })).await;
    assert!(!reply.is_error() && reply.text.len() <= 80_000, "{}", reply.text.len());
}

#[tokio::test]
async fn a_listing_shows_no_size_of_what_a_link_leads_to() {
    let world = World::new().await;
    fs::write(world.outside.join("large"), "x".repeat(12_345)).unwrap();
    symlink(world.outside.join("large"), world.at("src/link")).unwrap();
    let reply = world.call("ls", json!({ "path": "/home/src" })).await;
    assert!(reply.text.contains("link\tlink\n") && !reply.text.contains("12345"), "{}", reply.text);
}

#[tokio::test]
async fn the_longest_path_that_is_sent_is_not_sent_back() {
    let world = World::new().await;
    let path = format!("/home/{}", "n".repeat(5_000));
    let reply = world.call("read", json!({ "path": path })).await;
    assert!(reply.text.len() < 500, "{}", reply.text.len());
}

#[tokio::test]
async fn ten_thousand_denied_calls_ask_no_store() {
    let world = World::new().await;
    let before = world.look().await;
    for _ in 0..10_000 {
        let reply = world.amid("write", json!({ "path": "/home/a.txt", "content": "x" })).await;
        assert!(matches!(reply.error, Some(Error::Scope { .. })), "{}", reply.text);
    }
    world.still_holds(&before, "ten thousand writes").await;
}
