//! H: names and namespaces of Virtual Stores.

use std::sync::Arc;

use piton_workspaces::{
    Files, Workspaces,
    virtual_store::{Namespace, NamespaceProblem, VirtualStore},
};
use serde_json::json;

use crate::world::{definition, memory_ports, namespace, virtual_tree};

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
        crate::world::put(&store, "b/c", at.to_string().as_bytes()).await;
        crate::world::put(&store, &format!("only-{at}"), b"x").await;
    }
    for (at, parts) in lists.iter().enumerate() {
        let store = VirtualStore::new(ports.clone(), &namespace(parts), None);
        let tree = virtual_tree(&store).await;
        assert_eq!(tree.len(), 3, "{parts:?}: {tree:?}");
        assert!(tree.contains_key(&format!("only-{at}")), "{parts:?}");
    }
}

#[test]
fn a_namespace_is_bounded() {
    assert_eq!(Namespace::new(Vec::<String>::new()), Err(NamespaceProblem::Parts));
    assert_eq!(Namespace::new(["x"; 9]), Err(NamespaceProblem::Parts));
    assert_eq!(Namespace::new(["a", ""]), Err(NamespaceProblem::Part));
    assert_eq!(Namespace::new(["x".repeat(257)]), Err(NamespaceProblem::Part));
}

#[tokio::test]
async fn names_have_no_meaning_to_the_table() {
    let store = VirtualStore::new(memory_ports(2), &namespace(&["n"]), None);
    let set = Workspaces::new(vec![definition("/v", "read-write", Arc::new(store))]);
    let files = Files::new(Arc::new(set.unwrap()));
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
    crate::world::put(&shared, "guide.md", b"guide\n").await;
    let agent = |name: &str| {
        let own = VirtualStore::new(ports.clone(), &namespace(&["agent", name]), None);
        let set = Workspaces::new(vec![
            definition("/ref", "read-only", Arc::new(shared.clone())),
            definition("/own", "read-write", Arc::new(own)),
        ]);
        Files::new(Arc::new(set.unwrap()))
    };
    let (one, two) = (agent("one"), agent("two"));
    let work = |files: Files, mine: &'static str, other: &'static str| async move {
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
