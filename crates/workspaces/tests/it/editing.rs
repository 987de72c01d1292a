//! Replacing text, and versions.

use std::fs;

use piton_core::Code;
use piton_workspaces::{ReplaceProblem, replace};
use proptest::prelude::*;
use serde_json::json;

use crate::world::World;

#[track_caller]
fn gives(text: &str, old: &str, new: &str, all: bool, expected: &str) {
    assert_eq!(replace(text, old, new, all).unwrap().text, expected);
}

// shows: WS-033
#[test]
fn text_is_replaced_as_it_stands_and_everything_else_is_kept() {
    gives("a b c", "b", "x", false, "a x c");
    gives("a\nb", "a\nb", "c", false, "c");
    gives("x x x", "x", "y", true, "y y y");
    gives("price", "price", "$& \\1 $1", false, "$& \\1 $1");
    gives("one\r\ntwo\r\nthree", "one\ntwo", "1\n2", false, "1\r\n2\r\nthree");
    gives("one\r\ntwo\nthree\n", "two\nthree", "2\n3", false, "one\r\n2\n3\n");
    gives("one\r\ntwo\r\n", "two", "zwei", false, "one\r\nzwei\r\n");
    gives("no end", "end", "END", false, "no END");
    gives("naïve", "ï", "i", false, "naive");
    for (text, old, new, problem) in [
        ("a", "", "x", ReplaceProblem::EmptyOld),
        ("a", "a", "a", ReplaceProblem::Same),
        ("a", "b", "x", ReplaceProblem::NotFound(None)),
        ("x\n  if a {\n", "if a {", "if b {", ReplaceProblem::NotFound(None)),
        ("x\n\tif  a\n\t}\n", "  if  a\n  }", "y", ReplaceProblem::NotFound(Some(2))),
        ("x\r\n\ty\r\n\tz\r\n", " y\n z", "y", ReplaceProblem::NotFound(Some(2))),
        ("x\ny x\n", "x", "z", ReplaceProblem::Ambiguous { count: 2, lines: vec![1, 2] }),
    ] {
        if text.contains("if a {") {
            gives(text, old, new, false, "x\n  if b {\n");
            continue;
        }
        assert_eq!(replace(text, old, new, false), Err(problem), "{text:?} {old:?}");
    }
}

// shows in part: WS-033 (CR LF)
#[test]
fn line_ends_are_the_files_and_never_taken_apart() {
    gives("one();\r\ntwo();\r\n", "one();", "1();\n1();", false, "1();\r\n1();\r\ntwo();\r\n");
    gives("a\r\nb", "b", "c\nd\n", false, "a\r\nc\r\nd\r\n");
    gives("x\r\ny", "\ny", "z", false, "xz");
    gives("x\r\ny\r\n", "x\r\ny", "a\nb", false, "a\r\nb\r\n");
    // Line ends of both kinds: those that are replaced, then those of the line.
    gives("a\r\nb\nc\n", "a\nb\nc", "1\n2\n3\n4", false, "1\r\n2\n3\n4\n");
    gives("a\r\nb\nc", "b", "1\n2", false, "a\r\n1\n2\nc");
    gives("a\r\nb\nc", "a", "1\n2", false, "1\r\n2\r\nb\nc");
    let same = replace("a\r\nb\r\n", "a\r\nb", "a\nb", false);
    assert_eq!(same, Err(ReplaceProblem::SameButLineEnds));
    // A return that ends no line is text.
    gives("a\rb\r\n", "\r", "-", false, "a-b\r\n");
    assert_eq!(replace("a\r\n", "\r", "", true), Err(ReplaceProblem::NotFound(None)));
}

proptest! {
    // shows in part: WS-033 (CR LF)
    #[test]
    fn an_edit_of_a_file_with_cr_lf_is_the_edit_of_the_file_without_cr(
        plain in "[ab\n]{1,24}",
        from in 0_usize..24,
        length in 1_usize..6,
        new in "[abc\n]{0,8}",
        all: bool,
    ) {
        prop_assume!(plain.contains('\n'));
        let from = from % plain.len();
        let old = &plain[from..(from + length).min(plain.len())];
        let with_returns = plain.replace('\n', "\r\n");
        let wanted = replace(&plain, old, &new, all).map(|made| made.text.replace('\n', "\r\n"));
        let wanted = wanted.map_err(|problem| problem == ReplaceProblem::Same);
        for spelled in [old.to_owned(), old.replace('\n', "\r\n")] {
            let made = replace(&with_returns, &spelled, &new, all).map(|made| made.text);
            let made = made.map_err(|problem| {
                matches!(problem, ReplaceProblem::Same | ReplaceProblem::SameButLineEnds)
            });
            prop_assert_eq!(&made, &wanted);
        }
    }

    // shows in part: WS-033 (line ends of both kinds)
    #[test]
    fn an_edit_of_a_file_with_both_line_ends_keeps_every_byte_outside_of_it(
        lines in proptest::collection::vec(("[ab]{0,2}", any::<bool>()), 1..8),
        new in "[xy\n]{0,6}",
    ) {
        let end = |is_crlf: &bool| if *is_crlf { "\r\n" } else { "\n" };
        let body = |lines: &[(String, bool)]| {
            lines.iter().flat_map(|(line, is_crlf)| [line.as_str(), end(is_crlf)]).collect::<String>()
        };
        let (before, after) = lines.split_at(lines.len() / 2);
        let (before, after) = (body(before), body(after));
        let text = format!("{before}OLD{after}");
        let made = replace(&text, "OLD", &new, false).unwrap().text;
        let middle = made.strip_prefix(&*before).and_then(|rest| rest.strip_suffix(&*after));
        prop_assert_eq!(middle.map(|middle| middle.replace("\r\n", "\n")), Some(new));
        let has_bare = |text: &str| text.replace("\r\n", "").contains('\n');
        if text.contains("\r\n") && !has_bare(&text) {
            prop_assert!(!has_bare(&made), "{:?}", made);
        }
    }
}

