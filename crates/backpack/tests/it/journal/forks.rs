//! Forks that have a journal of their own.

use std::sync::Arc;

use piton_backpack::journal::{JournaledBackpack, Mode};
use piton_backpack::{Backpack, BackpackId, Error, Options, StateDiff};
use piton_store::testing::SimDisk;

use super::site::{Site, assert_same, holder, node, saved};

// shows in part: BP-028 (the part with a journal)
#[tokio::test]
async fn a_fork_with_a_journal_goes_on_from_a_commit_and_survives() {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let source = site.open().await;
    let a = node(&source, "a");
    saved(&a, a.pack("big", &"b".repeat(200_000))).await;
    for count in 0..3_000 {
        let _ = source
            .memory()
            .scope(a.identity().clone(), None)
            .unwrap()
            .pack(&format!("k{count}"), &count);
    }
    saved(&a, a.quarantine_value("try", &"t".repeat(200_000), "failed")).await;
    let commit = saved(&a, a.pack("x", &1)).await;
    saved(&a, a.pack("x", &2)).await;
    let snapshot = source.snapshot_at_commit(commit).await.unwrap();

    let id: BackpackId = "pack_fork".parse().unwrap();
    let open = || {
        JournaledBackpack::fork_from(
            &snapshot,
            &id,
            holder("a fork"),
            Mode::Durable,
            site.ports.clone(),
        )
    };
    let fork = open().await.unwrap().backpack;
    let origin = fork.memory().origin().unwrap().clone();
    assert_eq!((&origin.backpack, origin.commit), (source.memory().id(), Some(commit)));
    saved(&node(&fork, "b"), node(&fork, "b").pack("x", &7)).await;
    let diff = StateDiff::between(&snapshot, fork.memory()).unwrap();
    assert_eq!(diff.changes.len(), 1);
    fork.close().await.unwrap();
    let again = Site::on(Arc::new(disk.clone()), 2);
    let found = JournaledBackpack::open(
        &id,
        holder("later"),
        Mode::Durable,
        *snapshot.options(),
        again.ports.clone(),
    )
    .await
    .unwrap();
    assert_same(fork.memory(), found.backpack.memory());
    found.backpack.close().await.unwrap();
    assert!(matches!(open().await.map(|_| ()), Err(Error::Exists { .. })));
}

#[tokio::test]
async fn a_fork_that_was_cut_off_is_not_taken_for_a_whole_one() {
    let source = crate::rig::Rig::new();
    for count in 0..26 {
        crate::rig::done(source.node("a").pack(&format!("k{count}"), &"v".repeat(90_000)));
    }
    cut_off_everywhere(&source, |backpack| backpack.debug().items().len()).await;
}

#[tokio::test]
async fn a_fork_of_quarantined_values_that_was_cut_off_is_not_taken_for_a_whole_one() {
    let source = crate::rig::Rig::new();
    for count in 0..26 {
        let value = "v".repeat(90_000);
        let outcome = source.node("a").quarantine_value(&format!("k{count}"), &value, "why");
        crate::rig::done(outcome);
    }
    cut_off_everywhere(&source, |backpack| backpack.debug().quarantined().len()).await;
}

/// Forks a backpack with 26 of something, cut off at every call of the disk, and counts what is found of the fork.
async fn cut_off_everywhere(source: &crate::rig::Rig, count: impl Fn(&Backpack) -> usize) {
    use piton_store::testing::{DiskFault, FaultKind};
    let mut cut_off = 0;
    for call in 0..24 {
        let disk = SimDisk::new();
        let site = Site::on(Arc::new(disk.clone()), 1);
        disk.set_fault(Some(DiskFault { at: call, kind: FaultKind::Crash }));
        let id: BackpackId = "pack_fork".parse().unwrap();
        let forked = JournaledBackpack::fork_from(
            &source.backpack,
            &id,
            holder("a fork"),
            Mode::Durable,
            site.ports.clone(),
        )
        .await
        .is_ok();
        let again = Site::on(Arc::new(disk.after_power_cut(call, 512)), 2);
        let found = JournaledBackpack::open(
            &id,
            holder("later"),
            Mode::Durable,
            Options::default(),
            again.ports.clone(),
        )
        .await;
        match found {
            Ok(opened) => {
                let items = count(opened.backpack.memory());
                assert!(items == 26 || items == 0 && !forked, "call {call}: {items} items");
            }
            Err(Error::BadStream { .. }) => {
                assert!(!forked);
                cut_off += 1;
            }
            Err(error) => panic!("call {call}: {error}"),
        }
    }
    assert!(cut_off > 0);
}
