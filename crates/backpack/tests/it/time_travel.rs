//! Past states, and what differs between them.

use std::time::Duration;

use piton_backpack::{
    Backpack, ChangeKind, Error, Filter, NodeIdentity, Options, StateDiff, WriteOutcome,
};
use piton_core::TimestampMs;

use crate::rig::{Rig, done, node};

// shows: BP-020, BP-027
#[test]
fn a_snapshot_at_a_commit_is_the_state_after_it() {
    let rig = Rig::new();
    let a = rig.node("a");
    let first = done(a.pack("x", &1));
    let second = done(a.pack("y", &2));
    let third = done(a.quarantine("x", "wrong"));
    let fourth = done(a.delete("y"));
    let keys = |commit| {
        let snapshot = rig.backpack.snapshot_at_commit(commit).unwrap();
        let keys = snapshot.debug().keys();
        (
            keys.iter().map(ToString::to_string).collect::<Vec<_>>(),
            snapshot.debug().quarantined().len(),
        )
    };
    assert_eq!(keys(first), (vec!["x".to_owned()], 0));
    assert_eq!(keys(second), (vec!["x".to_owned(), "y".to_owned()], 0));
    assert_eq!(keys(third), (vec!["y".to_owned()], 1));
    assert_eq!(keys(fourth), (vec![], 1));
}

// shows: BP-021
#[test]
fn a_snapshot_before_a_node_is_the_state_before_its_first_commit() {
    let rig = Rig::new();
    done(rig.node("first").pack("x", &1));
    assert_eq!(rig.node("second").unpack::<u8>("x").unwrap(), Some(1));
    done(rig.node("first").pack("x", &2));
    done(rig.node("second").pack("x", &3));
    let before = |id: &str| {
        let snapshot = rig.backpack.snapshot_before_node(&node(id)).unwrap();
        (snapshot.debug().peek::<u8>("x").unwrap(), snapshot.origin().unwrap().commit.is_some())
    };
    assert_eq!(before("first"), (None, false));
    assert_eq!(before("second"), (Some(1), true));
    let error = rig.backpack.snapshot_before_node(&node("nobody")).unwrap_err();
    assert_eq!(error.to_string(), "no commit of the backpack is by the node `nobody`");
}

// shows: BP-022, BP-058
#[test]
fn a_snapshot_at_a_time_takes_all_commits_of_it_and_time_never_goes_back() {
    let rig = Rig::new();
    let a = rig.node("a");
    done(a.pack("x", &1));
    done(a.pack("x", &2));
    rig.clock.advance(Duration::from_millis(5));
    done(a.pack("x", &3));
    rig.clock.set(TimestampMs(10));
    done(a.pack("x", &4));
    let at = |time| {
        let snapshot = rig.backpack.snapshot_at(TimestampMs(time)).unwrap();
        snapshot.debug().peek::<u8>("x").unwrap()
    };
    assert_eq!(
        [at(999), at(1_000), at(1_004), at(1_005), at(9_999)],
        [None, Some(2), Some(2), Some(4), Some(4)]
    );
    let times: Vec<u64> = rig
        .backpack
        .debug()
        .history(&Filter::default())
        .unwrap()
        .iter()
        .map(|commit| commit.timestamp().get())
        .collect();
    assert_eq!(times, [1_000, 1_000, 1_005, 1_005]);
}

// shows: BP-023 (with any_moment_of_a_run_can_be_looked_at_and_run_again_from)
// shows: BP-028 (with a_fork_with_a_journal_goes_on_from_a_commit_and_survives)
// shows in part: BP-026 (the part of the backpack)
#[test]
fn a_snapshot_is_a_backpack_of_its_own_and_says_where_it_comes_from() {
    let rig = Rig::new();
    let a = rig.node("a");
    let first = done(a.pack("x", &1));
    done(a.pack("x", &2));
    let fork = rig.backpack.replay_from_commit(first).unwrap();
    let origin = fork.origin().unwrap();
    assert_eq!((&origin.backpack, origin.commit), (rig.backpack.id(), Some(first)));
    let b = fork.scope(piton_backpack::NodeIdentity::new("b", "b").unwrap(), None).unwrap();
    let written = done(b.pack("x", &7));
    done(b.pack("y", &8));
    assert_eq!(rig.backpack.debug().peek("x").unwrap(), Some(2));
    assert_eq!(rig.backpack.debug().peek::<u8>("y").unwrap(), None);
    assert_eq!(fork.debug().item("x").unwrap().unwrap().version(), 2);
    assert!(matches!(rig.backpack.snapshot_at_commit(written), Err(Error::UnknownCommit { .. })));

    let other = rig.backpack.replay_from_commit(first).unwrap();
    let again = rig.backpack.snapshot_at_commit(first).unwrap();
    assert!(StateDiff::between(&again, &other).unwrap().is_empty());
    let diff = StateDiff::between(&again, &fork).unwrap();
    assert_eq!(diff.keys(ChangeKind::Modified)[0].as_str(), "x");
    assert_eq!(diff.keys(ChangeKind::Added)[0].as_str(), "y");
    assert_eq!(diff.changes[0].by.as_ref().unwrap().id.as_str(), "b");
    let c = other.scope(piton_backpack::NodeIdentity::new("c", "c").unwrap(), None).unwrap();
    done(c.pack("x", &9));
    assert_eq!(fork.origin(), other.origin());
    let between = StateDiff::between(&fork, &other).unwrap();
    assert_eq!(
        (between.keys(ChangeKind::Modified).len(), between.keys(ChangeKind::Deleted).len()),
        (1, 1)
    );
    assert_eq!(StateDiff::between(&again, &other).unwrap().changes.len(), 1);
}

