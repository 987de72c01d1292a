//! One append, and every fault at every call that it makes.
//!
//! After each fault the power is cut as well, in several ways, and the stream must hold the old
//! state or the whole new one, everything that was acknowledged, and must take another append.

use std::collections::BTreeMap;
use std::path::Path;

use piton_store::port::{Appended, BlobNamespace, BlobReader, Blobs, Journal};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{DiskFault, FaultKind, LongRun, Sample, SimDisk, sample_plan};
use piton_store::{Error, Event, StreamId};

use crate::site::{SESSION, backpacks, blobs, block_on, sessions};

const SECTORS: [usize; 2] = [512, 4096];

/// What happened over all the trials.
#[derive(Debug, Default)]
struct Tally {
    trials: u64,
    acknowledged: u64,
    kept_old: u64,
    kept_new: u64,
    torn: u64,
    poisoned: u64,
    repaired: u64,
}

fn name() -> StreamId {
    SESSION.parse().unwrap()
}

/// A disk with a stream of `plans` plans on it, and room for blobs.
fn prepared<J: Journal<Sample>>(open: fn(&SimDisk) -> J, plans: u64) -> SimDisk {
    let disk = SimDisk::new();
    let journal = open(&disk);
    block_on(async {
        blobs(&disk).put(BlobNamespace::Snapshots, b"first".to_vec()).await.unwrap();
        let lease = journal.lease(&name()).await.unwrap();
        for number in 0..plans {
            append(&journal, &lease, 3, &format!("old{number}")).await.unwrap();
        }
    });
    disk
}

/// Appends one plan of five events and a snapshot, with a fault; says whether it was acknowledged.
fn attempt<J: Journal<Sample>>(
    open: fn(&SimDisk) -> J,
    disk: &SimDisk,
    fault: Option<DiskFault>,
) -> bool {
    let journal = open(disk);
    disk.set_fault(fault);
    block_on(async {
        let Ok(lease) = journal.lease(&name()).await else { return false };
        append(&journal, &lease, 5, "new").await.is_ok()
    })
}

/// Opens the stream after a fault, and checks what it holds.
fn recover<J: Journal<Sample>>(
    open: fn(&SimDisk) -> J,
    disk: &SimDisk,
    old: u64,
    acknowledged: bool,
    tally: &mut Tally,
    story: &str,
) {
    let journal = open(disk);
    block_on(async {
        let lease = match journal.lease(&name()).await {
            Err(Error::Poisoned { .. }) => {
                tally.poisoned += 1;
                let verified = journal.verify(&name()).await.unwrap();
                assert!(verified.mark_lifted, "{story}: {verified:?}");
                journal.lease(&name()).await.unwrap()
            }
            Err(Error::NotHealthy { .. }) => {
                tally.repaired += 1;
                journal.repair(&name()).await.unwrap();
                journal.lease(&name()).await.unwrap()
            }
            lease => lease.unwrap_or_else(|error| panic!("{story}: {error}")),
        };
        tally.torn += u64::from(lease.torn_tail().is_some());
        let next = lease.next_event().get();
        assert!(next == old || next == old + 5, "{story}: {next} events after {old}");
        assert!(!acknowledged || next == old + 5, "{story}: an acknowledged plan is gone");
        tally.kept_old += u64::from(next == old);
        tally.kept_new += u64::from(next == old + 5);
        // The same plan again ends with one copy of it; then another goes in.
        let plan = sample_plan(&name(), next, 5, "new");
        let replayed = journal.append(&lease.writer(), plan).await;
        let replayed = replayed.unwrap_or_else(|error| panic!("{story}: {error}"));
        let was_there = matches!(replayed, Appended::AlreadyPresent { .. });
        assert_eq!(was_there, next == old + 5, "{story}");
        append(&journal, &lease, 2, "after").await.unwrap();
        drop(lease);
    });
    // All of that was acknowledged, so nothing of it may depend on what was not synced.
    let disk = disk.after_losing_all();
    let journal = open(&disk);
    let loaded = block_on(journal.load(&name()));
    let loaded = loaded.unwrap_or_else(|error| panic!("{story}: {error}"));
    assert_eq!(loaded.events.len() as u64, old + 7, "{story}");
    assert_eq!(loaded.torn_tail, None, "{story}");
    let blobs = blobs(&disk);
    for snapshot in loaded.events.iter().filter_map(Event::introduces) {
        let found = block_on(blobs.get(BlobNamespace::Snapshots, snapshot.digest())).unwrap();
        assert!(found.is_some(), "{story}: a pinned snapshot is gone");
    }
}

