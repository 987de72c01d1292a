//! A repair, and every fault at every call that it makes.
//!
//! Whatever happens to it, each segment that was whole is still there: in the session, or in what is listed as set
//! aside. The session is damaged until it is repaired, and repairing it again finishes it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use piton_store::{
    Error, StreamId,
    local::disk::Disk,
    port::{Journal, JournalReader},
    testing::{Fault, FaultKind, LongRun, SimDisk, contract::journal::append},
};

use crate::site::{SESSION, block_on, sessions};

fn name() -> StreamId {
    SESSION.parse().unwrap()
}

fn path(file: &str) -> PathBuf {
    Path::new("/sessions").join(SESSION).join(file)
}

/// A durable session of five plans of two events.
fn session() -> SimDisk {
    let disk = SimDisk::new();
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name()).await.unwrap();
        for plan in ["a", "b", "c", "d", "e"] {
            append(&journal, &lease, 2, plan).await.unwrap();
        }
    });
    disk.sync_dir(&path("")).unwrap();
    disk.after_losing_all()
}

fn remove(disk: &SimDisk, file: &str) {
    disk.remove_file(&path(file)).unwrap();
    disk.sync_dir(path(file).parent().unwrap()).unwrap();
}

/// What happened to a session, and how many events before it are whole.
type Damage = (&'static str, fn(&SimDisk), u64);

const DAMAGES: [Damage; 9] = [
    (
        "a record in the middle",
        |disk| disk.damage(&path("manifest.jsonl"), |all| all[900] ^= 1),
        10,
    ),
    ("the first record", |disk| disk.damage(&path("manifest.jsonl"), |all| all[9] ^= 1), 10),
    (
        "a record and its segment",
        |disk| {
            disk.damage(&path("manifest.jsonl"), |all| all[900] ^= 1);
            disk.damage(&path("events/00000002-00000003.jsonl"), |all| all[40] ^= 1);
        },
        2,
    ),
    (
        "the first record, and no third segment",
        |disk| {
            disk.damage(&path("manifest.jsonl"), |all| all[9] ^= 1);
            remove(disk, "events/00000004-00000005.jsonl");
        },
        4,
    ),
    ("half a manifest", |disk| disk.damage(&path("manifest.jsonl"), |all| all.truncate(1500)), 6),
    ("an empty manifest", |disk| disk.damage(&path("manifest.jsonl"), Vec::clear), 0),
    ("no manifest", |disk| remove(disk, "manifest.jsonl"), 0),
    ("no third segment", |disk| remove(disk, "events/00000004-00000005.jsonl"), 4),
    ("no first segment", |disk| remove(disk, "events/00000000-00000001.jsonl"), 0),
];

/// The contents of a session's segments, and of its manifest.
fn written(disk: &SimDisk) -> BTreeSet<Vec<u8>> {
    let contents = disk.contents().into_iter();
    let own = contents.filter(|(file, bytes)| {
        !bytes.is_empty() && (file.starts_with(path("events")) || *file == path("manifest.jsonl"))
    });
    own.map(|(_, bytes)| bytes).collect()
}

/// What a reader of the session, or of what it lists as set aside, can find.
fn reachable(disk: &SimDisk) -> BTreeSet<Vec<u8>> {
    let listed = block_on(sessions(disk).set_aside(Some(&name()))).unwrap();
    let contents = disk.contents();
    let aside = contents
        .iter()
        .filter(|(file, _)| listed.iter().any(|kept| file.starts_with(&kept.place)))
        .map(|(_, bytes)| bytes.clone());
    written(disk).into_iter().chain(aside).collect()
}

/// Checks a session that a repair was cut off in, repairs it, and goes on with it.
fn recover(disk: &SimDisk, whole: u64, before: &BTreeSet<Vec<u8>>, story: &str) -> bool {
    let all = |disk: &SimDisk, when: &str| {
        assert!(before.is_subset(&reachable(disk)), "{story}: something is gone {when}");
    };
    all(disk, "after the fault");
    let journal = sessions(disk);
    let (was_sound, repaired) = block_on(async {
        // A session that was emptied is not there any more.
        let was_sound = match journal.verify(&name()).await {
            Ok(found) if found.health.is_healthy() => {
                // A segment whose removal was lost may look like a write that did not end; it was copied before.
                assert_eq!(found.events, whole, "{story}: {found:?}");
                true
            }
            Ok(_) => false,
            Err(error) => panic!("{story}: {error}"),
        };
        (was_sound, journal.repair(&name()).await)
    });
    let repaired = repaired.unwrap_or_else(|error| panic!("{story}: {error}"));
    assert_eq!(repaired.next_event.get(), whole, "{story}");
    all(disk, "after another repair");
    let disk = disk.after_losing_all();
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name()).await;
        let lease = lease.unwrap_or_else(|error| panic!("{story}: {error}"));
        assert_eq!(lease.next_event().get(), whole, "{story}");
        for plan in ["f", "g", "h"] {
            append(&journal, &lease, 2, plan).await.unwrap();
        }
    });
    let kept = reachable(&disk);
    // The manifest of a sound session grew; everything else is as it was.
    let segments = before.iter().filter(|bytes| !was_sound || !is_manifest(bytes));
    for bytes in segments {
        let grown = kept.iter().any(|kept| kept.starts_with(bytes));
        assert!(kept.contains(bytes) || grown, "{story}: the next plans overwrote something");
    }
    was_sound
}

