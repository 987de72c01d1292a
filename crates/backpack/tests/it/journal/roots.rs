//! What keeps large values alive.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use piton_backpack::journal::BackpackRoots;
use piton_store::collect::{CollectMode, SweepReport, collect};
use piton_store::local::SystemClock;
use piton_store::port::{BlobNamespace, BlobReader as _, Blobs as _, Roots};
use piton_store::testing::SimDisk;

use super::site::{Site, node, saved};

#[tokio::test]
async fn every_large_value_that_a_commit_refers_to_is_a_root() {
    let site = Site::on(Arc::new(SimDisk::new()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    saved(&a, a.pack("big", &"1".repeat(200_000))).await;
    let roots = BackpackRoots::new(&site.journal);
    assert_eq!(roots.namespace(), BlobNamespace::Backpacks);
    let (first, cursor) = roots.roots(None).await.unwrap();
    assert_eq!(first.len(), 1);
    saved(&a, a.pack("big", &"2".repeat(200_000))).await;
    saved(&a, a.quarantine_value("bad", &"3".repeat(200_000), "wrong")).await;
    saved(&a, a.delete("big")).await;
    saved(&a, a.pack("small", &1)).await;
    let (since, _) = roots.roots(Some(&cursor)).await.unwrap();
    assert_eq!(since.len(), 2);
    let (all, _) = roots.roots(None).await.unwrap();
    let all: BTreeSet<_> = all.into_iter().collect();
    let stored = site.blobs.list(BlobNamespace::Backpacks, None, 100).await.unwrap();
    assert_eq!(all, stored.iter().map(|blob| blob.digest).collect());
}

#[tokio::test]
async fn a_collection_takes_what_no_backpack_refers_to_and_nothing_if_one_is_damaged() {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    saved(&a, a.pack("big", &"1".repeat(200_000))).await;
    saved(&a, a.pack("big", &"2".repeat(200_000))).await;
    let stray = site.blobs.put(BlobNamespace::Backpacks, b"nobody's".to_vec()).await.unwrap();
    disk.advance(Duration::from_hours(2));
    let roots = BackpackRoots::new(&site.journal);
    let sweep = async || {
        let sources: [&dyn Roots; 1] = [&roots];
        let report =
            collect(&site.blobs, &site.leases, &sources, &SystemClock, CollectMode::Remove);
        report.await.unwrap().remove(&BlobNamespace::Backpacks).unwrap()
    };
    let swept = sweep().await;
    assert!(
        matches!(swept, SweepReport::Done(counts) if (counts.kept, counts.removed) == (2, 1)),
        "{swept:?}"
    );
    assert_eq!(site.blobs.get(BlobNamespace::Backpacks, stray).await.unwrap(), None);
    saved(&a, a.pack("small", &1)).await;
    disk.damage(Path::new("/backpacks/pack_a/log"), |bytes| bytes[200] ^= 1);
    let swept = sweep().await;
    assert!(matches!(swept, SweepReport::Spared { .. }), "{swept:?}");
}
