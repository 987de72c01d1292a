//! What observers receive, and that handles do not share what they should not.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use piton_backpack::{Action, Backpack, Committed, Error, Event, Filter, Scope};

use crate::rig::{Rig, done, ports};

/// What an observer has received so far.
fn watch(rig: &Rig) -> Arc<Mutex<Vec<Committed>>> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let book = Arc::clone(&told);
    rig.backpack
        .observe(Arc::new(move |event: &Event| {
            if let Event::Committed(event) = event {
                book.lock().unwrap().push(event.clone());
            }
        }))
        .unwrap();
    told
}

#[test]
fn an_event_names_who_acted_and_a_read_is_the_readers() {
    let rig = Rig::new();
    let told = watch(&rig);
    done(rig.node_in("writer", "flow.w").pack("x", &1));
    assert_eq!(rig.node_in("reader", "flow.r").unpack::<u8>("x").unwrap(), Some(1));
    done(rig.node_in("writer", "flow.w").quarantine("x", "wrong"));
    let lines: Vec<String> = told
        .lock()
        .unwrap()
        .iter()
        .map(|event| {
            let namespace = event.by.namespace.as_ref().unwrap();
            let reason = event.reason.as_deref().unwrap_or("-");
            format!("{} {namespace} {} {} {reason}", event.by.id, event.action, event.summary)
        })
        .collect();
    assert_eq!(
        lines,
        [
            "writer flow.w pack 1 -",
            "reader flow.r unpack 1 -",
            "writer flow.w quarantine [quarantined, 1 bytes] wrong wrong",
        ]
    );
}

#[test]
fn an_observer_may_use_the_backpack_that_it_watches() {
    let rig = Rig::new();
    let debug = rig.backpack.debug();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let book = Arc::clone(&seen);
    rig.backpack
        .observe(Arc::new(move |_: &Event| book.lock().unwrap().push(debug.commit_count())))
        .unwrap();
    done(rig.node("a").pack("x", &1));
    done(rig.node("a").pack("x", &2));
    assert_eq!(*seen.lock().unwrap(), [1, 2]);
}

#[test]
fn an_observer_that_panics_keeps_no_other_from_being_told_and_breaks_nothing() {
    let rig = Rig::new();
    let before = watch(&rig);
    rig.backpack.observe(Arc::new(|_: &Event| panic!("an observer is broken"))).unwrap();
    let after = watch(&rig);
    let a = rig.node("a");
    for count in 1..=3_usize {
        let packed = std::panic::catch_unwind(AssertUnwindSafe(|| a.pack("x", &count)));
        let said = packed.expect_err("the panic is not hidden");
        assert_eq!(said.downcast_ref::<&str>(), Some(&"an observer is broken"));
        assert_eq!(rig.backpack.debug().peek::<usize>("x").unwrap(), Some(count), "it happened");
        assert_eq!((before.lock().unwrap().len(), after.lock().unwrap().len()), (count, count));
    }
}

#[test]
fn scopes_of_nodes_that_run_at_once_do_not_mix_their_names() {
    let rig = Rig::new();
    let told = watch(&rig);
    std::thread::scope(|threads| {
        for id in ["a", "b", "c"] {
            let node = rig.node(id);
            threads.spawn(move || {
                for _ in 0..200 {
                    done(node.pack(id, &id));
                    assert_eq!(node.unpack::<String>(id).unwrap().as_deref(), Some(id));
                }
            });
        }
    });
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1_200);
    assert!(told.iter().all(|event| event.by.id.as_str() == event.key.as_str()));
    let log = rig.backpack.debug().history(&Filter::default()).unwrap();
    assert!(log.iter().all(|commit| commit.author().id.as_str() == commit.key().as_str()));
}

#[test]
fn too_many_observers_are_refused() {
    let rig = Rig::new();
    let observe = || rig.backpack.observe(Arc::new(|_: &Event| {}));
    for _ in 0..16 {
        observe().unwrap();
    }
    assert!(matches!(observe(), Err(Error::TooMany { max: 16, .. })));
}

#[test]
fn a_backpack_that_was_loaded_shares_nothing_with_the_one_that_was_written() {
    let rig = Rig::new();
    done(rig.node("a").pack("x", &1));
    let loaded = Backpack::from_json(&rig.backpack.to_json().unwrap(), ports(8).0).unwrap();
    done(rig.node("a").pack("x", &2));
    done(loaded.scope(crate::rig::identity("b", "n"), None).unwrap().pack("y", &3));
    assert_eq!(loaded.debug().peek("x").unwrap(), Some(1));
    assert_eq!(rig.backpack.debug().keys().len(), 1);
    assert_eq!(rig.history_len(), 2);
    assert_eq!(loaded.debug().history(&Filter::default()).unwrap().len(), 2);
}

// shows in part: BP-041 (the part about what is found)
#[test]
fn a_namespace_query_finds_by_pattern_and_forgets_what_moved() {
    let rig = Rig::new();
    let keys = |scope: &Scope, pattern: &str| -> Vec<String> {
        let found = scope.items_by_namespace(pattern).unwrap();
        found.iter().map(|item| item.key().to_string()).collect()
    };
    let reader = rig.node("reader");
    done(rig.node_in("a", "sales").pack("root", &1));
    done(rig.node_in("a", "sales.chat").pack("chat", &1));
    done(rig.node_in("a", "sales.chat").pack("__proto__", &1));
    done(rig.node_in("a", "sales.research.web").pack("web", &1));
    done(rig.node_in("a", "sales-x.chat").pack("other", &1));
    done(rig.node("a").pack("nowhere", &1));
    let table: &[(&str, &[&str])] = &[
        ("sales", &["root"]),
        ("sales.*", &["__proto__", "chat"]),
        ("sales.**", &["root", "__proto__", "chat", "web"]),
        ("*.chat", &["other", "__proto__", "chat"]),
        ("**.web", &["web"]),
        ("sal*", &["root"]),
        ("**", &["root", "other", "__proto__", "chat", "web"]),
        ("nothing.*", &[]),
    ];
    for (pattern, expected) in table {
        assert_eq!(keys(&reader, pattern), *expected, "{pattern}");
    }
    done(rig.node_in("a", "moved").pack("chat", &2));
    done(rig.node("a").delete("web"));
    assert_eq!(keys(&reader, "sales.**"), ["root", "__proto__"]);
    assert_eq!(keys(&reader, "moved"), ["chat"]);
    done(rig.node("a").pack("chat", &3));
    assert!(keys(&reader, "moved").is_empty());
    let reads = Filter { action: Some(Action::Unpack), ..Filter::default() };
    assert!(!rig.backpack.debug().history(&reads).unwrap().is_empty());
}
