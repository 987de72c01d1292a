//! What the history says, and how much of it stays.

use std::sync::{Arc, Mutex};

use piton_backpack::{Access, Action, Commit, CommitId, Error, Event, Filter, Key, Options};
use serde_json::json;

use crate::rig::{Rig, done, node};

fn history(rig: &Rig, filter: &Filter) -> Vec<Commit> {
    rig.backpack.debug().history(filter).unwrap()
}

// shows: BP-010
#[test]
fn every_action_is_a_commit_that_says_who_did_what_to_which_value() {
    let rig = Rig::new();
    let (a, b) = (rig.node("a"), rig.node("b"));
    done(a.pack("x", &"one"));
    done(b.pack("x", &"two"));
    assert_eq!(b.unpack::<String>("x").unwrap().as_deref(), Some("two"));
    assert_eq!(b.unpack::<String>("y").unwrap(), None);
    done(a.delete("x"));
    done(a.pack("z", &3));
    done(b.quarantine("z", "not needed"));
    let text =
        |item: Option<&piton_backpack::Item>| item.map(|item| item.text().unwrap().to_owned());
    let told: Vec<_> = history(&rig, &Filter::default())
        .iter()
        .map(|commit| {
            let who = format!("{} {} {}", commit.author().id, commit.action(), commit.key());
            (who, text(commit.previous()), text(commit.value()), commit.size(), commit.summary())
        })
        .collect();
    let (one, two, three) = ("\"one\"".to_owned(), "\"two\"".to_owned(), "3".to_owned());
    let expected = [
        ("a pack x", None, Some(one.clone()), Some(5), one.clone()),
        ("b pack x", Some(one), Some(two.clone()), Some(5), two.clone()),
        ("b unpack x", None, Some(two.clone()), Some(5), two.clone()),
        ("b unpack y", None, None, None, "[missing]".to_owned()),
        ("a delete x", Some(two), None, Some(5), "[deleted, 5 bytes]".to_owned()),
        ("a pack z", None, Some(three.clone()), Some(1), three.clone()),
        (
            "b quarantine z",
            Some(three),
            None,
            Some(1),
            "[quarantined, 1 bytes] not needed".to_owned(),
        ),
    ];
    let expected = expected
        .map(|(who, before, after, size, summary)| (who.to_owned(), before, after, size, summary));
    assert_eq!(told, expected);
}

// shows: BP-010
#[test]
fn a_summary_has_at_most_200_bytes_and_ends_between_two_characters() {
    let rig = Rig::new();
    let a = rig.node("a");
    for text in ["short", &"x".repeat(198), &"x".repeat(199), &"é".repeat(300), &"日".repeat(300)]
    {
        let commit = rig.backpack.debug().commit(done(a.pack("text", &text))).unwrap();
        let summary = commit.summary();
        assert!(summary.len() <= 200, "{}", summary.len());
        assert_eq!(summary.ends_with('…'), text.len() + 2 > 200, "{summary}");
    }
}

// shows: BP-011
#[test]
fn ten_thousand_commits_have_ids_that_sort_in_their_order() {
    let rig = Rig::new();
    let a = rig.node("a");
    let ids: Vec<CommitId> = (0..10_000).map(|count| done(a.pack("x", &count))).collect();
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(texts.windows(2).all(|pair| pair[0] < pair[1]));
    for (id, text) in ids.iter().zip(&texts) {
        assert_eq!(text.parse(), Ok(*id));
    }
    let fork = rig.backpack.fork();
    let b = fork.scope(piton_backpack::NodeIdentity::new("b", "b").unwrap(), None).unwrap();
    assert!(!ids.contains(&done(b.pack("x", &1))));
    for wrong in
        ["", "c", "x00000000002a-51b0c4d2e9a7f0135566", "c00000000002A-51b0c4d2e9a7f0135566"]
    {
        assert!(wrong.parse::<CommitId>().is_err(), "{wrong}");
    }
}

