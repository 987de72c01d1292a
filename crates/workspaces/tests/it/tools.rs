//! Which tools an agent is offered, and how they are described.

use std::fmt::Write as _;

use piton_workspaces::{AccessScope, Tool, tools::cards};
use serde_json::json;

const READING: [&str; 5] = ["ls", "read", "glob", "grep", "stat"];

// shows in part: WS-031, WS-050 (the names of tools)
#[test]
fn a_tool_is_offered_only_if_some_use_of_it_can_succeed() {
    use AccessScope::{ReadOnly, ReadWrite, WriteOnly};
    let all = Tool::NAMES;
    let copying = ["ls", "read", "write", "glob", "grep", "stat", "copy"];
    for (scopes, expected) in [
        (&[][..], &[][..]),
        (&[ReadOnly], &READING),
        (&[WriteOnly], &["write"]),
        (&[ReadWrite], all),
        (&[ReadOnly, WriteOnly], &copying),
        (&[ReadOnly, ReadWrite], all),
        (&[ReadWrite, WriteOnly], all),
        (&[ReadOnly, ReadWrite, WriteOnly], all),
    ] {
        let offered: Vec<&str> = Tool::offered(scopes).into_iter().map(Tool::as_str).collect();
        assert_eq!(offered, expected, "{scopes:?}");
    }
}

// shows: WS-030
#[test]
fn each_tool_has_a_description_and_a_schema() {
    let mut page = String::new();
    for card in cards(Tool::ALL) {
        let hints = (card.is_read_only(), card.is_destructive(), card.is_idempotent());
        writeln!(page, "{}: {} {hints:?}", card.tool, card.description).unwrap();
        writeln!(page, "{}\n", serde_json::to_string(&card.schema).unwrap()).unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn what_a_model_reads_of_all_tools_together_is_small() {
    let list: Vec<_> = cards(Tool::ALL)
        .into_iter()
        .map(|card| json!({ "name": card.tool, "description": card.description, "inputSchema": card.schema }))
        .collect();
    let bytes = json!({ "tools": list }).to_string().len();
    println!("all tools: {bytes} bytes");
    assert!(bytes < 7_000, "{bytes}");
}
