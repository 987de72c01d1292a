//! Which Workspace a path belongs to.

use std::sync::Arc;

use piton_core::Code;
use piton_workspaces::path::LogicalPath;
use piton_workspaces::store::Store;
use piton_workspaces::virtual_store::VirtualStore;
use piton_workspaces::{AccessScope, Definition, Error, Workspaces};
use proptest::prelude::*;

use crate::world::{definition, memory_ports, namespace};

fn any_store() -> Arc<dyn Store> {
    Arc::new(VirtualStore::new(memory_ports(1), &namespace(&["n"]), None))
}

fn set(prefixes: &[(&str, &str)]) -> Workspaces {
    let of = |(prefix, scope): &(&str, &str)| definition(prefix, scope, any_store());
    Workspaces::new(prefixes.iter().map(of).collect()).unwrap()
}

#[track_caller]
fn belongs(set: &Workspaces, path: &str, expected: Option<(&str, &str)>) {
    let path: LogicalPath = path.parse().unwrap();
    let found = set.find(&path).map(|(one, at)| (one.prefix().to_string(), at.to_string()));
    let expected = expected.map(|(prefix, at)| (prefix.to_owned(), at.to_owned()));
    assert_eq!(found, expected, "{path}");
}

// shows: WS-002, WS-003
#[test]
fn the_longest_prefix_on_whole_names_decides() {
    let set = set(&[
        ("/home", "read-only"),
        ("/home/src", "read-write"),
        ("/home/src/inbox", "write-only"),
        ("/home/src/inbox/open", "read-only"),
    ]);
    belongs(&set, "/home", Some(("/home", "")));
    belongs(&set, "/home/a/b", Some(("/home", "a/b")));
    belongs(&set, "/home/srcX/a", Some(("/home", "srcX/a")));
    belongs(&set, "/home/src", Some(("/home/src", "")));
    belongs(&set, "/home/src/inbox/x", Some(("/home/src/inbox", "x")));
    belongs(&set, "/home/src/inbox/open/x", Some(("/home/src/inbox/open", "x")));
    belongs(&set, "/homeX", None);
    belongs(&set, "/", None);
}

#[test]
fn a_workspace_at_the_root_takes_what_no_other_takes() {
    let set = set(&[("/", "read-only"), ("/a/b", "read-write")]);
    belongs(&set, "/", Some(("/", "")));
    belongs(&set, "/a", Some(("/", "a")));
    belongs(&set, "/a/b/c", Some(("/a/b", "c")));
    belongs(&set, "/a/bc", Some(("/", "a/bc")));
}

proptest! {
    // shows: WS-002
    #[test]
    fn routing_equals_trying_every_prefix(
        prefixes in prop::collection::btree_set("(/[ab]{1,2}){0,4}", 0..12),
        paths in prop::collection::vec("(/[ab]{1,2}){0,6}", 1..20),
    ) {
        let rooted = |text: &String| if text.is_empty() { "/".to_owned() } else { text.clone() };
        let prefixes: Vec<String> = prefixes.iter().map(rooted).collect();
        let set = Workspaces::new(
            prefixes.iter().map(|one| definition(one, "read-only", any_store())).collect(),
        ).unwrap();
        for path in paths.iter().map(rooted) {
            let path: LogicalPath = path.parse().unwrap();
            let naive = prefixes.iter().filter(|prefix| {
                let wanted: Vec<&str> = prefix.split('/').filter(|name| !name.is_empty()).collect();
                let found: Vec<&str> = path.names().collect();
                found.starts_with(&wanted)
            }).max_by_key(|prefix| prefix.split('/').filter(|name| !name.is_empty()).count());
            let found = set.find(&path).map(|(one, _)| one.prefix().to_string());
            prop_assert_eq!(found, naive.cloned());
        }
    }
}

fn problems(definitions: Vec<Definition>) -> Vec<String> {
    match Workspaces::new(definitions) {
        Err(Error::Config { problems }) => problems,
        other => panic!("not refused: {other:?}"),
    }
}

// shows: WS-006
#[test]
fn a_bad_configuration_is_refused_with_every_problem_named() {
    let mut bad = vec![
        definition("home", "read-only", any_store()),
        definition("/a/../b", "read-only", any_store()),
        definition("/scope", "RW", any_store()),
        definition("/scope2", "", any_store()),
        definition("/twice", "read-only", any_store()),
        definition("/twice/", "read-only", any_store()),
        definition("/deny", "read-only", any_store()),
        definition("/purpose", "read-only", any_store()),
        definition("/missing", "read-only", any_store()),
    ];
    bad[6].deny = vec!["..".into()];
    bad[7].purpose = "two\nlines".into();
    bad[8].store = Err("has a `directory` that does not exist".into());
    insta::assert_snapshot!(problems(bad).join("\n"));
    let error = Workspaces::new(vec![definition("x", "read-only", any_store())]).unwrap_err();
    assert_eq!(error.code(), Code::WorkspaceConfig);
}

// shows: WS-001
#[test]
fn a_set_holds_what_it_was_built_from_in_the_order_of_prefixes() {
    let set = set(&[("/b", "write-only"), ("/a/z", "read-write"), ("/a", "read-only")]);
    let found: Vec<_> = set.all().iter().map(|one| (one.prefix().as_str(), one.scope())).collect();
    assert_eq!(
        found,
        [
            ("/a", AccessScope::ReadOnly),
            ("/a/z", AccessScope::ReadWrite),
            ("/b", AccessScope::WriteOnly),
        ]
    );
}

// shows in part: WS-001 (no call adds a Workspace or changes a scope)
#[test]
fn no_call_changes_a_set_once_it_is_built() {
    for (name, source) in [
        ("workspaces", include_str!("../../src/workspaces.rs")),
        ("map", include_str!("../../src/map.rs")),
    ] {
        // Neither a method that takes the set to change it, nor something inside that can be changed without one.
        for way in ["&mut self", "&mut Workspace", "Mutex", "RwLock", "Cell", "Atomic", "OnceLock"]
        {
            assert!(!source.contains(way), "{name}: {way}");
        }
    }
}
