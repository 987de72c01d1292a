//! What waits for the disk, and what does not.

use std::sync::Arc;

use piton_backpack::Options;
use piton_backpack::journal::Mode;
use piton_store::testing::{Recorder, SimDisk};

use super::site::{Site, node, saved};

fn syncs(recorder: &Recorder) -> usize {
    recorder.take().iter().filter(|call| call.operation == "sync").count()
}

// shows in part: BP-100 (the part about reads)
#[tokio::test]
async fn a_thousand_reads_cause_no_sync_and_ride_with_the_next_write() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    saved(&a, a.pack("x", &1)).await;
    assert!(syncs(&recorder) > 0);
    for _ in 0..1_000 {
        assert_eq!(a.unpack::<u8>("x").unwrap(), Some(1));
    }
    assert_eq!(recorder.take(), []);
    saved(&a, a.pack("x", &2)).await;
    assert_eq!(syncs(&recorder), 1);
    backpack.close().await.unwrap();
    let found = Site::on(Arc::new(recorder.clone()), 2).open().await;
    assert_eq!(super::site::commits(found.memory()).len(), 1_002);
}

// shows in part: BP-100 (the part about modes)
#[tokio::test]
async fn a_durable_write_syncs_and_a_buffered_one_waits_for_the_flush() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    recorder.take();
    saved(&a, a.pack("x", &1)).await;
    assert_eq!(syncs(&recorder), 1);
    saved(&a, a.delete("x")).await;
    saved(&a, a.pack("x", &1)).await;
    saved(&a, a.quarantine("x", "why")).await;
    assert_eq!(syncs(&recorder), 3);
    backpack.close().await.unwrap();
    drop((a, backpack));

    let backpack = site.try_open(Mode::Buffered, Options::default()).await.unwrap().backpack;
    let a = node(&backpack, "a");
    recorder.take();
    for count in 0..100 {
        saved(&a, a.pack("x", &count)).await;
    }
    assert_eq!(recorder.take(), []);
    backpack.flush().await.unwrap();
    assert_eq!(syncs(&recorder), 1);
    backpack.flush().await.unwrap();
    assert_eq!(recorder.take(), []);
}

#[tokio::test]
async fn a_buffer_that_is_full_is_flushed_by_the_write_that_fills_it() {
    let recorder = Recorder::new(Arc::new(SimDisk::new()));
    let site = Site::on(Arc::new(recorder.clone()), 1);
    let backpack = site.try_open(Mode::Buffered, Options::default()).await.unwrap().backpack;
    let a = node(&backpack, "a");
    recorder.take();
    for count in 0..4_095 {
        saved(&a, a.pack("x", &count)).await;
    }
    assert_eq!(syncs(&recorder), 0);
    saved(&a, a.pack("x", &0)).await;
    assert!(syncs(&recorder) > 0);
}
