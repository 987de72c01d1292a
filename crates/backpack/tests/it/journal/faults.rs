//! A disk that fails.

use std::sync::Arc;

use piton_backpack::journal::Mode;
use piton_backpack::{Error, Options};
use piton_store::testing::{DiskFault, FaultKind, SimDisk};

use super::site::{Site, commits, node, saved, try_saved};

// shows in part: BP-100 (what was acknowledged is there, whatever call of the disk fails)
#[tokio::test]
async fn after_a_failed_write_nothing_more_happens_and_what_was_acknowledged_is_there() {
    let mut failed = 0;
    for (call, kind) in (0..30).flat_map(|call| FaultKind::ALL.map(|kind| (call, kind))) {
        let disk = SimDisk::new();
        let site = Site::on(Arc::new(disk.clone()), 1);
        let backpack = site.open().await;
        let a = node(&backpack, "a");
        saved(&a, a.pack("x", &1)).await;
        disk.set_fault(Some(DiskFault { at: call, kind }));
        let outcome = try_saved(&a, a.pack("x", &2)).await;
        let is_acknowledged = outcome.is_ok();
        if let Err(error) = outcome {
            failed += 1;
            assert!(matches!(error, Error::Store(_)), "{error}");
            assert!(a.unpack::<u8>("x").is_err());
            assert!(try_saved(&a, a.pack("x", &3)).await.is_err());
            assert!(backpack.flush().await.is_err());
        }
        let _ = backpack.close().await;
        drop((a, backpack));
        disk.set_fault(None);
        let survivor = disk.after_power_cut(call, 512);
        let again = Site::on(Arc::new(survivor), 2);
        let found = match again.try_open(Mode::Durable, Options::default()).await {
            Ok(opened) => opened.backpack,
            // The disk could not even take the write back; a check of the medium opens it again.
            Err(Error::Store(piton_store::Error::Poisoned { .. })) => {
                use piton_store::port::Journal as _;
                again.journal.verify(super::site::pack_id().stream()).await.unwrap();
                again.open().await
            }
            Err(error) => panic!("{error}"),
        };
        let left = commits(found.memory()).len();
        assert!(left == 2 || left == 1 && !is_acknowledged, "call {call} {kind:?}: {left}");
    }
    assert!(failed > 0);
}
