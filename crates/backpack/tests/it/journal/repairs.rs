//! Checking and repairing a backpack, whatever happens on the way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use piton_backpack::Error;
use piton_backpack::journal::{check, repair};
use piton_core::Code;
use piton_store::testing::{DiskFault, FaultKind, SimDisk};

use super::site::{Site, holder, node, pack_id, saved};

const LOG: &str = "/backpacks/pack_a/log";

/// A disk with a backpack whose large value `big` and whose newest record, which packed `last`, are damaged. Also the
/// bytes of both.
async fn damaged() -> (SimDisk, Vec<u8>, Vec<u8>) {
    let disk = SimDisk::new();
    let site = Site::on(Arc::new(disk.clone()), 1);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    saved(&a, a.pack("small", &1)).await;
    saved(&a, a.pack("big", &"large ".repeat(60_000))).await;
    saved(&a, a.pack("last", &2)).await;
    backpack.close().await.unwrap();
    let is_blob =
        |path: &PathBuf| path.starts_with("/blobs/backpacks") && !path.ends_with("complete");
    let blob = disk.contents().into_keys().find(is_blob).unwrap();
    disk.damage(&blob, |bytes| bytes[9] ^= 1);
    disk.damage(Path::new(LOG), |bytes| {
        let at = bytes.len() - 9;
        bytes[at] ^= 1;
    });
    let (log, value) = (disk.contents()[Path::new(LOG)].clone(), disk.contents()[&blob].clone());
    (disk, log, value)
}

async fn repaired(disk: &SimDisk, seed: u64) -> Result<Vec<String>, Error> {
    let site = Site::on(Arc::new(disk.clone()), seed);
    let done = repair(&site.ports, &site.blobs, &pack_id(), holder("a repair")).await?;
    Ok(done.taken_out.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn a_repair_that_fails_anywhere_loses_nothing_and_can_be_repeated() {
    let (start, log, value) = damaged().await;
    let is_kept = |disk: &SimDisk| {
        let contents = disk.contents();
        [&log, &value].into_iter().all(|bytes| contents.values().any(|found| found == bytes))
    };
    for kind in [FaultKind::Crash, FaultKind::ErrorOnce] {
        for at in 0.. {
            let disk = start.fork();
            let site = Site::on(Arc::new(disk.clone()), 2);
            disk.set_fault(Some(DiskFault { at, kind }));
            let first = repair(&site.ports, &site.blobs, &pack_id(), holder("a repair")).await;
            drop(site);
            let reached = disk.calls() > at;
            disk.set_fault(None);
            let cuts: Vec<SimDisk> = match kind {
                FaultKind::Crash => (0..4).map(|seed| disk.after_power_cut(seed, 512)).collect(),
                _ => vec![disk],
            };
            for disk in cuts {
                let story = format!("{kind:?} at {at}: {first:?}");
                assert!(is_kept(&disk), "{story}: something is gone");
                repaired(&disk, 3).await.unwrap_or_else(|error| panic!("{story}: {error}"));
                assert!(is_kept(&disk), "{story}: something is gone");
                assert!(repaired(&disk, 4).await.unwrap().is_empty(), "{story}: once is enough");
                let site = Site::on(Arc::new(disk.clone()), 5);
                let checked = check(&site.ports, &pack_id()).await.unwrap();
                assert!(checked.is_sound(), "{story}: {checked:?}");
                let backpack = site.open().await;
                let b = node(&backpack, "b");
                assert_eq!(b.unpack::<u8>("small").unwrap(), Some(1), "{story}");
                for gone in ["big", "last"] {
                    assert!(b.unpack::<String>(gone).unwrap().is_none(), "{story}: {gone}");
                }
                saved(&b, b.pack("big", &"large ".repeat(60_000))).await;
            }
            if !reached {
                assert!(at > 20, "a repair takes more than {at} calls");
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_damaged_value_is_told_when_its_key_is_read_and_carried_into_forks() {
    let (disk, ..) = damaged().await;
    repaired_log_only(&disk).await;
    let site = Site::on(Arc::new(disk), 2);
    let checked = check(&site.ports, &pack_id()).await.unwrap();
    let keys: Vec<&str> = checked.damaged.iter().map(piton_backpack::Key::as_str).collect();
    assert_eq!(keys, ["big"]);
    let backpack = site.open().await;
    let a = node(&backpack, "a");
    assert_eq!(a.unpack::<u8>("small").unwrap(), Some(1));
    let error = a.unpack::<String>("big").unwrap_err();
    assert_eq!(error.code(), Code::BackpackDamaged, "{error}");
    assert!(backpack.memory().debug().item("big").unwrap().unwrap().is_damaged());
    let fork = backpack.memory().fork();
    let summary = fork.debug().item("big").unwrap().unwrap().summary();
    assert!(summary.starts_with("[damaged, "), "{summary}");
    // Packing the key again is all it takes.
    saved(&a, a.pack("big", &"again")).await;
    assert_eq!(a.unpack::<String>("big").unwrap().as_deref(), Some("again"));
}

/// Cuts the damaged record off, and leaves the damaged value.
async fn repaired_log_only(disk: &SimDisk) {
    use piton_store::port::Journal as _;
    let site = Site::on(Arc::new(disk.clone()), 9);
    site.journal.repair(pack_id().stream()).await.unwrap();
}