/// A name, and how many keys a look at a snapshot finds.
type Look<'a> = (&'a str, &'a dyn Fn(&Backpack) -> usize);

/// Between two checkpoints a snapshot is some commits ahead of what it shares. However it is looked at first, these are
/// part of it.
// shows in part: BP-020 (the part about the first look)
#[test]
fn a_snapshot_is_whole_whatever_is_asked_of_it_first() {
    let rig = Rig::new();
    let a = rig.node("a");
    let ids: Vec<_> = (0..7).map(|number| done(a.pack(&format!("k{number}"), &number))).collect();
    let b = |taken: &Backpack| taken.scope(NodeIdentity::new("b", "b").unwrap(), None).unwrap();
    let looks: [Look<'_>; 5] = [
        ("a node", &|taken| b(taken).keys().len()),
        ("the debug handle", &|taken| taken.debug().keys().len()),
        ("a fork", &|taken| taken.fork().debug().keys().len()),
        ("a diff", &|taken| StateDiff::between(&Rig::new().backpack, taken).unwrap().changes.len()),
        ("a write", &|taken| {
            let first = done(b(taken).pack("new", &1));
            assert_eq!(first.number(), 0, "its history is its own");
            taken.snapshot_at_commit(first).unwrap().debug().keys().len() - 1
        }),
    ];
    for (count, id) in ids.iter().enumerate() {
        for (name, look) in &looks {
            let taken = rig.backpack.snapshot_at_commit(*id).unwrap();
            assert_eq!(look(&taken), count + 1, "{name} after {} commits", count + 1);
        }
    }
    assert_eq!(rig.backpack.debug().keys().len(), 7);
}

// shows: BP-025
#[test]
fn a_diff_lists_what_was_added_modified_and_deleted_and_by_whom() {
    let rig = Rig::new();
    let start = done(rig.node("a").pack("same", &0));
    done(rig.node("a").pack("gone", &1));
    done(rig.node("a").pack("hidden", &1));
    let before = done(rig.node("a").pack("changed", &1));
    done(rig.node("b").pack("new", &2));
    done(rig.node("c").pack("changed", &2));
    done(rig.node("d").delete("gone"));
    done(rig.node("e").quarantine("hidden", "wrong"));
    done(rig.node("f").pack("same", &0));
    let before = rig.backpack.snapshot_at_commit(before).unwrap();
    let diff = StateDiff::between(&before, &rig.backpack).unwrap();
    let told: Vec<String> = diff
        .changes
        .iter()
        .map(|change| {
            let text = |item: &Option<std::sync::Arc<piton_backpack::Item>>| {
                item.as_ref().map_or("-".to_owned(), |item| item.summary())
            };
            let by = &change.by.as_ref().unwrap().id;
            format!(
                "{} {} {} {} {by}",
                change.kind,
                change.key,
                text(&change.before),
                text(&change.after)
            )
        })
        .collect();
    assert_eq!(
        told,
        ["modified changed 1 2 c", "deleted gone 1 - d", "deleted hidden 1 - e", "added new - 2 b"]
    );
    let start = rig.backpack.snapshot_at_commit(start).unwrap();
    let back = StateDiff::between(&rig.backpack, &start).unwrap();
    assert_eq!(back.keys(ChangeKind::Deleted).len(), 2);
}

// shows: BP-025
#[test]
fn a_diff_sees_what_a_comparison_of_texts_would_not() {
    let rig = Rig::new();
    let a = rig.node("a");
    done(a.pack("order", &serde_json::json!({ "b": 1, "a": 2 })));
    done(a.pack("null", &serde_json::Value::Null));
    done(a.pack("zero", &0));
    let commit = done(a.pack("text", &"0"));
    let before = rig.backpack.snapshot_at_commit(commit).unwrap();
    done(a.pack("order", &serde_json::json!({ "a": 2, "b": 1 })));
    done(a.pack("null", &false));
    done(a.pack("zero", &"0"));
    done(a.pack("text", &0));
    let diff = StateDiff::between(&before, &rig.backpack).unwrap();
    let keys: Vec<&str> = diff.changes.iter().map(|change| change.key.as_str()).collect();
    assert_eq!(keys, ["null", "text", "zero"]);
}

