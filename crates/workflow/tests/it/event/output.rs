//! Outputs of nodes.

use piton_workflow::OutputChannel;
use piton_workflow::event::OutputPayload;
use serde_json::json;

use super::sample::{AT_ROOT, artifact, data, digest, output, with_data};

const MARKER: &str = "\n\n[TRUNCATED]";

// shows: WR-144
#[test]
fn a_payload_is_notes_or_a_reference_and_stands_on_its_channel() {
    let body = output(AT_ROOT, 1, None, OutputPayload::notes("a"));
    let notes = json!({"payloadKind": "notes", "notesMarkdown": "a"});
    let reference = json!({
        "payloadKind": "artifact_ref",
        "sha256": digest(1),
        "contentType": "text/plain",
        "byteLength": 0,
    });
    let mut mixed = notes.clone();
    mixed["sha256"] = json!(digest(1));
    let mut negative = reference.clone();
    negative["byteLength"] = json!(-1);
    let mut parameters = reference.clone();
    parameters["contentType"] = json!("text/plain; charset=utf-8");
    let table = [
        ("recap", &notes, true),
        ("artifact", &reference, true),
        ("artifact", &notes, false),
        ("recap", &reference, false),
        ("recap", &mixed, false),
        ("artifact", &negative, false),
        ("artifact", &parameters, false),
    ];
    for (channel, payload, fine) in table {
        let mut whole = data(&body);
        whole["outputChannel"] = json!(channel);
        whole["payload"] = payload.clone();
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{channel} {payload}");
    }
    assert_eq!(artifact().channel(), OutputChannel::Artifact);
}

// shows: WR-148
#[test]
fn notes_that_are_too_long_keep_their_start_and_say_that_they_were_cut() {
    let kept = 4096 - MARKER.len();
    let table = [
        ("x".repeat(4096), "x".repeat(4096)),
        ("x".repeat(4097), "x".repeat(kept) + MARKER),
        ("ü".repeat(2048), "ü".repeat(2048)),
        ("x".to_owned() + &"ü".repeat(2048), "x".to_owned() + &"ü".repeat((kept - 1) / 2) + MARKER),
    ];
    for (notes, expected) in table {
        let OutputPayload::Notes { notes_markdown } = OutputPayload::notes(&notes) else {
            panic!("notes are notes");
        };
        assert_eq!(notes_markdown.as_str(), expected);
        assert!(expected.len() <= 4096);
    }
}

// shows in part: WR-148 (what is stored is within the budget)
#[test]
fn stored_notes_over_the_budget_are_refused() {
    let body = output(AT_ROOT, 1, None, OutputPayload::notes("a"));
    for (bytes, fine) in [(4096, true), (4097, false)] {
        let mut whole = data(&body);
        whole["payload"]["notesMarkdown"] = json!("x".repeat(bytes));
        assert_eq!(with_data(&body, &whole).is_ok(), fine, "{bytes}");
    }
}