// shows in part: BP-012 (the part about commits that were given out)
#[test]
fn commits_that_were_given_out_stay_as_they_are() {
    let rig = Rig::new();
    let a = rig.node("a");
    let mut value = json!({ "list": [1] });
    done(a.pack("x", &value));
    value["list"][0] = json!(2);
    let mut read: serde_json::Value = a.unpack("x").unwrap().unwrap();
    read["list"] = json!([]);
    let held = history(&rig, &Filter::default());
    let copies = held.clone();
    for count in 0..1_000 {
        let _ = match count % 4 {
            0 => a.pack("x", &count),
            1 => a.delete("x"),
            2 => a.quarantine_value("x", &count, "tried"),
            _ => a.pack("y", &count),
        };
    }
    assert_eq!(held, copies);
    assert_eq!(history(&rig, &Filter::default())[..2], copies[..]);
    assert_eq!(copies[0].value().unwrap().text().unwrap(), r#"{"list":[1]}"#);
}

// shows: BP-013 (with values_push_the_oldest_commits_out_but_a_hundred_stay, rows)
#[test]
fn thirty_thousand_packs_stay_within_the_budget_and_warn_a_few_times() {
    let rig = Rig::new();
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&warnings);
    rig.backpack
        .observe(Arc::new(move |event: &Event| {
            if let Event::Pruned { commits, left, .. } = event {
                told.lock().unwrap().push((*commits, *left));
            }
        }))
        .unwrap();
    let a = rig.node("a");
    let mut most = 0;
    for count in 0..30_000 {
        done(a.pack(&format!("key-{}", count % 100), &count));
        if count % 1_000 == 0 {
            most = most.max(rig.history_len());
        }
    }
    assert!(most <= 10_000 && (8_000..=10_000).contains(&rig.history_len()));
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 10);
    assert!(warnings.iter().all(|warning| *warning == (2_001, 8_000)), "{warnings:?}");
}

// shows in part: BP-013 (the part about bytes and the commits that always stay)
#[test]
fn values_push_the_oldest_commits_out_but_a_hundred_stay() {
    assert_eq!(
        (Options::default().max_history, Options::default().history_bytes),
        (10_000, 50 << 20)
    );
    let options = Options { history_bytes: 1_000_000, ..Options::default() };
    let rig = Rig::with(options);
    let warned = Arc::new(Mutex::new(0));
    let told = Arc::clone(&warned);
    rig.backpack
        .observe(Arc::new(move |event: &Event| {
            if let Event::Pruned { left, left_bytes, .. } = event {
                assert!(*left >= 100 && (*left_bytes <= 800_000 || *left == 100));
                *told.lock().unwrap() += 1;
            }
        }))
        .unwrap();
    let a = rig.node("a");
    for _ in 0..1_000 {
        done(a.pack("x", &"v".repeat(2_000)));
    }
    assert!(rig.history_len() * 3_282 <= 1_000_000);
    let small = *warned.lock().unwrap();
    assert!((5..=20).contains(&small), "{small}");
    for _ in 0..1_000 {
        done(a.pack("x", &"v".repeat(50_000)));
    }
    assert!((100..=125).contains(&rig.history_len()), "{}", rig.history_len());
    assert!(*warned.lock().unwrap() - small <= 45);
}

// shows: BP-017
#[test]
fn the_history_of_a_key_names_every_writer() {
    let rig = Rig::new();
    for (place, writer) in ["a", "b", "c"].iter().enumerate() {
        done(rig.node(writer).pack("x", &place));
        done(rig.node(writer).pack("other", &place));
    }
    let told: Vec<_> = rig
        .backpack
        .debug()
        .key_history("x")
        .unwrap()
        .iter()
        .map(|commit| (commit.author().id.to_string(), commit.value().unwrap().version()))
        .collect();
    assert_eq!(told, [("a".to_owned(), 1), ("b".to_owned(), 2), ("c".to_owned(), 3)]);
}

// shows: BP-018
#[test]
fn the_access_log_lists_what_a_node_read_or_wrote_in_order() {
    let rig = Rig::new();
    let (a, b) = (rig.node("a"), rig.node("b"));
    done(a.pack("x", &1));
    assert_eq!(b.unpack::<u8>("x").unwrap(), Some(1));
    done(b.pack("y", &2));
    assert_eq!(a.unpack::<u8>("y").unwrap(), Some(2));
    assert_eq!(b.unpack::<u8>("y").unwrap(), Some(2));
    done(b.delete("x"));
    let log = |id: &str, access| -> Vec<String> {
        let commits = rig.backpack.debug().access_log(&node(id), access);
        commits.iter().map(|commit| format!("{} {}", commit.action(), commit.key())).collect()
    };
    assert_eq!(log("a", Access::Read), ["unpack y"]);
    assert_eq!(log("a", Access::Write), ["pack x"]);
    assert_eq!(log("b", Access::Read), ["unpack x", "unpack y"]);
    assert_eq!(log("b", Access::Write), ["pack y", "delete x"]);
}