/// Every fault at every `stride`-th call of an append, each with several power cuts.
fn every_fault<J: Journal<Sample>>(
    open: fn(&SimDisk) -> J,
    start: &SimDisk,
    plans: u64,
    stride: usize,
    seed: u64,
    tally: &mut Tally,
) {
    let cuts = LongRun::size(10, 250);
    let calls = {
        let disk = start.fork();
        assert!(attempt(open, &disk, None));
        disk.calls()
    };
    let old = plans * 3;
    for kind in FaultKind::ALL {
        for at in (0..calls).step_by(stride) {
            let disk = start.fork();
            let acknowledged = attempt(open, &disk, Some(DiskFault { at, kind }));
            tally.acknowledged += u64::from(acknowledged);
            for sector in SECTORS {
                for cut in 0..cuts {
                    tally.trials += 1;
                    let luck = seed.wrapping_add(cut * 7_919 + at);
                    let story = format!("{kind:?} at call {at}, cut {luck} at {sector}");
                    let disk = disk.after_power_cut(luck, sector);
                    recover(open, &disk, old, acknowledged, tally, &story);
                }
            }
            if kind != FaultKind::Crash {
                // The disk works again, and the power stayed on.
                let story = format!("{kind:?} at call {at}, no cut");
                disk.set_fault(None);
                recover(open, &disk, old, acknowledged, tally, &story);
            }
        }
    }
}

#[test]
fn a_process_whose_disk_failed_at_the_first_append_verifies_the_stream_and_goes_on() {
    let disk = SimDisk::new();
    let journal = sessions(&disk);
    let lease = block_on(journal.lease(&name())).unwrap();
    disk.set_fault(Some(DiskFault { at: 0, kind: FaultKind::ErrorForever }));
    block_on(append(&journal, &lease, 3, "lost")).unwrap_err();
    drop(lease);
    disk.set_fault(None);
    let refused = block_on(journal.lease(&name())).unwrap_err();
    assert!(matches!(refused, Error::Poisoned { .. }), "{refused}");
    let verified = block_on(journal.verify(&name())).unwrap();
    assert!(verified.mark_lifted && verified.events == 0, "{verified:?}");
    let lease = block_on(journal.lease(&name())).unwrap();
    block_on(append(&journal, &lease, 3, "kept")).unwrap();
}

/// The last call without which an append is not acknowledged: its sync. What follows leaves a note that nothing needs.
fn last_needed(calls: u64, is_acknowledged_without: impl Fn(u64) -> bool) -> u64 {
    let needed = (0..calls).rev().find(|at| !is_acknowledged_without(*at));
    needed.expect("an append makes calls")
}

/// A writer dies before the sync of the control file, and the power stays on. Another one appends
/// something else, dies before each of its calls, and then the power goes out.
fn follow_a_dead_writer<J: Journal<Sample>>(open: fn(&SimDisk) -> J) {
    let start = prepared(open, 2);
    let whole = start.fork();
    assert!(attempt(open, &whole, None));
    let left = start.fork();
    let crash = |at| Some(DiskFault { at, kind: FaultKind::Crash });
    let sync = last_needed(whole.calls(), |at| attempt(open, &start.fork(), crash(at)));
    assert!(!attempt(open, &left, crash(sync)));
    let next = |disk: &SimDisk, fault| {
        let journal = open(disk);
        disk.set_fault(fault);
        block_on(async {
            let Ok(lease) = journal.lease(&name()).await else { return false };
            assert_eq!(
                lease.next_event().get(),
                11,
                "what the dead writer left is part of the stream"
            );
            append(&journal, &lease, 2, "next").await.is_ok()
        })
    };
    let whole = left.fork();
    assert!(next(&whole, None));
    let sync = last_needed(whole.calls(), |at| next(&left.fork(), crash(at)));
    let mut lengths = BTreeMap::<u64, u64>::new();
    for at in 0..=whole.calls() {
        let disk = left.fork();
        let is_acknowledged = next(&disk, crash(at));
        assert_eq!(is_acknowledged, at > sync);
        // Only few cuts keep all of the last write, and of the one before it only a part.
        let cuts = if at == sync { 256 } else { 16 };
        for (luck, sector) in (0..cuts).flat_map(|luck| SECTORS.map(|sector| (luck, sector))) {
            let story = format!("crash at call {at}, cut {luck} at {sector}");
            let journal = open(&disk.after_power_cut(luck, sector));
            let lease = block_on(journal.lease(&name()));
            let lease = lease.unwrap_or_else(|error| panic!("{story}: {error}"));
            let length = lease.next_event().get();
            assert!([6, 11, 13].contains(&length), "{story}: {length} events");
            assert!(!is_acknowledged || length == 13, "{story}: an acknowledged plan is gone");
            *lengths.entry(length).or_default() += 1;
        }
    }
    assert_eq!(lengths.len(), 3, "each of the endings was tried: {lengths:?}");
}

// shows in part: WR-062 (a writer that follows one which died)
#[test]
fn what_a_dead_writer_left_in_a_session_never_reads_as_damage() {
    follow_a_dead_writer(sessions);
}

// shows in part: WR-062 (a writer that follows one which died)
#[test]
fn what_a_dead_writer_left_in_a_log_never_reads_as_damage() {
    follow_a_dead_writer(backpacks);
}

