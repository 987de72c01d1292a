//! Frames go along with what is renamed.

use std::fs;

use serde_json::{Value, json};

use super::{is_sound, project};
use crate::rig::Rig;

fn put(rig: &Rig, at: &str, text: &str) -> Value {
    rig.tells(&["context", "put-frame", at, "--type", "summary", "--text", text])
}

fn node(rig: &Rig, at: &str) -> Value {
    rig.tells(&["context", "get-node", at])
}

fn rename(rig: &Rig, from: &str, to: &str) {
    let to = rig.project().join(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(rig.project().join(from), to).unwrap();
}

// shows in part: CT-011 (the part that frames go along), CT-013 (the part about renames)
#[test]
fn a_renamed_file_keeps_what_was_written_about_it() {
    let rig = project();
    rig.write("src/a/one.rs", "pub fn one() {}\n");
    let old = put(&rig, "src/a/one.rs", "Counts to one.");
    rig.says(&["context", "synthesize", "src", "--type", "summary", "--recursive"]);
    rename(&rig, "src/a/one.rs", "src/b/one.rs");
    let shown = node(&rig, "src/b/one.rs");
    let frame = &shown["frames"][0];
    assert_eq!(frame["content"], "Counts to one.", "{shown}");
    assert_eq!((&frame["isFresh"], &frame["agent"]), (&json!(true), &json!("person")));
    assert_eq!(frame["metadata"]["adopted_from"], "src/a/one.rs");
    assert_eq!(frame["metadata"]["adopted_frame"], old["frame"]);
    assert_eq!(shown["renamedFrom"], "src/a/one.rs");
    let composed = rig.says(&["context", "compose", "src/b/one.rs"]);
    assert!(composed.contains("Counts to one."), "{composed}");
    // The old path can still be asked for, and says where the file is.
    let gone = node(&rig, "src/a/one.rs");
    assert_eq!((&gone["isCurrent"], &gone["movedTo"]), (&json!(false), &json!("src/b/one.rs")));
    assert_eq!(gone["frames"][0]["content"], "Counts to one.");
    let (_, error) = rig.fails(&["context", "compose", "src/a/one.rs"]);
    assert!(error["message"].as_str().unwrap().contains("src/b/one.rs"), "{error}");
    let status = rig.says(&["context", "status"]);
    assert!(!status.contains("paths that are gone"), "{status}");

    rig.says(&["context", "synthesize", "src/b", "--type", "summary"]);
    let done = regenerated(&rig);
    assert!(!done["skipped"].to_string().contains("src/a/one.rs"), "{done}");
    let summary = node(&rig, "src")["frames"][0]["content"].to_string();
    assert!(summary.contains("Counts to one."), "{summary}");
    // It goes back, and the frame is the one that was there.
    rename(&rig, "src/b/one.rs", "src/a/one.rs");
    let back = node(&rig, "src/a/one.rs");
    assert_eq!((&back["frames"][0]["id"], &back["frameCount"]), (&old["frame"], &json!(1)));
    assert!(is_sound(&rig));
}

/// What a regeneration does, whether or not something stays stale.
fn regenerated(rig: &Rig) -> Value {
    let output = rig.run(&["context", "regenerate", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

// shows in part: CT-011 (renamed directories)
#[test]
fn a_renamed_directory_takes_along_what_was_written_about_everything_in_it() {
    let rig = project();
    // Two files of the same content are told apart by where they are in it.
    for (file, text) in [("old/x/mod.rs", ""), ("old/y/mod.rs", ""), ("old/y/z.rs", "z\n")] {
        rig.write(file, text);
        put(&rig, file, &format!("About {file}."));
    }
    put(&rig, "old", "About the whole.");
    put(&rig, "old/y", "About y.");
    rename(&rig, "old", "deep/new");
    rig.says(&["context", "status"]);
    for (now, text) in [
        ("deep/new", "About the whole."),
        ("deep/new/y", "About y."),
        ("deep/new/x/mod.rs", "About old/x/mod.rs."),
        ("deep/new/y/mod.rs", "About old/y/mod.rs."),
        ("deep/new/y/z.rs", "About old/y/z.rs."),
    ] {
        let frame = node(&rig, now)["frames"][0].clone();
        assert_eq!((&frame["content"], &frame["isFresh"]), (&json!(text), &json!(true)), "{now}");
    }
    assert!(is_sound(&rig));
}

// shows in part: CT-011 (the part that a rename which is not certain is said)
#[test]
fn a_rename_with_several_candidates_is_left_to_the_person() {
    let rig = project();
    rig.write("one.txt", "the same\n");
    put(&rig, "one.txt", "About one.");
    rename(&rig, "one.txt", "two.txt");
    fs::copy(rig.project().join("two.txt"), rig.project().join("three.txt")).unwrap();
    let said = rig.says(&["context", "get-node", "two.txt"]);
    assert!(said.contains("piton context adopt one.txt two.txt"), "{said}");
    let status = rig.says(&["context", "status"]);
    assert!(status.contains("gone, for example one.txt.\n"), "{status}");
    assert!(status.contains("piton context adopt OLD NEW"), "{status}");
    let adopted = rig.tells(&["context", "adopt", "one.txt", "two.txt"]);
    assert_eq!(adopted["frames"][0]["outcome"], "added", "{adopted}");
    let shown = node(&rig, "two.txt");
    assert_eq!(shown["frames"][0]["content"], "About one.");
    assert_eq!((&shown["frames"][0]["isFresh"], &shown["mayBeFrom"]), (&json!(true), &Value::Null));
    // A file that was edited as well gets them as what they are: stale.
    rig.write("four.txt", "something else\n");
    rig.says(&["context", "adopt", "one.txt", "four.txt"]);
    let shown = node(&rig, "four.txt");
    assert_eq!(shown["frames"][0]["isFresh"], false);
    assert_eq!(
        rig.fails(&["context", "adopt", "src", "two.txt"]).1["code"],
        "CONTEXT_FRAME_NOT_FOUND"
    );
    assert_eq!(
        rig.fails(&["context", "adopt", "one.txt", "no"]).1["code"],
        "CONTEXT_NODE_NOT_FOUND"
    );
    assert!(is_sound(&rig));
}

// shows in part: CT-067 (the part that a text is never replaced by nothing)
#[test]
fn regenerating_never_replaces_a_text_by_nothing() {
    let rig = project();
    put(&rig, "src/lib.rs", "It answers.");
    rig.says(&["context", "synthesize", "src", "--type", "summary"]);
    let before = node(&rig, "src")["frames"][0].clone();
    fs::remove_file(rig.project().join("src/lib.rs")).unwrap();
    let done = regenerated(&rig);
    assert_eq!(done["made"], json!([]), "{done}");
    assert!(done["skipped"].to_string().contains("nothing in it has a frame"), "{done}");
    let after = node(&rig, "src")["frames"][0].clone();
    assert_eq!((&after["content"], &after["isFresh"]), (&before["content"], &json!(false)));
}
