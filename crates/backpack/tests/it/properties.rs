//! What holds for any sequence of operations.

use std::collections::BTreeMap;

use piton_backpack::{
    Backpack, ChangeKind, Commit, Filter, Item, Labels, Options, PackOptions, StateDiff,
};
use proptest::prelude::*;

use crate::rig::{Rig, ports};

/// Something that a node does.
#[derive(Clone, Debug)]
enum Op {
    Pack(u8, u16),
    PackLabelled(u8, u16),
    Unpack(u8),
    Delete(u8),
    Quarantine(u8, bool),
    QuarantineValue(u8, u16),
    Query,
    Abandon(u8),
}

/// An operation of one of three nodes on one of eight keys.
fn op() -> impl Strategy<Value = (u8, Op)> {
    let key = 0..8_u8;
    let what = prop_oneof![
        4 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Op::Pack(key, value)),
        1 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Op::PackLabelled(key, value)),
        2 => key.clone().prop_map(Op::Unpack),
        1 => key.clone().prop_map(Op::Delete),
        1 => (key.clone(), any::<bool>()).prop_map(|(key, keep)| Op::Quarantine(key, keep)),
        1 => (key, any::<u16>()).prop_map(|(key, value)| Op::QuarantineValue(key, value)),
        1 => Just(Op::Query),
        1 => any::<u8>().prop_map(Op::Abandon),
    ];
    (0..3_u8, what)
}

fn perform(rig: &Rig, number: u8, op: &Op) {
    let node = rig.node_in(&format!("node-{number}"), &format!("flow.n{}", number % 2));
    let name = |key: &u8| format!("key-{key}");
    // What is refused or finds nothing is part of the game.
    match op {
        Op::Pack(key, value) => drop(node.pack(&name(key), value)),
        Op::PackLabelled(key, value) => {
            drop(node.pack_with(&name(key), value, &PackOptions::new().tagged(["draft"]).unwrap()));
        }
        Op::Unpack(key) => drop(node.unpack::<u16>(&name(key))),
        Op::Delete(key) => drop(node.delete(&name(key))),
        Op::Quarantine(key, true) => drop(node.quarantine(&name(key), "why")),
        Op::Quarantine(key, false) => drop(node.quarantine_without_trace(&name(key), "why")),
        Op::QuarantineValue(key, value) => drop(node.quarantine_value(&name(key), value, "why")),
        Op::Abandon(back) => {
            let commits = commits(&rig.backpack);
            if let Some(commit) = commits.iter().rev().nth(usize::from(back % 32)) {
                let snapshot = rig.backpack.snapshot_at_commit(commit.id()).unwrap();
                let wanted = state(&snapshot);
                rig.backpack
                    .abandon_since(&snapshot, piton_backpack::NodeIdentity::system())
                    .unwrap();
                assert_eq!(state(&rig.backpack), wanted);
            }
        }
        Op::Query => drop(node.unpack_by_namespace::<u16>("flow.*")),
    }
}

/// What is in use: texts with versions, writers and labels.
type Model = BTreeMap<String, (String, u64, String, Labels)>;

fn state(backpack: &Backpack) -> Model {
    let items = backpack.debug().items();
    items.iter().map(|item| (item.key().to_string(), entry(item, item.version()))).collect()
}

fn entry(item: &Item, version: u64) -> (String, u64, String, Labels) {
    let (text, writer) = (item.text().unwrap().to_owned(), item.source().id.to_string());
    (text, version, writer, item.labels().clone())
}

/// Does a commit to a model, from what the commit says alone.
fn replay(model: &mut Model, commit: &Commit) {
    use piton_backpack::Action::{Delete, Deny, Pack, Quarantine, Restore, Unpack};
    let key = commit.key().to_string();
    match commit.action() {
        Pack => {
            let version = model.get(&key).map_or(0, |(_, version, ..)| *version) + 1;
            let packed = entry(commit.value().unwrap(), version);
            assert_eq!(packed.2, commit.author().id.as_str());
            model.insert(key, packed);
        }
        Delete => drop(model.remove(&key)),
        Quarantine if commit.value().is_none() => drop(model.remove(&key)),
        Restore => match commit.value() {
            None => drop(model.remove(&key)),
            Some(item) => drop(model.insert(key, entry(item, item.version()))),
        },
        Quarantine | Unpack | Deny => {}
    }
}

