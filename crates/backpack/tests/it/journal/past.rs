//! Time travel beyond what is in memory.

use std::sync::Arc;

use piton_backpack::journal::Mode;
use piton_backpack::{Error, Filter, Options};
use piton_core::TimestampMs;
use piton_store::local::disk::Disk as _;
use piton_store::testing::SimDisk;

use super::site::{Site, node, saved};

// shows: BP-014
// shows in part: BP-016, BP-029 (the parts with a journal)
#[tokio::test]
async fn history_and_snapshots_reach_back_to_the_first_commit_with_every_value() {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let options = Options { max_history: 125, max_value_size: 100, ..Options::default() };
    let backpack = site.try_open(Mode::Buffered, options).await.unwrap().backpack;
    let big = "b".repeat(500);
    let first = saved(&node(&backpack, "early"), node(&backpack, "early").pack("big", &big)).await;
    let a = node(&backpack, "a");
    let ids: Vec<_> = {
        let mut ids = vec![first];
        for count in 0..300 {
            ids.push(saved(&a, a.pack("x", &count)).await);
        }
        saved(&a, a.pack("big", &"small")).await;
        ids
    };
    backpack.flush().await.unwrap();
    let log = disk.read(std::path::Path::new("/backpacks/pack_a/log"), u64::MAX).unwrap();
    assert!(!String::from_utf8_lossy(&log).contains(&big), "it lies in the store of blobs");
    let memory = backpack.memory();
    assert!(matches!(memory.snapshot_at_commit(first), Err(Error::BeforeHistory { .. })));
    for (place, id) in ids.iter().enumerate() {
        let snapshot = backpack.snapshot_at_commit(*id).await.unwrap();
        let x = snapshot.debug().peek::<usize>("x").unwrap();
        assert_eq!(x, place.checked_sub(1), "{id}");
        assert_eq!(snapshot.debug().peek::<String>("big").unwrap(), Some(big.clone()));
        assert_eq!(snapshot.origin().unwrap().commit, Some(*id));
    }
    let before = |id: &str| crate::rig::node(id);
    let empty = backpack.snapshot_before_node(&before("early")).await.unwrap();
    assert!(empty.debug().keys().is_empty());
    let one = backpack.snapshot_before_node(&before("a")).await.unwrap();
    assert_eq!(one.debug().keys().len(), 1);
    assert!(backpack.snapshot_at(TimestampMs(1)).await.unwrap().debug().keys().is_empty());
    let unknown = backpack.snapshot_before_node(&before("nobody")).await;
    assert!(matches!(unknown, Err(Error::UnknownNode { .. })));

    let all = backpack.history(&Filter::default()).await.unwrap();
    assert_eq!(all.len(), 302);
    assert!(all.iter().map(piton_backpack::Commit::id).take(301).eq(ids.iter().copied()));
    let some = Filter { from: Some(ids[3]), until: Some(ids[5]), ..Filter::default() };
    assert_eq!(backpack.history(&some).await.unwrap().len(), 3);
}
