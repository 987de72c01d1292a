//! Every byte of a small session changed in turn: nothing is ever lost silently.

use std::path::{Path, PathBuf};

use piton_store::port::{Journal, JournalReader};
use piton_store::testing::contract::journal::append;
use piton_store::testing::{Sample, SimDisk, sample_plan};
use piton_store::{Error, Reason, StreamId};

use crate::site::{SESSION, backpacks, block_on, sessions};

/// The changes that are tried on each byte.
const CHANGES: [fn(u8) -> u8; 6] =
    [|byte| byte ^ 0x01, |byte| byte ^ 0x80, |byte| !byte, |_| 0, |_| b'\n', |_| b' '];

/// A stream of four plans of three, one, two and two events.
fn small<J: Journal<Sample>>(open: fn(&SimDisk) -> J) -> SimDisk {
    let (disk, name) = (SimDisk::new(), SESSION.parse::<StreamId>().unwrap());
    let journal = open(&disk);
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        for (plan, events) in [("a", 3), ("b", 1), ("c", 2), ("d", 2)] {
            append(&journal, &lease, events, plan).await.unwrap();
        }
    });
    disk
}

const EVENTS: usize = 8;
/// The events before the newest plan.
const EVENTS_BEFORE: usize = 6;

#[derive(Debug, Default, PartialEq)]
struct Tally {
    errors: u64,
    torn: u64,
}

fn flip<J: Journal<Sample>>(
    open: fn(&SimDisk) -> J,
    start: &SimDisk,
    path: &Path,
    newest_from: usize,
    saved: impl Fn(&Path) -> bool,
) -> Tally {
    let name: StreamId = SESSION.parse().unwrap();
    let mut tally = Tally::default();
    let bytes = start.contents()[path].clone();
    for (at, &old) in bytes.iter().enumerate() {
        for change in CHANGES {
            let new = change(old);
            if new == old {
                continue;
            }
            let story = format!("{} byte {at}: {old:#x} became {new:#x}", path.display());
            let disk = start.fork();
            disk.damage(path, |bytes| bytes[at] = new);
            let journal = open(&disk);
            match block_on(journal.load(&name)) {
                Err(Error::NotHealthy { health, .. }) => {
                    assert!(!health.is_healthy(), "{story}");
                    tally.errors += 1;
                    let lease = block_on(journal.lease(&name)).unwrap_err();
                    assert!(matches!(lease, Error::NotHealthy { .. }), "{story}: {lease}");
                    let salvaged = block_on(journal.load_validated_prefix(&name)).unwrap();
                    assert!(salvaged.events.len() < EVENTS, "{story}");
                    assert_eq!(salvaged.health, health, "{story}");
                }
                Ok(loaded) => {
                    let torn = loaded.torn_tail.unwrap_or_else(|| panic!("{story}: unnoticed"));
                    assert!(at >= newest_from, "{story}: an older plan was cut");
                    assert_eq!(loaded.events.len(), EVENTS_BEFORE, "{story}");
                    tally.torn += 1;
                    // The next writer keeps the bytes.
                    let kept = &disk.contents()[path][usize::try_from(torn.offset).unwrap()..];
                    let lease = block_on(journal.lease(&name)).unwrap();
                    block_on(append(&journal, &lease, 1, "next")).unwrap();
                    let contents = disk.contents();
                    let found = contents.iter().any(|(path, bytes)| saved(path) && bytes == kept);
                    assert!(found, "{story}: the torn bytes are gone");
                }
                Err(error) => panic!("{story}: {error}"),
            }
        }
    }
    tally
}

fn dir(parent: &str) -> PathBuf {
    Path::new("/").join(parent).join(SESSION)
}

// shows: WR-008, WR-076, WR-080, WR-097
#[test]
fn no_changed_byte_of_a_manifest_goes_unnoticed() {
    let start = small(sessions);
    let path = dir("sessions").join("manifest.jsonl");
    let tally = flip(sessions, &start, &path, usize::MAX, |_| false);
    // No crash changes a byte of a record that is complete, so none of this is taken for one.
    assert!(tally.errors > 0 && tally.torn == 0, "{tally:?}");
}

