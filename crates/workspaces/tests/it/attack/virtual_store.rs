//! H: names and namespaces of Virtual Stores.

use std::sync::Arc;

use piton_core::Code;
use piton_store::port::{EntryChange, Expect, TableWrite};
use piton_workspaces::Workspaces;
use piton_workspaces::overlay::OverlayStore;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::{NamespaceProblem, VirtualNamespace, VirtualStore};
use serde_json::json;

use crate::guarded::{Guarded, in_store};
use crate::snapshot::store_tree;
use crate::world::{definition, memory_ports, namespace, put};

// shows: WS-055
#[tokio::test]
async fn namespaces_never_meet_whatever_their_parts_hold() {
    let ports = memory_ports(1);
    let lists: [&[&str]; 12] = [
        &["ws", "ab"],
        &["ws", "a", "b"],
        &["wsa", "b"],
        &["ws", "a"],
        &["ws/a", "b"],
        &["ws", "a/b"],
        &["ws|a", "b"],
        &["ws#a:b"],
        &["ws%2fa", "b"],
        &["ws*", "a\0", "b"],
        &["2", "ws1a"],
        &["\0ws", "a", "b"],
    ];
    for (at, parts) in lists.iter().enumerate() {
        let store = VirtualStore::new(ports.clone(), &namespace(parts), None);
        put(&store, "b/c", at.to_string().as_bytes()).await;
        put(&store, &format!("only-{at}"), b"x").await;
    }
    for (at, parts) in lists.iter().enumerate() {
        let store = VirtualStore::new(ports.clone(), &namespace(parts), None);
        let tree = store_tree(&store).await;
        assert_eq!(tree.len(), 3, "{parts:?}: {tree:?}");
        assert!(tree.contains_key(&format!("only-{at}")), "{parts:?}");
    }
}

#[test]
fn a_namespace_is_bounded() {
    assert_eq!(VirtualNamespace::new(Vec::<String>::new()), Err(NamespaceProblem::Parts));
    assert_eq!(VirtualNamespace::new(["x"; 9]), Err(NamespaceProblem::Parts));
    assert_eq!(VirtualNamespace::new(["a", ""]), Err(NamespaceProblem::Part));
    assert_eq!(VirtualNamespace::new(["x".repeat(257)]), Err(NamespaceProblem::Part));
}

#[tokio::test]
async fn names_have_no_meaning_to_the_table() {
    let store = VirtualStore::new(memory_ports(2), &namespace(&["n"]), None);
    let files = Guarded::new(None, vec![in_store("/v", "read-write", Arc::new(store))]);
    for name in ["do", "docs/x", "100%", "a_b", "aXb", "[x]", "x", "\u{ff}z", "_", "%"] {
        let path = format!("/v/{name}");
        let reply = files.call("write", json!({ "path": path, "content": name })).await;
        assert!(!reply.is_error(), "{}", reply.text);
    }
    let listed = files.call("ls", json!({ "path": "/v/do" })).await;
    assert!(listed.is_error(), "{}", listed.text);
    let reply = files.call("read", json!({ "path": "/v/a_b" })).await;
    assert!(reply.text.ends_with("\na_b\n"), "{}", reply.text);
    let reply = files.call("delete", json!({ "path": "/v/%" })).await;
    assert!(!reply.is_error(), "{}", reply.text);
    let listed = files.call("ls", json!({ "path": "/v" })).await.text;
    assert_eq!(listed, "100%\t4\n[x]\t3\n_\t1\naXb\t3\na_b\t3\ndo\t2\ndocs/\nx\t1\nÿz\t3\n");
}

// shows: WS-043
#[tokio::test]
async fn two_agents_over_one_tree_never_see_each_others_writes() {
    let ports = memory_ports(3);
    let shared = VirtualStore::new(ports.clone(), &namespace(&["shared"]), None);
    put(&shared, "guide.md", b"guide\n").await;
    let agent = |name: &str| {
        let own = VirtualStore::new(ports.clone(), &namespace(&["agent", name]), None);
        let laid = vec![
            in_store("/ref", "read-only", Arc::new(shared.clone())),
            in_store("/own", "read-write", Arc::new(own)),
        ];
        Guarded::new(None, laid)
    };
    let (one, two) = (agent("one"), agent("two"));
    let work = |files: Guarded, mine: &'static str, other: &'static str| async move {
        for step in 0..200 {
            let path = format!("/own/{}", step % 7);
            let content = format!("{mine} {step}\n");
            files.call("write", json!({ "path": path, "content": content })).await;
            for (tool, arguments) in [
                ("read", json!({ "path": path })),
                ("grep", json!({ "pattern": "." })),
                ("ls", json!({ "path": "/own" })),
            ] {
                let text = files.call(tool, arguments).await.text;
                assert!(!text.contains(other), "{text}");
            }
            let refused = files.call("write", json!({ "path": "/ref/x", "content": mine })).await;
            assert!(refused.is_error());
        }
    };
    let one = tokio::spawn(work(one, "CANARY-ONE", "CANARY-TWO"));
    let two = tokio::spawn(work(two, "CANARY-TWO", "CANARY-ONE"));
    one.await.unwrap();
    two.await.unwrap();
}