mod long {
    use super::*;

    /// Tries everything on streams of several lengths, and reports.
    fn try_all(name: &'static str, trial: impl Fn(&mut Tally, u64)) -> Tally {
        let run = LongRun::start(name);
        println!("{run}");
        let mut tally = Tally::default();
        trial(&mut tally, run.seed());
        run.report(&[
            ("trials", tally.trials),
            ("acknowledged", tally.acknowledged),
            ("old state", tally.kept_old),
            ("new state", tally.kept_new),
            ("torn tails", tally.torn),
            ("poisoned", tally.poisoned),
            ("repairs", tally.repaired),
        ]);
        println!("{tally:?}");
        assert!(tally.kept_old > 0 && tally.kept_new > 0 && tally.acknowledged > 0, "{tally:?}");
        assert_eq!(tally.repaired, 0, "padding keeps torn groups from passing for missing pins");
        tally
    }

    // shows: WR-062, WR-081, WR-083, WR-553
    #[test]
    fn a_session_survives_every_fault_at_every_call_of_an_append() {
        let tally = try_all("crash: append to a session", |tally, seed| {
            for plans in [0, 1, 4] {
                every_fault(sessions, &prepared(sessions, plans), plans, 1, seed, tally);
            }
        });
        assert!(tally.torn > 0 && tally.poisoned > 0, "{tally:?}");
    }

    // shows: WR-062
    #[test]
    fn a_log_survives_every_fault_at_every_call_of_an_append() {
        let tally = try_all("crash: append to a log", |tally, seed| {
            for plans in [0, 1, 4] {
                every_fault(backpacks, &prepared(backpacks, plans), plans, 1, seed, tally);
            }
        });
        assert!(tally.torn > 0 && tally.poisoned > 0, "{tally:?}");
    }

    // shows: WR-062
    #[test]
    fn the_first_append_of_all_survives_faults_too() {
        try_all("crash: first append of all", |tally, seed| {
            every_fault(sessions, &SimDisk::new(), 0, 23, seed, tally);
        });
    }
}

/// The line that closes the newest plan's segment, without the space that may follow it: where its
/// newline would end in the file.
fn close_line_end(disk: &SimDisk, name: &StreamId) -> usize {
    let path = Path::new("/sessions").join(name.as_str()).join("manifest.jsonl");
    let text = disk.contents()[&path].clone();
    let mark = br#""kind":"segment_closed""#;
    let close = text.windows(mark.len()).rposition(|window| window == mark).unwrap();
    let end = close + text[close..].iter().position(|&byte| byte == b'\n').unwrap();
    if text[end - 1] == b' ' { end } else { end + 1 }
}

/// Disks on which the next plan's close line would end on a sector, with the name of the stream.
/// Names and plans of many lengths are tried; a few of them fit.
fn just_before_a_sector_ends() -> Vec<(SimDisk, StreamId)> {
    let mut found = Vec::new();
    for length in 1..=90 {
        let name: StreamId = "x".repeat(length).parse().unwrap();
        let disk = SimDisk::new();
        let journal = sessions(&disk);
        for plan in 0..24 {
            let before = disk.fork();
            block_on(async {
                let lease = journal.lease(&name).await.unwrap();
                append(&journal, &lease, 2, &format!("p{plan}")).await.unwrap();
            });
            if close_line_end(&disk, &name).is_multiple_of(512) {
                found.push((before, name.clone()));
            }
        }
    }
    found
}

// shows: WR-066, WR-082
#[test]
fn a_torn_group_is_never_taken_for_a_plan_without_its_pins() {
    let mut endings = BTreeMap::<&str, u64>::new();
    let places = just_before_a_sector_ends();
    assert!(places.len() >= 3, "{} places to try", places.len());
    for (start, name) in places {
        let attempt = |disk: &SimDisk, fault| {
            let journal = sessions(disk);
            disk.set_fault(fault);
            block_on(async {
                let Ok(lease) = journal.lease(&name).await else { return };
                let plan = format!("p{}", lease.next_event().get() / 2);
                let _ = append(&journal, &lease, 2, &plan).await;
            });
        };
        let whole = start.fork();
        attempt(&whole, None);
        // The power goes out before the last call, the sync of the manifest.
        let at = whole.calls() - 1;
        let torn = start.fork();
        attempt(&torn, Some(DiskFault { at, kind: FaultKind::Crash }));
        for seed in 0..128 {
            let cut = torn.after_power_cut(seed, 512);
            let ending = match block_on(sessions(&cut).lease(&name)) {
                Ok(lease) if lease.torn_tail().is_some() => "torn",
                Ok(_) => "whole",
                Err(error) => panic!("{name}, seed {seed}: {error}"),
            };
            *endings.entry(ending).or_default() += 1;
        }
    }
    println!("{endings:?}");
    assert!(endings["torn"] > 50 && endings["whole"] > 50, "{endings:?}");
}