// shows: BP-015
#[test]
fn a_pruned_past_is_an_error_that_names_the_oldest_commit_and_the_rest_is_exact() {
    let rig = Rig::with(Options { max_history: 200, ..Options::default() });
    let a = rig.node("a");
    let early = done(rig.node("early").pack("live", &"still here"));
    let commits: Vec<_> = (0..500).map(|count| done(a.pack("x", &count))).collect();
    let debug = rig.backpack.debug();
    let oldest = debug.history(&Filter::default()).unwrap()[0].id();
    for error in [
        rig.backpack.snapshot_at_commit(early).unwrap_err(),
        rig.backpack.snapshot_before_node(&node("early")).unwrap_err(),
        rig.backpack.snapshot_before_node(&node("a")).unwrap_err(),
        rig.backpack.snapshot_at(TimestampMs(1)).unwrap_err(),
        debug.commit(early).unwrap_err(),
    ] {
        let Error::BeforeHistory { oldest: Some(named), .. } = &error else { panic!("{error}") };
        assert_eq!(*named, oldest);
        assert!(error.to_string().contains(&oldest.to_string()), "{error}");
    }
    for (count, commit) in commits.iter().enumerate().filter(|(_, commit)| **commit >= oldest) {
        let snapshot = rig.backpack.snapshot_at_commit(*commit).unwrap();
        let item = snapshot.debug().item("x").unwrap().unwrap();
        assert_eq!((item.value::<usize>().unwrap(), item.version()), (count, count as u64 + 1));
        assert_eq!(snapshot.debug().peek::<String>("live").unwrap().as_deref(), Some("still here"));
    }
}

// shows: BP-050, BP-051, BP-053
#[test]
fn what_is_quarantined_is_out_of_use_and_in_the_trace() {
    let rig = Rig::new();
    let a = rig.node_in("a", "flow.a");
    done(a.pack("bad", &"error text"));
    assert_eq!(a.quarantine("never", "was not there").unwrap(), WriteOutcome::Missing);
    done(rig.node("b").quarantine("bad", "a retry follows"));
    assert_eq!(a.unpack::<String>("bad").unwrap(), None);
    assert!(a.unpack_by_namespace::<String>("flow.*").unwrap().is_empty());
    assert!(a.keys().is_empty());
    done(a.pack("bad", &"again"));
    done(rig.node("c").quarantine("bad", "twice"));
    let kept = rig.backpack.debug().quarantined();
    let told: Vec<_> = kept
        .iter()
        .map(|entry| {
            (entry.value::<String>().unwrap().unwrap(), entry.by().id.as_str(), entry.reason())
        })
        .collect();
    assert_eq!(
        told,
        [("error text".to_owned(), "b", "a retry follows"), ("again".to_owned(), "c", "twice")]
    );
}

#[test]
fn what_was_done_since_a_snapshot_can_be_abandoned_and_stays_in_the_history() {
    let rig = Rig::new();
    let a = rig.node("a");
    done(a.pack("kept", &1));
    let start = done(a.pack("changed", &1));
    let snapshot = rig.backpack.snapshot_at_commit(start).unwrap();
    let b = rig.node("b");
    done(b.pack("changed", &2));
    done(b.pack("new", &3));
    done(b.delete("kept"));
    done(b.quarantine_value("try", &4, "failed"));
    let before = rig.backpack.debug().history(&Filter::default()).unwrap();
    let by = piton_backpack::NodeIdentity::system();
    let commits = rig.backpack.abandon_since(&snapshot, by.clone()).unwrap();
    assert_eq!(commits.len(), 3);
    let debug = rig.backpack.debug();
    assert_eq!(debug.items(), snapshot.debug().items());
    assert_eq!(debug.item("changed").unwrap().unwrap().source().id.as_str(), "a");
    assert_eq!(debug.quarantined().len(), 1);
    let after = debug.history(&Filter::default()).unwrap();
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!(debug.abandoned(), before[2..5], "what was never in use cannot be put back");
    assert_eq!(after.last().unwrap().restores_to(), Some(start));
    assert!(rig.backpack.abandon_since(&snapshot, by.clone()).unwrap().is_empty());
    done(b.pack("changed", &5));
    done(b.pack("new", &6));
    let some = rig.backpack.abandon_keys_since(&snapshot, |key| key.as_str() == "new", by.clone());
    assert_eq!(some.unwrap().len(), 1);
    assert_eq!(debug.keys().len(), 2);
    assert_eq!(debug.peek("changed").unwrap(), Some(5), "it was not meant");
    assert_eq!(debug.abandoned().last().unwrap().key().as_str(), "new");
    let error = rig.backpack.abandon_since(&Rig::new().backpack, by).unwrap_err();
    assert!(matches!(error, Error::ForeignSnapshot { .. }), "{error}");
}
