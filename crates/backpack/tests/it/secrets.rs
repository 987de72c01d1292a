//! What a node may not know reaches it in no way.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use piton_backpack::{
    AccessControl, Error, Event, Filter, Operation, Options, PackOptions, Permissions, Scope,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::rig::{Rig, done, node};

/// Stands in every value that an outsider may not see.
const CANARY: &str = "canary-7f3a";

/// Everything that a node can learn from its scope.
fn everything_told(scope: &Scope, keys: &[&str]) -> String {
    fn say<T: std::fmt::Debug>(told: &mut String, answer: Result<T, Error>) {
        match answer {
            Ok(answer) => writeln!(told, "{answer:?}").unwrap(),
            Err(error) => {
                let envelope = serde_json::to_string(&error.envelope()).unwrap();
                writeln!(told, "{error} {error:?} {envelope}").unwrap();
            }
        }
    }
    let mut told = String::new();
    for key in keys {
        say(&mut told, scope.unpack::<Value>(key));
        say(&mut told, scope.unpack::<u32>(key));
        say(&mut told, scope.unpack_required::<Vec<bool>>(key));
        say(&mut told, scope.peek::<String>(key));
        say(&mut told, scope.item(key));
        say(&mut told, scope.delete(key));
        say(&mut told, scope.quarantine(key, "why"));
        say(&mut told, scope.pack(key, &1));
        say(&mut told, scope.pack_with(key, &2, &PackOptions::new().tagged(["open"]).unwrap()));
    }
    for pattern in ["**", "vault.*", "vault.a"] {
        say(&mut told, scope.unpack_by_namespace::<Value>(pattern));
        say(&mut told, scope.items_by_namespace(pattern));
    }
    say(&mut told, scope.history(&Filter::default()));
    write!(told, "{:?}", scope.keys()).unwrap();
    told
}

/// A backpack with secrets of every kind, and what observers received about it.
fn vault(strict: bool) -> (Rig, Arc<Mutex<String>>) {
    let rig = Rig::with(Options { strict, max_value_size: 1_000, ..Options::default() });
    let told = Arc::new(Mutex::new(String::new()));
    let book = Arc::clone(&told);
    rig.backpack
        .observe(Arc::new(move |event: &Event| {
            writeln!(book.lock().unwrap(), "{event:?}").unwrap();
        }))
        .unwrap();
    let maker = rig.node_in("maker", "vault.a");
    let pii = PackOptions::new().tagged(["pii"]).unwrap();
    let only = PackOptions::new().limited(AccessControl::only([node("maker")]));
    done(maker.pack_with("person", &CANARY, &pii));
    done(maker.pack_with("record", &json!({ CANARY: [CANARY] }), &only));
    done(maker.pack_with("large", &CANARY.repeat(200), &only));
    done(maker.pack_with("was", &CANARY, &only));
    done(maker.pack_with("was", &CANARY.repeat(2), &PackOptions::new()));
    done(maker.delete("was"));
    done(maker.pack_with("gone", &CANARY, &only));
    done(maker.quarantine("gone", "not to be seen"));
    (rig, told)
}

const KEYS: [&str; 6] = ["person", "record", "large", "was", "gone", "never"];

// shows: BP-042, BP-044
#[test]
fn no_answer_error_event_or_summary_shows_a_protected_value() {
    for strict in [true, false] {
        for permissions in [
            None,
            Some(Permissions::none()),
            Some(Permissions::none().reading_namespaces(["**"]).unwrap()),
            Some(Permissions::none().writing_namespaces(["**"]).unwrap()),
            Some(Permissions::none().reading(KEYS).unwrap().denying(KEYS).unwrap()),
        ] {
            let (rig, events) = vault(strict);
            let scope = match &permissions {
                None => rig.node_in("outsider", "out"),
                Some(permissions) => rig.limited_in("outsider", "out", permissions.clone()),
            };
            let told = everything_told(&scope, &KEYS);
            assert!(!told.contains(CANARY), "{permissions:?}: {told}");
            let debug = rig.backpack.debug();
            let commits = debug.history(&Filter::default()).unwrap();
            let shown = format!("{:?} {commits:?} {:?}", rig.backpack, debug.items());
            assert!(!shown.contains(CANARY), "{shown}");
            assert!(!events.lock().unwrap().contains(CANARY));
        }
    }
}