// shows: BP-057
#[test]
fn the_history_is_oldest_first_and_filtered_by_node_key_action_and_range() {
    let rig = Rig::new();
    let ids = [
        done(rig.node("a").pack("x", &1)),
        done(rig.node("b").pack("y", &2)),
        done(rig.node("a").pack("y", &3)),
        done(rig.node("a").delete("x")),
    ];
    let check = |filter: Filter, expected: &[usize]| {
        let found: Vec<CommitId> = history(&rig, &filter).iter().map(Commit::id).collect();
        let expected: Vec<CommitId> = expected.iter().map(|place| ids[*place]).collect();
        assert_eq!(found, expected, "{filter:?}");
    };
    let all = Filter::default;
    check(all(), &[0, 1, 2, 3]);
    check(Filter { node: Some(node("a")), ..all() }, &[0, 2, 3]);
    check(Filter { key: Some(Key::parse("y").unwrap()), ..all() }, &[1, 2]);
    check(Filter { action: Some(Action::Delete), ..all() }, &[3]);
    check(Filter { from: Some(ids[1]), until: Some(ids[2]), ..all() }, &[1, 2]);
    check(Filter { node: Some(node("b")), from: Some(ids[2]), ..all() }, &[]);

    let other = Rig::with(Options { strict: false, ..Options::default() });
    let _ = other.backpack.fork();
    let unknown = done(
        other
            .backpack
            .fork()
            .scope(piton_backpack::NodeIdentity::new("a", "a").unwrap(), None)
            .unwrap()
            .pack("x", &1),
    );
    let debug = rig.backpack.debug();
    let errors = [
        debug.history(&Filter { from: Some(unknown), ..all() }).unwrap_err(),
        debug.history(&Filter { until: Some(unknown), ..all() }).unwrap_err(),
        debug.commit(unknown).unwrap_err(),
        rig.backpack.snapshot_at_commit(unknown).unwrap_err(),
        rig.backpack.replay_from_commit(unknown).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), format!("the backpack has no commit {unknown}"));
        assert!(matches!(error, Error::UnknownCommit { .. }));
    }
}

// shows: BP-016 (with history_and_snapshots_reach_back_to_the_first_commit_with_every_value)
// shows: BP-029 (with values_that_look_like_nothing_are_values)
#[test]
fn a_value_that_is_too_large_for_the_history_is_in_use_and_unavailable_in_the_past() {
    assert_eq!(Options::default().max_value_size, 100 << 10);
    let rig = Rig::with(Options { max_value_size: 1_000, ..Options::default() });
    let a = rig.node("a");
    let big = "b".repeat(2_000);
    let packed = done(a.pack("big", &big));
    done(a.pack("small", &1));
    assert_eq!(a.unpack::<String>("big").unwrap(), Some(big.clone()));
    let commit = rig.backpack.debug().commit(packed).unwrap();
    assert_eq!((commit.size(), commit.summary()), (Some(2_002), "[large, 2002 bytes]".to_owned()));

    let snapshot = rig.backpack.snapshot_at_commit(packed).unwrap();
    let item = snapshot.debug().item("big").unwrap().unwrap();
    assert_eq!((item.is_available(), item.size()), (false, 2_002));
    let reader =
        snapshot.scope(piton_backpack::NodeIdentity::new("r", "r").unwrap(), None).unwrap();
    let errors = [
        reader.unpack::<String>("big").unwrap_err(),
        reader.peek::<String>("big").unwrap_err(),
        reader.unpack_required::<String>("big").unwrap_err(),
        snapshot.debug().peek::<String>("big").unwrap_err(),
        snapshot.to_json().unwrap_err(),
        snapshot.debug().validate(&json!({})).unwrap_err(),
        piton_backpack::StateDiff::between(&Rig::new().backpack, &snapshot).unwrap_err(),
    ];
    for error in errors {
        let Error::Unavailable { key, size } = &error else { panic!("{error}") };
        assert_eq!((key.as_str(), *size), ("big", 2_002));
    }
    // Replaced by a small one, and quarantined as a large one.
    done(a.pack("big", &2));
    assert_eq!(a.unpack("big").unwrap(), Some(2));
    done(a.pack("big", &big));
    done(a.quarantine("big", "too large"));
    assert_eq!(rig.backpack.debug().quarantined()[0].value::<String>().unwrap(), Some(big.clone()));
    done(a.pack("big", &big));
    assert_eq!(rig.backpack.fork().debug().peek::<String>("big").unwrap(), Some(big));
}

