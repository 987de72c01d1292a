//! Which tools an agent is offered, and how they are described.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use piton_core::Code;
use piton_core::tool_card::Hints;
use piton_workspaces::tools::card;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{AccessScope, Error, Tool, Workspaces};
use serde_json::json;

use crate::world::{World, definition, memory_ports, namespace};

const READING: [&str; 5] = ["ls", "read", "glob", "grep", "stat"];

// shows: WS-031 (with only_tools_that_can_succeed_are_listed)
// shows in part: WS-050 (the names of tools)
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
        let workspace = |(place, scope): (usize, &AccessScope)| {
            let store = VirtualStore::new(memory_ports(1), &namespace(&["n"]), None);
            definition(&format!("/{place}"), scope.as_str(), Arc::new(store))
        };
        let set = Workspaces::new(scopes.iter().enumerate().map(workspace).collect()).unwrap();
        let offered: Vec<&str> = set.tools().into_iter().map(Tool::as_str).collect();
        assert_eq!(offered, expected, "{scopes:?}");
    }
}

/// The names that follow a mark in a source file, up to the end of the item that begins with `start`.
fn declared(file: &str, start: &str, mark: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store").join(file);
    let text = fs::read_to_string(path).unwrap();
    let item = text.split_once(start).expect("the item is there").1;
    let item = item.split_once("\n}\n").expect("it ends").0;
    let names = item.lines().filter_map(|line| line.strip_prefix(mark));
    let names = names
        .map(|rest| rest.split(|one: char| one != '_' && !one.is_alphanumeric()).next().unwrap());
    names.filter(|name| name.starts_with(char::is_alphabetic)).map(str::to_owned).collect()
}

// A method with a body of its own would go unnoticed by everything that implements a Store.
// shows: WS-050 (with a_tool_is_offered_only_if_some_use_of_it_can_succeed, the_crate_of_workspaces_cannot_start_a_program)
#[test]
fn a_store_is_asked_for_data_and_for_changes_of_data_and_for_nothing_else() {
    let asked = declared("port.rs", "pub trait Store", "    fn ");
    let expected = [
        "stat",
        "identity",
        "fingerprint",
        "list",
        "read",
        "load",
        "search",
        "resolve",
        "prepare",
        "has_lost",
        "clear",
    ];
    assert_eq!(asked, expected);
    let changes = declared("change.rs", "pub enum FileChange {", "    ");
    assert_eq!(changes, ["Write", "Append", "Delete", "Move", "MakeDirectory"]);
    let prepared = declared("change.rs", "pub struct Prepared {", "    pub ");
    assert_eq!(prepared, ["before", "after", "temp"]);
    let made = declared("change.rs", "impl Prepared {", "    pub async fn ");
    assert_eq!(made, ["commit"]);
}

// shows: WS-030
#[test]
fn each_tool_has_a_description_and_a_schema() {
    let mut page = String::new();
    for tool in Tool::ALL {
        let card = card(*tool);
        let Hints { read_only, destructive, idempotent } = card.hints;
        let hints = (read_only, destructive, idempotent);
        writeln!(page, "{}: {} {hints:?}", card.name, card.description).unwrap();
        writeln!(page, "{}\n", serde_json::to_string(&*card.input).unwrap()).unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn what_a_model_reads_of_all_tools_together_is_small() {
    let list: Vec<_> = Tool::ALL
        .iter()
        .map(|tool| card(*tool))
        .map(|card| json!({ "name": card.name, "description": card.description, "inputSchema": *card.input }))
        .collect();
    let bytes = json!({ "tools": list }).to_string().len();
    println!("all tools: {bytes} bytes");
    assert!(bytes < 7_000, "{bytes}");
}

#[tokio::test]
async fn a_pattern_with_a_line_end_is_refused_with_what_helps() {
    let world = World::new().await;
    for (pattern, literal) in [("a\nb", false), (r"a\nb", false), ("a\nb", true), ("a[\n]", false)]
    {
        let arguments = json!({ "path": "/home/src", "pattern": pattern, "literal": literal });
        let reply = world.unguarded().call("grep", arguments).await;
        assert_eq!(reply.error.as_ref().map(Error::code), Some(Code::WorkspaceBadArgument));
        assert!(
            reply.text.contains("lines are searched one by one"),
            "{pattern:?}: {}",
            reply.text
        );
        assert!(!reply.text.contains("`literal`"), "{pattern:?}: {}", reply.text);
    }
}
