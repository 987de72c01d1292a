//! The Filesystem Map.

use std::sync::Arc;

use piton_workspaces::Workspaces;
use piton_workspaces::virtual_store::VirtualStore;

use crate::world::{World, definition, memory_ports, namespace};

// shows: WS-040
#[test]
fn the_map_lists_every_workspace_with_scope_and_purpose() {
    let store = || Arc::new(VirtualStore::new(memory_ports(1), &namespace(&["secret-ns"]), None));
    let mut all = vec![
        definition("/scratch", "read-write", store()),
        definition("/project/notes", "read-write", store()),
        definition("/project", "read-only", store()),
        definition("/drop", "write-only", store()),
    ];
    for (at, purpose) in ["drafts", "your notes, kept", "the code under review"].iter().enumerate()
    {
        all[at].purpose = (*purpose).into();
    }
    insta::assert_snapshot!(Workspaces::new(all).unwrap().map());
}

// shows in part: WS-040 (an empty configuration), WS-005 (zero access and zero tools)
#[tokio::test]
async fn without_workspaces_there_is_no_access_and_no_tool() {
    let set = Workspaces::new(Vec::new()).unwrap();
    insta::assert_snapshot!(set.map(), @"Files: none. No Workspace is configured, so you have no file access.");
    assert!(set.tools().is_empty());
    let files = piton_workspaces::Files::new(Arc::new(set));
    for tool in piton_workspaces::Tool::NAMES {
        assert!(files.call(tool, serde_json::json!({ "path": "/" })).await.is_error());
    }
}

// shows in part: WS-014 (the map)
#[tokio::test]
async fn the_map_names_no_place_of_the_machine() {
    let world = World::new().await;
    world.nothing_leaks("map", &world.unguarded().workspaces().map());
}
