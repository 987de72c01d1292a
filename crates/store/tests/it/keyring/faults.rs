//! Every disk call of making and rotating a ring fails in every way.
//!
//! Afterwards there is the old ring or the whole new one, what was acknowledged is there, and the
//! ring can be used.

use std::path::Path;
use std::sync::Arc;

use piton_core::port::fixed::SeededEntropy;
use piton_store::local::{DataDir, LocalKeyRing};
use piton_store::port::{KeyAge, KeyRing};
use piton_store::testing::{DiskFault, FaultKind, SimDisk};

fn open(disk: &SimDisk, seed: u64) -> LocalKeyRing {
    let dir = DataDir::on(Arc::new(disk.clone()), Path::new("/")).unwrap();
    LocalKeyRing::new(dir, Arc::new(SeededEntropy::new(seed)))
}

/// The disks on which life may go on after a fault.
fn aftermath(disk: &SimDisk, kind: FaultKind) -> Vec<SimDisk> {
    disk.set_fault(None);
    if kind != FaultKind::Crash {
        return vec![disk.clone()];
    }
    let seeds = (0..8).flat_map(|seed| [(seed, 512), (seed, 4_096)]);
    seeds.map(|(seed, sector)| disk.after_power_cut(seed, sector)).collect()
}

#[tokio::test]
async fn making_a_ring_ends_with_one_whole_ring_or_none() {
    for kind in FaultKind::ALL {
        let mut at = 0;
        loop {
            let disk = SimDisk::new();
            let ring = open(&disk, 1);
            disk.set_fault(Some(DiskFault { at, kind }));
            let signed = ring.sign(b"message").await;
            let reached = disk.calls() > at;
            for disk in aftermath(&disk, kind) {
                let ring = open(&disk, 2);
                if let Ok(signature) = &signed {
                    let found = ring.verify(b"message", &signature.0).await.unwrap();
                    assert_eq!(found, Some(KeyAge::Current), "{kind:?} at {at}");
                }
                let signature = ring.sign(b"message").await.unwrap();
                let found = open(&disk, 3).verify(b"message", &signature.0).await.unwrap();
                assert_eq!(found, Some(KeyAge::Current), "{kind:?} at {at}");
            }
            if !reached {
                assert!(at > 5, "making a ring takes more than {at} calls");
                break;
            }
            at += 1;
        }
    }
}

#[tokio::test]
async fn a_rotation_happens_whole_or_not_at_all() {
    for kind in FaultKind::ALL {
        let mut at = 0;
        loop {
            let disk = SimDisk::new();
            let ring = open(&disk, 1);
            let signature = ring.sign(b"message").await.unwrap();
            disk.set_fault(Some(DiskFault { at, kind }));
            let rotated = ring.rotate().await;
            let reached = disk.calls() > at;
            for disk in aftermath(&disk, kind) {
                let ring = open(&disk, 2);
                let found = ring.verify(b"message", &signature.0).await.unwrap();
                match rotated {
                    Ok(()) => assert_eq!(found, Some(KeyAge::Previous), "{kind:?} at {at}"),
                    Err(_) => assert!(found.is_some(), "{kind:?} at {at}: the old key is lost"),
                }
                ring.rotate().await.unwrap();
            }
            if !reached {
                assert!(at > 5, "a rotation takes more than {at} calls");
                break;
            }
            at += 1;
        }
    }
}
