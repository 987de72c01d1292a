//! Who may do what.

use std::sync::{Arc, Mutex};

use piton_backpack::{
    AccessControl, Action, Error, Event, Filter, Operation, Options, PackOptions, Permissions,
    Scope, WriteOutcome,
};

use crate::rig::{Rig, done, node};

fn denied(operation: Operation) -> impl Fn(&Error) -> bool {
    move |error| matches!(error, Error::AccessDenied { operation: found, .. } if *found == operation)
}

fn reads(scope: &Scope, key: &str) -> bool {
    match scope.peek::<serde_json::Value>(key) {
        Ok(found) => found.is_some(),
        Err(Error::AccessDenied { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

fn writes(scope: &Scope, key: &str) -> bool {
    match scope.pack(key, &"written") {
        Ok(outcome) => outcome.done().is_some(),
        Err(Error::AccessDenied { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

fn none() -> Permissions {
    Permissions::none()
}

/// A backpack with a plain item, one of the namespace `vault.a`, one about a person, and one for `doctor` only.
fn stocked() -> Rig {
    let rig = Rig::new();
    done(rig.node("maker").pack("plain", &1));
    done(rig.node_in("maker", "vault.a").pack("kept", &2));
    let pii = PackOptions::new().tagged(["pii"]).unwrap();
    done(rig.node_in("maker", "vault.a").pack_with("person", &3, &pii));
    let only = PackOptions::new().limited(AccessControl::only([node("doctor")]));
    done(rig.node_in("maker", "vault.a").pack_with("record", &4, &only));
    rig
}

// shows in part: BP-003 (what happens through a scope is attributed to its node)
#[test]
fn everything_that_a_node_does_is_done_in_its_name() {
    let rig = stocked();
    let identity = piton_backpack::NodeIdentity::new("worker", "Worker").unwrap();
    let identity = identity.within("vault.work".parse().unwrap());
    let permissions = none().reading(["plain", "mine"]).unwrap().writing(["mine"]).unwrap();
    let scope = rig.backpack.scope(identity.clone(), Some(permissions)).unwrap();
    let before = rig.history_len();
    let clone = scope.clone();
    done(scope.pack("mine", &1));
    assert_eq!(clone.unpack("mine").unwrap(), Some(1));
    assert_eq!(scope.unpack_by_namespace::<u8>("vault.work").unwrap().len(), 1);
    assert!(denied(Operation::Read)(&scope.unpack::<u8>("record").unwrap_err()));
    assert!(denied(Operation::Write)(&clone.pack("plain", &2).unwrap_err()));
    done(scope.clone().at_step(None).delete("mine"));
    done(scope.pack("mine", &2));
    done(scope.quarantine("mine", "wrong"));
    done(scope.quarantine_value("mine", &3, "tried"));
    let commits = rig.backpack.debug().history(&Filter::default()).unwrap();
    let made: Vec<Action> = commits[before..].iter().map(piton_backpack::Commit::action).collect();
    let (pack, unpack, deny) = (Action::Pack, Action::Unpack, Action::Deny);
    let (delete, quarantine) = (Action::Delete, Action::Quarantine);
    let expected = [pack, unpack, unpack, deny, deny, delete, pack, quarantine, quarantine];
    assert_eq!(made, expected);
    assert!(commits[before..].iter().all(|commit| *commit.author() == identity));
}

// shows in part: BP-007 (that it needs no name and skips the checks)
#[test]
fn the_debug_handle_reads_without_a_name_and_past_all_checks() {
    let rig = stocked();
    let before = rig.history_len();
    let debug = rig.backpack.debug();
    for (key, value) in [("plain", 1), ("kept", 2), ("person", 3), ("record", 4)] {
        assert_eq!(debug.peek(key).unwrap(), Some(value));
    }
    assert!(!reads(&rig.limited("anyone", none()), "plain"), "a node may not");
    let denials = 1;
    assert_eq!(rig.history_len(), before + denials, "the handle leaves no trace");
}

// shows: BP-030, BP-031, BP-032, BP-035, BP-036
#[test]
fn reads_follow_the_matrix_of_permissions_and_items() {
    let keys = ["plain", "kept", "person", "record"];
    let all = || none().reading(keys).unwrap();
    let table: &[(&str, Option<Permissions>, [bool; 4])] = &[
        ("anyone", None, [true, true, false, false]),
        ("doctor", None, [true, true, false, true]),
        ("anyone", Some(none()), [false; 4]),
        ("doctor", Some(none()), [false; 4]),
        ("anyone", Some(all()), [true, true, true, false]),
        ("doctor", Some(all()), [true; 4]),
        ("anyone", Some(all().denying(keys).unwrap()), [false; 4]),
        ("anyone", Some(none().writing(keys).unwrap()), [false; 4]),
        (
            "anyone",
            Some(none().reading_namespaces(["vault.*"]).unwrap()),
            [false, true, false, false],
        ),
        ("anyone", Some(none().reading_namespaces(["**"]).unwrap()), [false, true, false, false]),
        ("doctor", Some(none().reading_namespaces(["**"]).unwrap()), [false, true, false, true]),
        (
            "anyone",
            Some(none().reading_namespaces(["**"]).unwrap().denying(["kept"]).unwrap()),
            [false; 4],
        ),
    ];
    for (id, permissions, expected) in table {
        let rig = stocked();
        let scope = match permissions {
            None => rig.node(id),
            Some(permissions) => rig.limited(id, permissions.clone()),
        };
        let found = keys.map(|key| reads(&scope, key));
        assert_eq!(found, *expected, "{id} with {permissions:?}");
    }
}

// shows: BP-030, BP-031, BP-033, BP-034, BP-035
#[test]
fn writes_follow_the_matrix_of_permissions_and_items() {
    let keys = ["plain", "kept", "record", "new"];
    let all = || none().writing(keys).unwrap();
    let spaces =
        |patterns: &[&str]| Some(none().writing_namespaces(patterns.iter().copied()).unwrap());
    let table: &[(&str, Option<Permissions>, [bool; 4])] = &[
        ("anyone", None, [true, true, false, true]),
        ("doctor", None, [true; 4]),
        ("anyone", Some(none()), [false; 4]),
        ("anyone", Some(all()), [true, true, false, true]),
        ("doctor", Some(all()), [true; 4]),
        ("anyone", Some(all().denying(keys).unwrap()), [false; 4]),
        ("anyone", Some(none().reading(keys).unwrap()), [false; 4]),
        // The writer stands in `out.b`: its own namespace lets it make keys, not overwrite those of others.
        ("anyone", spaces(&["out.*"]), [false, false, false, true]),
        ("anyone", spaces(&["vault.*"]), [false, true, false, false]),
        ("anyone", spaces(&["vault.*", "out.*"]), [false, true, false, true]),
        ("anyone", spaces(&["other.*"]), [false; 4]),
    ];
    for (id, permissions, expected) in table {
        let rig = stocked();
        let scope = match permissions {
            None => rig.node_in(id, "out.b"),
            Some(permissions) => rig.limited_in(id, "out.b", permissions.clone()),
        };
        let found = keys.map(|key| writes(&scope, key));
        assert_eq!(found, *expected, "{id} with {permissions:?}");
    }
}

// shows: BP-037, BP-038
#[test]
fn strict_mode_refuses_with_an_error_and_lenient_mode_with_nothing_and_both_record_it() {
    for strict in [true, false] {
        let rig = Rig::with(Options { strict, ..Options::default() });
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&events);
        rig.backpack
            .observe(Arc::new(move |event: &Event| told.lock().unwrap().push(event.clone())))
            .unwrap();
        done(rig.node("maker").pack("secret", &"canary"));
        let outsider = rig.limited("outsider", none());
        if strict {
            assert!(denied(Operation::Read)(&outsider.unpack::<String>("secret").unwrap_err()));
            assert!(denied(Operation::Read)(&outsider.peek::<String>("secret").unwrap_err()));
            assert!(denied(Operation::Write)(&outsider.pack("secret", &1).unwrap_err()));
            assert!(denied(Operation::Write)(&outsider.delete("secret").unwrap_err()));
            assert!(denied(Operation::Write)(&outsider.quarantine("secret", "").unwrap_err()));
        } else {
            assert_eq!(outsider.unpack::<String>("secret").unwrap(), None);
            assert_eq!(outsider.peek::<String>("secret").unwrap(), None);
            assert!(matches!(outsider.pack("secret", &1).unwrap(), WriteOutcome::Refused(_)));
            assert!(matches!(outsider.delete("secret").unwrap(), WriteOutcome::Refused(_)));
            assert!(matches!(outsider.quarantine("secret", "").unwrap(), WriteOutcome::Refused(_)));
        }
        let debug = rig.backpack.debug();
        assert_eq!(debug.peek::<String>("secret").unwrap().as_deref(), Some("canary"));
        let filter = Filter { action: Some(Action::Deny), ..Filter::default() };
        let trail: Vec<String> = debug
            .history(&filter)
            .unwrap()
            .iter()
            .map(|c| format!("{c:?}")[35..].to_owned())
            .collect();
        let (read, write) =
            ("outsider deny secret [read denied]", "outsider deny secret [write denied]");
        assert_eq!(trail, [read, read, write, write, write]);
        let refused =
            |event: &&Event| matches!(event, Event::Committed(told) if told.refused.is_some());
        assert_eq!(events.lock().unwrap().iter().filter(refused).count(), 5);
    }
}

// shows: BP-006
#[test]
fn a_peek_leaves_no_trace_unless_it_is_refused() {
    let rig = stocked();
    let before = rig.history_len();
    assert_eq!(rig.node("anyone").peek("plain").unwrap(), Some(1));
    assert_eq!(rig.node("anyone").peek::<u8>("nothing").unwrap(), None);
    assert_eq!(rig.history_len(), before);
    let error = rig.limited("outsider", none()).peek::<u8>("plain").unwrap_err();
    assert!(denied(Operation::Read)(&error));
    assert_eq!(rig.history_len(), before + 1);
}

// shows: BP-043
#[test]
fn a_denied_key_and_a_missing_one_get_the_same_answer() {
    for strict in [true, false] {
        let rig = Rig::with(Options { strict, ..Options::default() });
        let scope = rig.limited("outsider", none().reading(["named"]).unwrap());
        let answers = || {
            let read = scope.unpack::<u8>("key").map_err(|error| error.envelope());
            let peek = scope.peek::<u8>("key").map_err(|error| error.envelope());
            let required = scope.unpack_required::<u8>("key").map_err(|error| error.envelope());
            let delete = scope.delete("key").map(|_| ()).map_err(|error| error.envelope());
            let quarantine =
                scope.quarantine("key", "why").map(|_| ()).map_err(|error| error.envelope());
            let pack = scope.pack("key", &1).map(|_| ()).map_err(|error| error.envelope());
            format!("{read:?}{peek:?}{required:?}{delete:?}{quarantine:?}{pack:?}")
        };
        let missing = answers();
        done(rig.node("maker").pack("key", &7));
        assert_eq!(answers(), missing);
        done(rig.node("maker").quarantine("key", "why"));
        assert_eq!(answers(), missing);
        assert_eq!(scope.unpack::<u8>("named").unwrap(), None);
    }
}

// shows: BP-040
#[test]
fn a_namespace_query_gives_what_the_node_may_read_and_nothing_else() {
    let rig = stocked();
    let names = |scope: &Scope| -> Vec<String> {
        let found = scope.unpack_by_namespace::<u8>("vault.*").unwrap();
        found.into_iter().map(|(key, _)| key.to_string()).collect()
    };
    assert_eq!(names(&rig.node("anyone")), ["kept"]);
    assert_eq!(names(&rig.node("doctor")), ["kept", "record"]);
    let wild = none().reading_namespaces(["vault.*"]).unwrap();
    assert_eq!(names(&rig.limited("anyone", wild.clone())), ["kept"]);
    assert!(names(&rig.limited("anyone", wild.denying(["kept"]).unwrap())).is_empty());
    let by_key = none().reading(["person"]).unwrap();
    assert_eq!(names(&rig.limited("anyone", by_key)), ["person"]);
    assert!(names(&rig.limited("anyone", none())).is_empty());
    let keys: Vec<String> = rig.node("anyone").keys().iter().map(ToString::to_string).collect();
    assert_eq!(keys, ["kept", "plain"]);
}

// shows: BP-045
#[test]
fn labels_stay_unless_a_writer_that_the_item_names_changes_them() {
    let rig = stocked();
    let labels = |key| rig.backpack.debug().item(key).unwrap().unwrap().labels().clone();
    let (person, record) = (labels("person"), labels("record"));
    done(rig.node("anyone").pack("person", &33));
    assert_eq!(labels("person"), person);
    let cleared = PackOptions::new().tagged([]).unwrap();
    let error = rig.node("anyone").pack_with("person", &34, &cleared).unwrap_err();
    assert!(denied(Operation::Label)(&error), "{error}");
    assert_eq!(rig.backpack.debug().peek("person").unwrap(), Some(33));

    done(rig.node("doctor").pack("record", &44));
    assert_eq!(labels("record"), record);
    done(rig.node("doctor").pack_with("record", &45, &PackOptions::new().tagged(["pii"]).unwrap()));
    assert!(labels("record").is_pii());
    assert_eq!(labels("record").access, record.access);
    let open = PackOptions::new().limited(AccessControl::default());
    done(rig.node("doctor").pack_with("record", &46, &open));
    assert_eq!(labels("record").access, None);
}

// shows: BP-039
#[test]
fn a_pattern_that_cannot_match_is_an_error_where_it_is_declared() {
    for bad in ["", ".", "a.", "a..b"] {
        assert!(matches!(none().reading_namespaces([bad]), Err(Error::BadPattern { .. })), "{bad}");
        assert!(matches!(none().writing_namespaces([bad]), Err(Error::BadPattern { .. })), "{bad}");
        let error = Rig::new().node("a").items_by_namespace(bad).unwrap_err();
        assert!(matches!(error, Error::BadPattern { .. }), "{bad}");
    }
}