fn commits(backpack: &Backpack) -> Vec<Commit> {
    backpack.debug().history(&Filter::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // shows: BP-020
    #[test]
    fn a_snapshot_equals_a_naive_replay_of_the_commits(ops in prop::collection::vec(op(), 1..120)) {
        let rig = Rig::new();
        for (number, op) in &ops {
            perform(&rig, *number, op);
        }
        let mut model = Model::new();
        for commit in commits(&rig.backpack) {
            replay(&mut model, &commit);
            let snapshot = rig.backpack.snapshot_at_commit(commit.id()).unwrap();
            prop_assert_eq!(&state(&snapshot), &model);
        }
        prop_assert_eq!(state(&rig.backpack), model);
    }

    // shows: BP-015
    #[test]
    fn a_snapshot_in_a_pruned_history_equals_the_one_in_a_whole_one(
        ops in prop::collection::vec(op(), 200..400),
    ) {
        let (whole, pruned) =
            (Rig::new(), Rig::with(Options { max_history: 130, ..Options::default() }));
        for (number, op) in &ops {
            perform(&whole, *number, op);
            perform(&pruned, *number, op);
        }
        let everything = commits(&whole.backpack);
        let left = commits(&pruned.backpack);
        prop_assert_eq!(&everything[everything.len() - left.len()..], left.as_slice());
        for commit in left {
            let ours = pruned.backpack.snapshot_at_commit(commit.id()).unwrap();
            let theirs = whole.backpack.snapshot_at_commit(commit.id()).unwrap();
            prop_assert_eq!(ours.debug().items(), theirs.debug().items());
            prop_assert_eq!(ours.debug().quarantined(), theirs.debug().quarantined());
        }
    }

    // shows: BP-025
    #[test]
    fn a_diff_applied_to_one_state_gives_the_other(
        ops in prop::collection::vec(op(), 2..80),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let rig = Rig::new();
        for (number, op) in &ops {
            perform(&rig, *number, op);
        }
        let commits = commits(&rig.backpack);
        prop_assume!(!commits.is_empty());
        let at = |index: prop::sample::Index| {
            rig.backpack.snapshot_at_commit(commits[index.index(commits.len())].id()).unwrap()
        };
        let (before, after) = (at(from), at(to));
        // One of them once more without anything shared.
        let apart = Backpack::from_json(&after.to_json().unwrap(), ports(5).0).unwrap();
        prop_assert_eq!(apart.debug().quarantined(), after.debug().quarantined());
        for after in [after, apart] {
            let diff = StateDiff::between(&before, &after).unwrap();
            prop_assert!(diff.changes.is_sorted_by(|left, right| left.key < right.key));
            let value = |model: Model| -> BTreeMap<String, String> {
                model.into_iter().map(|(key, (text, ..))| (key, text)).collect()
            };
            let mut values = value(state(&before));
            for change in &diff.changes {
                let text = |item: &Option<std::sync::Arc<piton_backpack::Item>>| {
                    item.as_ref().map(|item| item.text().unwrap().to_owned())
                };
                let key = change.key.to_string();
                prop_assert_eq!(values.get(&key).cloned(), text(&change.before));
                match change.kind {
                    ChangeKind::Deleted => drop(values.remove(&key)),
                    ChangeKind::Added | ChangeKind::Modified => {
                        values.insert(key, text(&change.after).unwrap());
                    }
                }
            }
            prop_assert_eq!(values, value(state(&after)));
        }
    }

    // shows: BP-061
    #[test]
    fn a_backpack_survives_its_json_form(
        ops in prop::collection::vec(op(), 0..80),
        window in 0..100_usize,
    ) {
        let rig = Rig::new();
        for (number, op) in &ops {
            perform(&rig, *number, op);
        }
        let text = rig.backpack.to_json_with(window).unwrap();
        let loaded = Backpack::from_json(&text, ports(5).0).unwrap();
        let all = commits(&rig.backpack);
        let kept = &all[all.len() - window.min(all.len())..];
        prop_assert_eq!(commits(&loaded), kept);
        prop_assert_eq!(loaded.debug().items(), rig.backpack.debug().items());
        prop_assert_eq!(loaded.debug().quarantined(), rig.backpack.debug().quarantined());
        for commit in kept {
            let ours = rig.backpack.snapshot_at_commit(commit.id()).unwrap();
            let theirs = loaded.snapshot_at_commit(commit.id()).unwrap();
            prop_assert_eq!(ours.debug().items(), theirs.debug().items());
        }
        prop_assert_eq!(loaded.to_json_with(window).unwrap(), text);
    }
}