// shows in part: BP-029 (what is falsy stays available)
#[test]
fn values_that_look_like_nothing_are_values() {
    let rig = Rig::new();
    let a = rig.node("a");
    for value in [json!(false), json!(0), json!(""), json!(null), json!([]), json!({})] {
        let commit = done(a.pack("x", &value));
        let snapshot = rig.backpack.snapshot_at_commit(commit).unwrap();
        assert_eq!(snapshot.debug().peek("x").unwrap(), Some(value.clone()));
        let (ports, _) = crate::rig::ports(1);
        let loaded = piton_backpack::Backpack::from_json(&rig.backpack.to_json().unwrap(), ports);
        assert_eq!(loaded.unwrap().debug().peek("x").unwrap(), Some(value));
    }
}

// shows: BP-052
#[test]
fn a_quarantine_without_a_trace_keeps_the_size_and_the_reason_only() {
    let rig = Rig::new();
    let a = rig.node("a");
    let packed = done(a.pack("x", &"canary"));
    let commit = done(a.quarantine_without_trace("x", "not to be kept"));
    let debug = rig.backpack.debug();
    let entry = &debug.quarantined()[0];
    assert!(entry.item().is_none());
    assert_eq!((entry.size(), entry.by().id.as_str(), entry.reason()), (8, "a", "not to be kept"));
    let commit = debug.commit(commit).unwrap();
    assert!(commit.previous().is_none() && commit.value().is_none());
    let packed = debug.commit(packed).unwrap();
    assert_eq!(packed.value().unwrap().text().unwrap(), "\"canary\"");
}

// shows: BP-055 (with failed_attempts_lie_in_quarantine_with_their_number_and_error)
#[test]
fn a_value_put_straight_into_quarantine_is_never_in_use() {
    let rig = Rig::new();
    let node =
        rig.limited("retrying", piton_backpack::Permissions::none().writing(["result"]).unwrap());
    for attempt in 0..2 {
        let error = json!({ "attempt": attempt, "error": "timeout" });
        done(node.quarantine_value(&format!("retry_{attempt}"), &error, "a success follows"));
    }
    done(node.pack("result", &"ok"));
    let debug = rig.backpack.debug();
    assert_eq!(debug.keys().len(), 1);
    let kept = debug.quarantined();
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[1].value::<serde_json::Value>().unwrap().unwrap()["attempt"], 1);
    for commit in debug.history(&Filter::default()).unwrap() {
        let snapshot = rig.backpack.snapshot_at_commit(commit.id()).unwrap();
        assert!(snapshot.debug().keys().iter().all(|key| key.as_str() == "result"));
    }
}

// shows: BP-056
#[test]
fn initial_items_are_commits_of_the_system() {
    let (ports, _) = crate::rig::ports(3);
    let options = Options { max_history: 500, strict: false, ..Options::default() };
    let initial = [("a", json!(1)), ("b", json!({ "c": 2 }))];
    let backpack = piton_backpack::Backpack::new(initial, options, ports).unwrap();
    assert_eq!(*backpack.options(), options);
    for item in backpack.debug().items() {
        assert_eq!((item.source().id.as_str(), item.version()), ("system", 1));
    }
    let commits = backpack.debug().history(&Filter::default()).unwrap();
    assert!(commits.iter().all(|commit| commit.action() == Action::Pack) && commits.len() == 2);
    let defaults = Options::default();
    let numbers = (defaults.max_history, defaults.history_bytes, defaults.max_value_size);
    assert_eq!((numbers, defaults.strict), ((10_000, 50 << 20, 100 << 10), true));
    let (ports, _) = crate::rig::ports(3);
    assert!(piton_backpack::Backpack::new([("", 1)], options, ports).is_err());
}