fn is_manifest(bytes: &[u8]) -> bool {
    bytes.windows(14).any(|window| window == b"segment_closed")
}

mod long {
    use super::*;

    // shows: WR-082
    #[test]
    fn a_repair_survives_every_fault_at_every_call() {
        let run = LongRun::start("crash: repair of a session");
        println!("{run}");
        let cuts = LongRun::size(1, 60);
        let mut tally = BTreeMap::<&str, u64>::new();
        for (what, damage, whole) in DAMAGES {
            let start = session();
            damage(&start);
            let before = written(&start);
            let attempt = |disk: &SimDisk, fault| {
                let journal = sessions(disk);
                disk.set_fault(fault);
                block_on(journal.repair(&name()))
            };
            let calls = {
                let disk = start.fork();
                let repaired = attempt(&disk, None).unwrap();
                assert_eq!(repaired.next_event.get(), whole, "{what}");
                disk.calls()
            };
            for kind in FaultKind::ALL {
                for at in 0..calls {
                    let disk = start.fork();
                    let outcome = attempt(&disk, Some(Fault { at, kind }));
                    *tally.entry(if outcome.is_ok() { "done" } else { "failed" }).or_default() += 1;
                    let mut check = |disk: &SimDisk, story: &str| {
                        let was_sound = recover(disk, whole, &before, story);
                        assert!(was_sound || outcome.is_err(), "{story}: it said that it was done");
                        *tally.entry(if was_sound { "sound" } else { "damaged" }).or_default() += 1;
                    };
                    for cut in 0..cuts {
                        let luck = run.seed().wrapping_add(cut * 7_919 + at);
                        let story = format!("{what}: {kind:?} at call {at}, cut {luck}");
                        check(&disk.after_power_cut(luck, 512), &story);
                    }
                    if kind != FaultKind::Crash {
                        disk.set_fault(None);
                        check(&disk, &format!("{what}: {kind:?} at call {at}, no cut"));
                    }
                }
            }
        }
        println!("{tally:?}");
        run.report(&[
            ("repairs that failed", tally["failed"]),
            ("found damaged still", tally["damaged"]),
            ("found repaired", tally["sound"]),
        ]);
        assert!(tally["damaged"] > 100 && tally["sound"] > 100, "{tally:?}");
    }
}

#[test]
fn a_repair_that_an_earlier_version_was_cut_off_in_is_finished() {
    // It replaced the manifest before it moved the segments.
    let disk = session();
    let text = disk.contents()[&path("manifest.jsonl")].clone();
    let first = text.windows(14).skip(100).position(|window| window == b"segment_closed").unwrap();
    let end = text[..first + 100].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    disk.damage(&path("manifest.jsonl"), |bytes| bytes.truncate(end));
    let before = written(&disk);
    let refused = block_on(sessions(&disk).lease(&name())).unwrap_err();
    assert!(matches!(refused, Error::NotHealthy { .. }), "{refused}");
    assert!(!recover(&disk, 2, &before, "an old repair"));
}

#[test]
fn a_changed_byte_of_a_manifest_costs_a_repaired_session_nothing() {
    let start = session();
    let (manifest, sound) = (path("manifest.jsonl"), start.contents());
    let mut newer = 0;
    for at in 0..sound[&manifest].len() {
        let disk = start.fork();
        disk.damage(&manifest, |all| all[at] ^= 0x04);
        let damaged = disk.contents()[&manifest].clone();
        match block_on(sessions(&disk).repair(&name())) {
            // A changed version cannot be told from that of a newer Piton, whose records are never touched.
            Err(Error::UnsupportedVersion { .. }) => newer += 1,
            repaired => {
                let repaired = repaired.unwrap();
                assert_eq!((repaired.next_event.get(), repaired.rewritten), (10, 1), "byte {at}");
                let left = disk.contents();
                assert!(
                    sound.iter().all(|(file, bytes)| left.get(file) == Some(bytes)),
                    "byte {at}"
                );
                assert!(left.values().any(|kept| *kept == damaged), "byte {at}: it is kept");
            }
        }
    }
    assert!((1..20).contains(&newer), "{newer}");
}

#[test]
fn a_second_repair_gets_a_directory_of_its_own() {
    let disk = session();
    let journal = sessions(&disk);
    for (number, plan) in ["x", "y"].iter().enumerate() {
        disk.damage(&path("manifest.jsonl"), |all| all[900] ^= 1);
        let repaired = block_on(journal.repair(&name())).unwrap();
        assert_eq!(repaired.backup.unwrap().name, format!("repair-{}", number + 1));
        let lease = block_on(journal.lease(&name())).unwrap();
        block_on(append(&journal, &lease, 2, plan)).unwrap();
        block_on(append(&journal, &lease, 2, &format!("{plan}{plan}"))).unwrap();
    }
    assert_eq!(block_on(journal.set_aside(None)).unwrap().len(), 2);
}