// shows in part: WS-033 (what the agent reads)
#[tokio::test]
async fn an_edit_says_what_it_did_and_a_refused_one_says_what_to_do() {
    let world = World::new().await;
    fs::write(world.at("src/code.rs"), "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n")
        .unwrap();
    let mut told = String::new();
    for (old, new, all) in [
        ("one();", "uno();\n    due();", false),
        ("fn ", "pub fn ", false),
        ("fn ", "pub fn ", true),
        ("two(); ", "zwei();", false),
        ("\ttwo();", "zwei();", false),
    ] {
        let arguments = json!({ "path": "/home/src/code.rs", "old_string": old, "new_string": new, "replace_all": all });
        told.push_str(&world.call("edit", arguments).await.text);
        told.push_str("\n---\n");
    }
    insta::assert_snapshot!(told);
}

#[tokio::test]
async fn an_edit_that_would_fill_the_memory_is_refused_before_anything_is_made() {
    let world = World::new().await;
    fs::write(world.at("src/many"), "x".repeat(4 << 20)).unwrap();
    let long = "y".repeat(4 << 20);
    let edit = json!({ "path": "/home/src/many", "old_string": "x", "new_string": long, "replace_all": true });
    let reply = world.call("edit", edit).await;
    assert_eq!(reply.error.unwrap().code(), Code::WorkspaceTooLarge, "{}", reply.text);
}

fn version_in(text: &str) -> String {
    let at = text.find("version ").unwrap() + "version ".len();
    text[at..at + 16].to_owned()
}

// shows: WS-034
#[tokio::test]
async fn a_change_since_the_version_that_is_named_is_a_conflict_and_nothing_is_overwritten() {
    for prefix in ["/home/src", "/mem"] {
        let world = World::new().await;
        let path = format!("{prefix}/shared.txt");
        let made = world.call("write", json!({ "path": path, "content": "one\n" })).await;
        let read = world.call("read", json!({ "path": path })).await;
        let version = version_in(&read.text);
        assert_eq!(version, version_in(&made.text));
        // Another agent makes a change of the same size.
        world.call("write", json!({ "path": path, "content": "two\n" })).await;
        for (tool, arguments) in [
            (
                "edit",
                json!({ "path": path, "old_string": "two", "new_string": "x", "version": version }),
            ),
            ("write", json!({ "path": path, "content": "x", "version": version })),
        ] {
            let reply = world.call(tool, arguments).await;
            assert_eq!(reply.error.unwrap().code(), Code::WorkspaceConflict);
        }
        let read = world.call("read", json!({ "path": path })).await;
        assert!(read.text.ends_with("\ntwo\n"), "{}", read.text);
        let version = version_in(&read.text);
        let edit =
            json!({ "path": path, "old_string": "two", "new_string": "2", "version": version });
        assert!(!world.call("edit", edit).await.is_error());
        world.call("delete", json!({ "path": path })).await;
        let write = json!({ "path": path, "content": "x", "version": version });
        assert_eq!(world.call("write", write).await.error.unwrap().code(), Code::WorkspaceConflict);
    }
}

#[tokio::test]
async fn a_change_that_keeps_size_and_time_is_still_a_conflict() {
    let world = World::new().await;
    let host = world.at("src/m.rs");
    let read = world.call("read", json!({ "path": "/home/src/m.rs" })).await;
    let time = fs::metadata(&host).unwrap().modified().unwrap();
    fs::write(&host, "fn niam() {}\n").unwrap();
    fs::File::options().write(true).open(&host).unwrap().set_modified(time).unwrap();
    let version = version_in(&read.text);
    let write = json!({ "path": "/home/src/m.rs", "content": "x", "version": version });
    assert_eq!(world.call("write", write).await.error.unwrap().code(), Code::WorkspaceConflict);
}
