//! What a step's grants leave of a set.

use std::sync::Arc;

use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{AccessScope, Files, Workspaces};
use serde_json::json;

use crate::world::{definition, memory_ports, namespace, put};

/// A read-write Workspace with files at three depths, one of them hidden.
async fn whole() -> Workspaces {
    let store = VirtualStore::new(memory_ports(1), &namespace(&["n"]), None);
    for path in ["top.txt", "a/outer.txt", "a/b/inner.txt", "a/b/c/deep.txt", ".git/config"] {
        put(&store, path, format!("HIT {path}\n").as_bytes()).await;
    }
    let mut home = definition("/home", "read-write", Arc::new(store));
    home.deny = vec![".git".into()];
    Workspaces::new(vec![home]).unwrap()
}

/// What a search of everything finds under these grants.
async fn found(grants: &[(&str, AccessScope)]) -> String {
    let grants: Vec<_> =
        grants.iter().map(|(prefix, scope)| (prefix.parse().unwrap(), *scope)).collect();
    let files = Files::new(Arc::new(whole().await.narrowed(&grants)));
    files.call("grep", json!({ "pattern": "HIT", "output": "files", "all": true })).await.text
}

// shows in part: WS-042 (grants inside of each other), WS-015 (nor enter one that they may not read)
#[tokio::test]
async fn a_grant_inside_another_one_counts_alone_for_what_is_in_it() {
    use AccessScope::{ReadOnly, ReadWrite, WriteOnly};
    let write_only = "/home/a/outer.txt\n[not searched, write-only: /home/a/b]\n";
    for (grants, expected) in [
        (&[("/home/a", ReadOnly), ("/home/a/b", WriteOnly)][..], write_only),
        (
            &[("/home/a", ReadWrite), ("/home/a/b", ReadOnly), ("/home/a/b/c", ReadWrite)],
            "/home/a/b/c/deep.txt\n/home/a/b/inner.txt\n/home/a/outer.txt\n",
        ),
        (
            &[("/home", ReadOnly), ("/home/a", WriteOnly), ("/home/a/b/c", ReadOnly)],
            "/home/a/b/c/deep.txt\n/home/top.txt\n[not searched, write-only: /home/a]\n",
        ),
    ] {
        assert_eq!(found(grants).await, expected, "{grants:?}");
    }
}

// shows in part: WS-042 (no wider than what is configured), WS-007 (whatever a step grants)
#[tokio::test]
async fn a_grant_of_something_hidden_grants_nothing_and_spoils_nothing() {
    let grants = [("/home/.git", AccessScope::ReadOnly), ("/home/a/b/c", AccessScope::ReadOnly)];
    assert_eq!(found(&grants).await, "/home/a/b/c/deep.txt\n");
    // Nor does one of a directory that is yet to be made.
    let new = [("/home/new", AccessScope::ReadWrite), grants[1]];
    assert_eq!(found(&new).await, "/home/a/b/c/deep.txt\n");
    let grants = grants.map(|(prefix, scope)| (prefix.parse().unwrap(), scope));
    let left = whole().await.narrowed(&grants);
    let prefixes: Vec<&str> = left.all().iter().map(|one| one.prefix().as_str()).collect();
    assert_eq!(prefixes, ["/home/a/b/c"]);
}
