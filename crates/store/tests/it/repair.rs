//! A repair, and every fault at every call that it makes.
//!
//! Whatever happens to it, each segment that was whole is still there: in the session, or in what is listed as set
//! aside. The session is damaged until it is repaired, and repairing it again finishes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use piton_store::local::disk::Disk;
use piton_store::port::{Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{DiskFault, FaultKind, LongRun, SimDisk};
use piton_store::{Error, StreamId};

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

/// Changes the lines of a session's manifest.
fn edit_lines(disk: &SimDisk, edit: fn(&mut Vec<Vec<u8>>)) {
    disk.damage(&path("manifest.jsonl"), |all| {
        let mut lines: Vec<Vec<u8>> =
            all.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        edit(&mut lines);
        *all = lines.concat();
    });
}

/// Changes what an event of a segment says, so that it is an event still.
fn change_text(disk: &SimDisk, file: &str) {
    disk.damage(&path(file), |all| {
        let at = all.windows(8).position(|window| window == b"happened").unwrap();
        all[at] ^= 1;
    });
}

const DAMAGES: [Damage; 16] = [
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
    ("half a manifest", |disk| disk.damage(&path("manifest.jsonl"), |all| all.truncate(1500)), 10),
    ("an empty manifest", |disk| disk.damage(&path("manifest.jsonl"), Vec::clear), 10),
    ("no manifest", |disk| remove(disk, "manifest.jsonl"), 10),
    (
        "half a first record",
        |disk| disk.damage(&path("manifest.jsonl"), |all| all.truncate(150)),
        10,
    ),
    ("no first record", |disk| edit_lines(disk, |lines| drop(lines.remove(0))), 10),
    ("no record in the middle", |disk| edit_lines(disk, |lines| drop(lines.remove(4))), 10),
    (
        "neither a first nor a last record",
        |disk| {
            edit_lines(disk, |lines| {
                lines.pop();
                lines.remove(0);
            });
        },
        10,
    ),
    (
        "another manifest",
        |disk| disk.damage(&path("manifest.jsonl"), |all| *all = b"no manifest\n".to_vec()),
        10,
    ),
    (
        "no manifest, and no third segment",
        |disk| {
            remove(disk, "manifest.jsonl");
            remove(disk, "events/00000004-00000005.jsonl");
        },
        4,
    ),
    (
        "no first record, and a changed third segment",
        |disk| {
            edit_lines(disk, |lines| drop(lines.remove(0)));
            change_text(disk, "events/00000004-00000005.jsonl");
        },
        4,
    ),
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
                    let outcome = attempt(&disk, Some(DiskFault { at, kind }));
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
    assert!(!recover(&disk, 10, &before, "an old repair"));
}

#[test]
fn wherever_a_manifest_was_cut_a_repair_brings_every_event_back() {
    let start = session();
    let (manifest, sound) = (path("manifest.jsonl"), start.contents());
    let text = &sound[&manifest];
    for at in 0..text.len() {
        for (what, left) in [("end", &text[..at]), ("start", &text[at + 1..])] {
            let disk = start.fork();
            disk.damage(&manifest, |all| *all = left.to_vec());
            let journal = sessions(&disk);
            let found = block_on(journal.verify(&name())).unwrap();
            // What is cut off the end of the newest plan is what a crash leaves.
            if found.health.is_healthy() {
                assert!(what == "end" && found.events == 8, "{what} {at}: {found:?}");
                continue;
            }
            assert_eq!(found.repairable, 10, "{what} {at}");
            let repaired = block_on(journal.repair(&name())).unwrap();
            assert_eq!(repaired.next_event.get(), 10, "{what} {at}");
            let kept = disk.contents();
            assert!(sound.iter().all(|(file, bytes)| kept[file] == *bytes), "{what} {at}");
            assert!(left.is_empty() || kept.values().any(|kept| kept == left), "{what} {at}");
            assert!(block_on(journal.verify(&name())).unwrap().health.is_healthy(), "{what} {at}");
        }
    }
}

#[test]
fn of_several_segments_that_begin_at_one_event_a_repair_takes_the_one_that_counted() {
    // A plan of three events failed after its segment had got its name; a shorter one took its place.
    let other = session();
    let failed = |plans: &[&str]| {
        let disk = SimDisk::new();
        block_on(async {
            let journal = sessions(&disk);
            let lease = journal.lease(&name()).await.unwrap();
            for plan in &plans[..plans.len() - 1] {
                append(&journal, &lease, 2, plan).await.unwrap();
            }
            append(&journal, &lease, 3, plans[plans.len() - 1]).await.unwrap();
        });
        disk.contents()
    };
    for (plans, file) in [
        (["a", "b", "x"].as_slice(), "events/00000004-00000006.jsonl"),
        (["a", "b", "c", "d", "x"].as_slice(), "events/00000008-00000010.jsonl"),
    ] {
        let disk = other.fork();
        let segment = &failed(plans)[&path(file)];
        let mut written = disk.create(&path(file)).unwrap();
        written.write_all_at(0, segment).unwrap();
        drop(written);
        // It is older than the segment of the plan that counted.
        let counted = file.replace("6.jsonl", "5.jsonl").replace("10.jsonl", "09.jsonl");
        let bytes = disk.contents()[&path(&counted)].clone();
        disk.remove_file(&path(&counted)).unwrap();
        disk.create(&path(&counted)).unwrap().write_all_at(0, &bytes).unwrap();
        disk.remove_file(&path("manifest.jsonl")).unwrap();
        let repaired = block_on(sessions(&disk).repair(&name())).unwrap();
        assert_eq!(repaired.next_event.get(), 10, "{file}");
        assert!(reachable(&disk).contains(segment), "{file}");
    }
}

#[test]
fn a_plan_that_failed_never_takes_the_place_of_those_that_counted() {
    // A plan of four events failed after its segment had got its name; two shorter ones took its place.
    let failed = SimDisk::new();
    block_on(async {
        let journal = sessions(&failed);
        let lease = journal.lease(&name()).await.unwrap();
        for (events, plan) in [(2, "a"), (2, "b"), (4, "x")] {
            append(&journal, &lease, events, plan).await.unwrap();
        }
    });
    let long = path("events/00000004-00000007.jsonl");
    let segment = failed.contents()[&long].clone();
    let disk = session();
    disk.create(&long).unwrap().write_all_at(0, &segment).unwrap();
    let others = ["events/00000006-00000007.jsonl", "events/00000008-00000009.jsonl"];
    let others = others.map(|file| disk.contents()[&path(file)].clone());
    remove(&disk, "events/00000004-00000005.jsonl");
    let repaired = block_on(sessions(&disk).repair(&name())).unwrap();
    assert_eq!(repaired.next_event.get(), 4, "what follows it was built on what is lost");
    assert!(others.iter().all(|segment| reachable(&disk).contains(segment)));
}

#[test]
fn a_last_segment_that_nothing_attests_and_whose_snapshot_is_gone_is_set_aside() {
    let disk = session();
    let snapshots = || {
        let files = disk.contents().into_keys();
        files.filter(|file| file.starts_with("/snapshots")).collect::<BTreeSet<_>>()
    };
    let before = snapshots();
    let journal = sessions(&disk);
    let lease = block_on(journal.lease(&name())).unwrap();
    block_on(append(&journal, &lease, 2, "f")).unwrap();
    drop(lease);
    let own: Vec<PathBuf> = snapshots().difference(&before).cloned().collect();
    let [own] = own.as_slice() else { panic!("{own:?}") };
    disk.remove_file(own).unwrap();
    // It belongs to the session as long as a record says so.
    let other = disk.fork();
    edit_lines(&other, |lines| drop(lines.remove(0)));
    assert_eq!(block_on(sessions(&other).repair(&name())).unwrap().next_event.get(), 12);
    remove(&disk, "manifest.jsonl");
    assert_eq!(block_on(journal.verify(&name())).unwrap().repairable, 10);
    let repaired = block_on(journal.repair(&name())).unwrap();
    assert_eq!((repaired.next_event.get(), repaired.backup.unwrap().files), (10, 1));
}

#[test]
fn records_of_a_newer_version_behind_damage_keep_a_repair_away() {
    let disk = session();
    edit_lines(&disk, |lines| {
        lines.remove(0);
        let last = lines.last_mut().unwrap();
        let at = last.windows(5).position(|window| window == br#""v":1"#).unwrap();
        last[at + 4] = b'2';
    });
    let before = disk.contents();
    let refused = block_on(sessions(&disk).repair(&name())).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedVersion { .. }), "{refused}");
    assert!(before == disk.contents());
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
