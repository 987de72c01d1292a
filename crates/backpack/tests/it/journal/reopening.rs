//! What is found again.

use std::sync::Arc;

use piton_backpack::journal::{Mode, read};
use piton_backpack::{AccessControl, Error, Options, PackOptions, Permissions};
use piton_store::testing::SimDisk;
use serde_json::json;

use super::site::{Site, assert_same, commits, node, pack_id, saved};

// shows in part: BP-101 (the part about state, history and ids)
#[tokio::test]
async fn a_backpack_that_is_opened_again_has_the_same_state_history_and_ids() {
    for mode in [Mode::Durable, Mode::Buffered] {
        let disk = SimDisk::new();
        let options = Options { max_value_size: 1_000, ..Options::default() };
        let site = Site::on(Arc::new(disk.clone()), 1);
        let first = site.try_open(mode, options).await.unwrap();
        assert_eq!(first.torn_tail, None);
        let first = first.backpack;
        let a = node(&first, "a");
        saved(&a, a.pack("x", &json!({ "n": 1 }))).await;
        saved(&a, a.pack("big", &"b".repeat(2_000))).await;
        let labels = PackOptions::new()
            .tagged(["pii"])
            .unwrap()
            .limited(AccessControl::only([crate::rig::node("a")]));
        saved(&a, a.pack_with("person", &"canary", &labels)).await;
        assert_eq!(a.unpack::<String>("person").unwrap().as_deref(), Some("canary"));
        assert_eq!(a.unpack::<u8>("missing").unwrap(), None);
        saved(&a, a.pack("x", &2)).await;
        saved(&a, a.pack("bad", &"e".repeat(3_000))).await;
        saved(&a, a.quarantine("bad", "it was wrong")).await;
        saved(&a, a.quarantine_value("retry", &"f".repeat(3_000), "a success follows")).await;
        saved(&a, a.pack("gone", &1)).await;
        saved(&a, a.delete("gone")).await;
        let outsider = first
            .scope(piton_backpack::NodeIdentity::new("o", "o").unwrap(), Some(Permissions::none()))
            .unwrap();
        assert!(outsider.unpack::<u8>("x").is_err());
        first.close().await.unwrap();
        let closed = a.pack("x", &3).unwrap_err();
        assert!(matches!(closed, Error::Closed { .. }), "{closed}");

        let again = Site::on(Arc::new(disk.clone()), 2);
        let second = again.try_open(mode, options).await.unwrap().backpack;
        assert_same(first.memory(), second.memory());
        let b = node(&second, "b");
        assert_eq!(b.unpack::<String>("big").unwrap(), Some("b".repeat(2_000)));
        let next = saved(&b, b.pack("x", &3)).await;
        assert_eq!(next.number(), commits(first.memory()).len() as u64 + 1);
        second.flush().await.unwrap();

        // A reader takes no lease, and sees what the writer made durable.
        let (reader, torn) =
            read(&again.journal, &again.blobs, &pack_id(), again.ports.ports.clone())
                .await
                .unwrap();
        assert_eq!(torn, None);
        assert_same(&reader, second.memory());
    }
}

#[tokio::test]
async fn a_commit_that_was_lost_and_the_one_that_took_its_number_have_different_ids() {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let first = site.try_open(Mode::Buffered, Options::default()).await.unwrap().backpack;
    let lost = saved(&node(&first, "a"), node(&first, "a").pack("x", &1)).await;
    drop(first);
    let second = Site::on(Arc::new(disk.after_losing_all()), 2).open().await;
    let kept = saved(&node(&second, "a"), node(&second, "a").pack("x", &2)).await;
    assert_eq!(lost.number(), kept.number());
    assert_ne!(lost, kept);
    assert!(matches!(
        second.snapshot_at_commit(lost).await.unwrap_err(),
        Error::UnknownCommit { .. }
    ));
}

#[tokio::test]
async fn a_backpack_that_nobody_made_is_not_found() {
    let site = Site::on(Arc::new(SimDisk::new()), 1);
    let found = read(&site.journal, &site.blobs, &pack_id(), site.ports.ports.clone()).await;
    let error = found.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), piton_core::Code::BackpackNotFound, "{error}");
}