/// Where each group of a manifest ends.
fn group_ends(manifest: &[u8]) -> Vec<usize> {
    let text = std::str::from_utf8(manifest).unwrap();
    let closes = text.match_indices(r#""kind":"segment_closed""#);
    let starts = closes.map(|(at, _)| text[..at].rfind('\n').map_or(0, |newline| newline + 1));
    starts.skip(1).chain([text.len()]).collect()
}

// shows: WR-080
#[test]
fn a_shortened_manifest_is_damaged_unless_a_crash_could_have_cut_it_there() {
    let name: StreamId = SESSION.parse().unwrap();
    let start = small(sessions);
    let path = dir("sessions").join("manifest.jsonl");
    let bytes = start.contents()[&path].clone();
    let ends = group_ends(&bytes);
    let before_newest = ends[ends.len() - 2];
    for length in 0..bytes.len() {
        let disk = start.fork();
        disk.damage(&path, |bytes| bytes.truncate(length));
        let verified = block_on(sessions(&disk).verify(&name)).unwrap();
        let segments = disk.contents();
        if length < before_newest {
            assert!(!verified.health.is_healthy(), "{length} bytes: {verified:?}");
            assert!(block_on(sessions(&disk).lease(&name)).is_err(), "{length}");
            // Control records alone do not show that a pin is missing behind the last of them.
            if length == 0 || bytes[length - 1] != b'\n' {
                assert!(block_on(sessions(&disk).pins(&name, None)).is_err(), "{length}");
                assert!(block_on(sessions(&disk).records(&name)).is_err(), "{length}");
            }
            continue;
        }
        if length > before_newest && bytes[length - 1] == b'\n' {
            // No torn write ends with a line inside its group.
            let reason = verified.health.reason();
            assert_eq!(reason, Some(piton_store::Reason::MissingPin), "{length}");
            continue;
        }
        assert_eq!(verified.torn_tail.is_some(), length > before_newest, "{length}");
        assert_eq!((verified.events, verified.unfinished), (6, 1), "{length}");
        // Nobody can tell whether it was acknowledged, so nothing of it is overwritten.
        let journal = sessions(&disk);
        let lease = block_on(journal.lease(&name)).unwrap();
        block_on(append(&journal, &lease, 2, "next")).unwrap();
        let left = disk.contents();
        let newest = &segments[&dir("sessions").join("events/00000006-00000007.jsonl")];
        assert!(left.values().any(|kept| kept == newest), "{length}: the segment is gone");
    }
}

// shows: WR-008, WR-076, WR-090
#[test]
fn no_changed_byte_of_a_segment_goes_unnoticed() {
    let start = small(sessions);
    let segments: Vec<PathBuf> = start
        .contents()
        .into_keys()
        .filter(|path| {
            path.extension().is_some_and(|end| end == "jsonl")
                && path.starts_with(dir("sessions").join("events"))
        })
        .collect();
    assert_eq!(segments.len(), 4);
    for path in segments {
        let tally = flip(sessions, &start, &path, usize::MAX, |_| false);
        assert_eq!(tally.torn, 0, "{}", path.display());
    }
}

#[test]
fn no_changed_byte_of_a_log_goes_unnoticed() {
    let start = small(backpacks);
    let path = dir("backpacks").join("log");
    let text = start.contents()[&path].clone();
    let newest_from = text.windows(7).rposition(|window| window == b"piton1 ").unwrap();
    let saved = |path: &Path| path.to_string_lossy().contains("log.torn-");
    let tally = flip(backpacks, &start, &path, newest_from, saved);
    println!("{tally:?}");
    assert!(tally.errors > 0, "{tally:?}");
    assert_eq!(tally.torn, 0, "no unfinished write looks like a changed byte");
}

/// A file that ends early was either never written to its end, or damaged.
// shows: WR-080, BP-101
#[test]
fn a_shortened_file_is_torn_in_its_newest_plan_and_damaged_before_it() {
    let name: StreamId = SESSION.parse().unwrap();
    let start = small(backpacks);
    // Without the note of its length, as a crash may leave it.
    start.damage(&dir("backpacks").join("log.length"), Vec::clear);
    let path = dir("backpacks").join("log");
    let bytes = start.contents()[&path].clone();
    let mut events = Vec::new();
    for length in 1..bytes.len() {
        let disk = start.fork();
        disk.damage(&path, |bytes| bytes.truncate(length));
        let loaded = block_on(backpacks(&disk).load(&name)).unwrap();
        // Without the note, a log that ends between two records cannot be told from one that was never longer.
        events.push((loaded.events.len(), loaded.torn_tail.is_some()));
    }
    events.dedup();
    let torn = |count| (count, true);
    let whole = |count| (count, false);
    assert_eq!(
        events,
        [torn(0), whole(3), torn(3), whole(4), torn(4), whole(6), torn(6)],
        "only whole records count"
    );
}

/// A log is known to be cut wherever it ends, and a note that is damaged itself changes nothing.
// shows in part: BP-101 (the part about damage)
#[test]
fn a_log_that_is_shorter_than_it_was_is_damaged() {
    let name: StreamId = SESSION.parse().unwrap();
    let start = small(backpacks);
    let (log, note) = (dir("backpacks").join("log"), dir("backpacks").join("log.length"));
    let bytes = start.contents()[&log].clone();
    let had = block_on(backpacks(&start).load(&name)).unwrap().events.len() as u64;
    for length in 1..bytes.len() {
        let disk = start.fork();
        disk.damage(&log, |bytes| bytes.truncate(length));
        let journal = backpacks(&disk);
        let verified = block_on(journal.verify(&name)).unwrap();
        assert_eq!(verified.health.reason(), Some(Reason::LogCut), "{length}");
        for refused in [
            block_on(journal.load(&name)).unwrap_err(),
            block_on(journal.lease(&name)).unwrap_err(),
        ] {
            assert!(matches!(refused, Error::NotHealthy { .. }), "{length}: {refused}");
        }
        let repaired = block_on(journal.repair(&name)).unwrap();
        let events = repaired.next_event.get();
        assert_eq!(events + repaired.lost, had, "{length}");
        let kept = disk.contents().values().any(|kept| *kept == bytes[..length]);
        assert!(kept, "{length}: what was left of the log is in it or kept");
        assert!(block_on(journal.verify(&name)).is_ok_and(|found| found.health.is_healthy()));
        let again = block_on(journal.repair(&name)).unwrap();
        assert_eq!((again.lost, again.backup), (0, None), "{length}");
        if events > 0 {
            assert_eq!(block_on(journal.load(&name)).unwrap().events.len() as u64, events);
        }
        let lease = block_on(journal.lease(&name)).unwrap();
        block_on(append(&journal, &lease, 1, "after")).unwrap();
    }
    let whole = start.contents()[&note].clone();
    for at in 0..whole.len() {
        for damage in [
            |note: &mut Vec<u8>, at: usize| note[at] ^= 1,
            |note: &mut Vec<u8>, at: usize| note.truncate(at),
            |note: &mut Vec<u8>, at: usize| note.extend_from_within(..=at),
        ] {
            let disk = start.fork();
            disk.damage(&note, |bytes| {
                // It was never synced, so what a failing medium changes is put there first.
                bytes.clone_from(&whole);
                damage(bytes, at);
            });
            let loaded = block_on(backpacks(&disk).load(&name)).unwrap();
            assert_eq!((loaded.events.len() as u64, loaded.torn_tail), (had, None), "{at}");
        }
    }
}

#[test]
fn a_torn_tail_is_kept_aside_also_if_the_first_plan_writes_nothing() {
    let disk = small(sessions);
    let path = dir("sessions").join("manifest.jsonl");
    disk.damage(&path, |bytes| bytes.truncate(bytes.len() - 10));
    let journal = sessions(&disk);
    let lease = block_on(journal.lease(&SESSION.parse().unwrap())).unwrap();
    let torn = lease.torn_tail().unwrap();
    let kept = disk.contents()[&path][usize::try_from(torn.offset).unwrap()..].to_vec();
    let refused = sample_plan(lease.stream(), lease.next_event().get() + 1, 1, "refused");
    block_on(async { journal.append(&lease.writer(), refused).await }).unwrap_err();
    block_on(append(&journal, &lease, 1, "next")).unwrap();
    assert!(disk.contents().values().any(|bytes| *bytes == kept), "the torn bytes are gone");
}