// shows: BP-044
#[test]
fn a_protected_value_is_shown_as_its_size_and_granted_readers_get_it() {
    let (rig, events) = vault(true);
    let events = events.lock().unwrap().clone();
    assert!(events.contains("[pii, 13 bytes]") && events.contains("[limited, "), "{events}");
    let maker = rig.node_in("maker", "vault.a");
    assert!(maker.unpack::<Value>("record").unwrap().unwrap().to_string().contains(CANARY));
    let granted = rig.limited("reader", Permissions::none().reading(["person"]).unwrap());
    assert_eq!(granted.unpack::<String>("person").unwrap().as_deref(), Some(CANARY));
    // What a granted reader does wrong with it is reported without it.
    let error = granted.unpack::<u32>("person").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value of `person` is a string, which does not read as `u32`"
    );
    assert_eq!(rig.backpack.debug().peek::<String>("person").unwrap().as_deref(), Some(CANARY));
}

// shows: BP-042
#[test]
fn what_was_quarantined_is_in_no_history_that_a_node_sees() {
    let rig = Rig::new();
    let a = rig.node("a");
    done(a.pack("result", &CANARY));
    done(a.quarantine("result", "the retry follows"));
    done(a.quarantine_value("attempt", &CANARY, "the retry follows"));
    done(a.pack("result", &"good"));
    let told = a.history(&Filter::default()).unwrap();
    let summaries: Vec<&str> = told.iter().map(|event| event.summary.as_str()).collect();
    assert_eq!(summaries, ["[13 bytes]", "\"good\""]);
    assert!(!everything_told(&a, &["result", "attempt"]).contains(CANARY));
}

// shows: BP-038, BP-042
#[test]
fn a_refusal_names_the_node_the_key_and_the_operation_and_nothing_else() {
    let (rig, _) = vault(true);
    let error = rig.node("outsider").unpack::<Value>("record").unwrap_err();
    let Error::AccessDenied { node, key, operation } = &error else { panic!("{error}") };
    assert_eq!((node.as_str(), key.as_str(), *operation), ("outsider", "record", Operation::Read));
    let told = serde_json::to_value(error.envelope()).unwrap();
    assert_eq!(told["message"], "The node `outsider` may not read `record`.");
    assert_eq!(
        told["details"],
        json!({ "key": "record", "node": "outsider", "operation": "read" })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    // shows: BP-031, BP-042, BP-043, BP-044
    #[test]
    fn permissions_never_leak_a_denied_value(
        read in prop::collection::btree_set(0..6_usize, 0..6),
        spaces in prop::sample::select(vec!["vault.*", "out.*", "**", "nowhere"]),
        labels in prop::collection::vec(0..3_u8, 6),
        strict in any::<bool>(),
    ) {
        let rig = Rig::with(Options { strict, ..Options::default() });
        let keys = ["k0", "k1", "k2", "k3", "k4", "k5"];
        let maker = rig.node_in("maker", "vault.a");
        let mut allowed = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            let (options, is_open) = match labels[place] {
                0 => (PackOptions::new(), true),
                1 => (PackOptions::new().tagged(["pii"]).unwrap(), false),
                _ => (PackOptions::new().limited(AccessControl::only([node("maker")])), false),
            };
            let named = read.contains(&place);
            let by_space = is_open && matches!(spaces, "vault.*" | "**");
            let may = by_space || named && labels[place] != 2;
            done(maker.pack_with(key, &format!("{CANARY}-{key}"), &options));
            if may {
                allowed.push(*key);
            }
        }
        let permissions = Permissions::none()
            .reading(read.iter().map(|place| keys[*place]))
            .unwrap()
            .reading_namespaces([spaces])
            .unwrap();
        let scope = rig.limited("outsider", permissions);
        let told = everything_told(&scope, &keys);
        for key in keys {
            let is_told = told.contains(&format!("{CANARY}-{key}"));
            prop_assert_eq!(is_told, allowed.contains(&key), "{} {:?}", key, labels);
        }
    }
}