// shows in part: WS-020 (two scopes on one namespace)
#[tokio::test]
async fn what_is_written_to_a_namespace_is_read_where_it_may_not_be_written() {
    let store: Arc<dyn Store> =
        Arc::new(VirtualStore::new(memory_ports(4), &namespace(&["shared"]), None));
    let laid = vec![
        in_store("/rw", "read-write", Arc::clone(&store)),
        in_store("/ro", "read-only", store),
    ];
    let files = Guarded::new(None, laid);
    files.call("write", json!({ "path": "/rw/f", "content": "new\n" })).await;
    let read = files.call("read", json!({ "path": "/ro/f" })).await.text;
    assert!(read.ends_with("]\nnew\n"), "H8: {read}");
    let refused = files.call("write", json!({ "path": "/ro/f", "content": "x" })).await;
    assert_eq!(refused.error.unwrap().code(), Code::WorkspaceScope, "H8");
}

#[tokio::test]
async fn a_row_that_is_damaged_is_told_and_is_never_taken_for_something_else() {
    let ports = memory_ports(5);
    let store = VirtualStore::new(ports.clone(), &namespace(&["n"]), None);
    put(&store, "d/f", b"content\n").await;
    for row in ports.table.scan(b"workspaces/virtual/", None, 100).await.unwrap().entries {
        let change = EntryChange::Put(b"{\"kind\":\"file\"".to_vec());
        let write = TableWrite { key: row.key, expect: Expect::Version(row.version), change };
        ports.table.commit(vec![write]).await.unwrap();
    }
    let files = Guarded::new(None, vec![in_store("/v", "read-write", Arc::new(store))]);
    for (tool, arguments) in [
        ("read", json!({ "path": "/v/d/f" })),
        ("stat", json!({ "path": "/v/d" })),
        ("ls", json!({ "path": "/v" })),
        ("grep", json!({ "pattern": "x" })),
        ("write", json!({ "path": "/v/d/f", "content": "x" })),
        ("write", json!({ "path": "/v/other", "content": "x" })),
        ("delete", json!({ "path": "/v/d", "recursive": true })),
        ("move", json!({ "from": "/v/d", "to": "/v/e" })),
    ] {
        let reply = files.call(tool, arguments).await;
        let code = reply.error.map(|error| error.code());
        assert_eq!(code, Some(Code::StoreInvariantViolation), "H10: {tool}: {}", reply.text);
    }
}

#[tokio::test]
async fn nothing_is_moved_to_where_nobody_could_name_it() {
    let kept = || VirtualStore::new(memory_ports(6), &namespace(&["n"]), None);
    let empty = VirtualStore::new(memory_ports(7), &namespace(&["lower"]), None);
    let lower = Workspaces::new(vec![definition("/l", "read-only", Arc::new(empty))]).unwrap();
    let overlay = OverlayStore::new(kept(), &lower.all()[0]);
    for store in [Arc::new(kept()) as Arc<dyn Store>, Arc::new(overlay)] {
        let files = Guarded::new(None, vec![in_store("/v", "read-write", store)]);
        let deep = format!("/v/d{}/f", "/x".repeat(40));
        let reply = files.call("write", json!({ "path": deep, "content": "kept" })).await;
        assert!(!reply.is_error(), "{}", reply.text);
        let to = format!("/v{}", "/y".repeat(30));
        let refused = files.call("move", json!({ "from": "/v/d", "to": to })).await;
        assert_eq!(refused.error.unwrap().code(), Code::WorkspaceLimit, "{}", refused.text);
        assert!(!files.call("read", json!({ "path": deep })).await.is_error());
        let gone = files.call("delete", json!({ "path": "/v/d", "recursive": true })).await;
        assert!(!gone.is_error(), "{}", gone.text);
    }
}
