//! Every reason for a damaged session, produced on purpose.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use piton_core::port::fixed::SeededEntropy;
use piton_core::{Digest, EventId, FileBytes, canonical};
use piton_store::local::disk::Disk;
use piton_store::port::{Journal, JournalReader};
use piton_store::testing::SimDisk;
use piton_store::testing::contract::journal::append;
use piton_store::{Error, Health, Reason, StreamId};
use serde_json::{Value, json};

use crate::site::{SESSION, backpacks, block_on, sessions};

fn session() -> SimDisk {
    let (disk, name) = (SimDisk::new(), SESSION.parse::<StreamId>().unwrap());
    let journal = sessions(&disk);
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        for (plan, events) in [("a", 3), ("b", 2), ("c", 2)] {
            append(&journal, &lease, events, plan).await.unwrap();
        }
    });
    disk
}

fn path(name: &str) -> PathBuf {
    Path::new("/sessions").join(SESSION).join(name)
}

fn canonical_line(value: &Value) -> Vec<u8> {
    let mut line = canonical::encode(value).unwrap().into_vec();
    line.push(b'\n');
    line
}

/// Rewrites the lines of a file as JSON values.
fn rewrite(disk: &SimDisk, name: &str, change: impl FnOnce(&mut Vec<Value>)) {
    disk.damage(&path(name), |bytes| {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        change(&mut lines);
        *bytes = lines.iter().flat_map(canonical_line).collect();
    });
}

/// Rewrites a segment and attests the result, as an attacker or a wrong writer would.
fn rewrite_attested(disk: &SimDisk, close_line: usize, change: impl FnOnce(&mut Vec<Value>)) {
    let manifest = disk.contents()[&path("manifest.jsonl")].clone();
    let text = String::from_utf8(manifest).unwrap();
    let close: Value = serde_json::from_str(text.lines().nth(close_line).unwrap()).unwrap();
    let name = close["segmentRelPath"].as_str().unwrap().to_owned();
    rewrite(disk, &name, change);
    let bytes = disk.contents()[&path(&name)].clone();
    rewrite(disk, "manifest.jsonl", |lines| {
        lines[close_line]["bytes"] = json!(bytes.len());
        lines[close_line]["sha256"] = json!(Digest::of(&FileBytes(&bytes)).to_string());
    });
}

fn health_of(disk: &SimDisk) -> Health {
    let name: StreamId = SESSION.parse().unwrap();
    let journal = sessions(disk);
    let before = disk.contents();
    let error = block_on(journal.load(&name)).unwrap_err();
    let Error::NotHealthy { health, .. } = error else { panic!("{error}") };
    assert!(block_on(journal.lease(&name)).is_err(), "a damaged session takes no writer");
    let salvaged = block_on(journal.load_validated_prefix(&name)).unwrap();
    assert_eq!(salvaged.health, health);
    let valid = match health {
        Health::CorruptTail { event_index, .. } => event_index.get(),
        Health::CorruptHead { .. } => 0,
        _ => salvaged.events.len() as u64,
    };
    assert_eq!(salvaged.events.len() as u64, valid, "exactly the events before the damage");
    assert_eq!(disk.contents(), before, "reading repairs nothing");
    health
}

fn foreign() -> Value {
    json!("sess_b")
}

fn other_event() -> Value {
    json!(EventId::mint(&SeededEntropy::new(99)).to_string())
}

fn remove(disk: &SimDisk, name: &str) {
    disk.remove_file(&path(name)).unwrap();
    disk.sync_dir(path(name).parent().unwrap()).unwrap();
}

/// A reason, and the damage that leads to it. Manifest lines: close a, pin a, close b, pin b, …
type Damage = (Reason, fn(&SimDisk));

fn damages() -> Vec<Damage> {
    let mut all = damaged_records();
    all.extend(lost_records());
    all
}

/// Control records that are gone, with or without their file.
fn lost_records() -> Vec<Damage> {
    vec![
        (Reason::SegmentUnattested, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines.truncate(2));
        }),
        (Reason::SegmentUnattested, |disk| {
            // Cut inside the second group.
            disk.damage(&path("manifest.jsonl"), |bytes| bytes.truncate(bytes.len() / 2));
        }),
        (Reason::ControlMissing, |disk| {
            disk.damage(&path("manifest.jsonl"), Vec::clear);
        }),
        (Reason::ControlMissing, |disk| {
            remove(disk, "manifest.jsonl");
        }),
        (Reason::ControlMissing, |disk| {
            // The mark alone shows that there was something.
            for name in ["00000000-00000002", "00000003-00000004", "00000005-00000006"] {
                remove(disk, &format!("events/{name}.jsonl"));
            }
            remove(disk, "manifest.jsonl");
        }),
        (Reason::ControlMissing, |disk| {
            // Written by a version that left no mark.
            remove(disk, "begun");
            remove(disk, "manifest.jsonl");
        }),
    ]
}

fn damaged_records() -> Vec<Damage> {
    vec![
        (Reason::ManifestUnreadable, |disk| {
            disk.damage(&path("manifest.jsonl"), |bytes| bytes[3] = b'!');
        }),
        (Reason::ManifestUnreadable, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["kind"] = json!("segment_opened"));
        }),
        (Reason::ManifestUnreadable, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["bytes"] = json!(-1));
        }),
        (Reason::ManifestUnreadable, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["bytes"] = json!(1.5));
        }),
        (Reason::ManifestOutOfOrder, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines.swap(2, 4));
        }),
        (Reason::ManifestOutOfOrder, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| {
                lines.remove(2);
            });
        }),
        (Reason::ForeignStream, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["sessionId"] = foreign());
        }),
        (Reason::ForeignStream, |disk| {
            rewrite_attested(disk, 2, |lines| lines[0]["sessionId"] = foreign());
        }),
        (Reason::SegmentPathInvalid, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| {
                lines[2]["segmentRelPath"] = json!("/etc/passwd");
            });
        }),
        (Reason::SegmentPathInvalid, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| {
                lines[2]["segmentRelPath"] = json!("../x/events/00000003-00000004.jsonl");
            });
        }),
        (Reason::SegmentGap, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["firstEventIndex"] = json!(4));
        }),
        (Reason::SegmentGap, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[2]["firstEventIndex"] = json!(2));
        }),
        (Reason::SegmentMissing, |disk| {
            remove(disk, "events/00000003-00000004.jsonl");
        }),
        (Reason::SegmentAltered, |disk| {
            disk.damage(&path("events/00000003-00000004.jsonl"), |bytes| bytes.push(b' '));
        }),
        (Reason::SegmentContents, |disk| {
            rewrite_attested(disk, 2, |lines| {
                lines.pop();
            });
        }),
        (Reason::SegmentContents, |disk| rewrite_attested(disk, 2, |lines| lines.swap(0, 1))),
        (Reason::SegmentContents, |disk| {
            rewrite_attested(disk, 2, |lines| {
                let mut extra = lines[1].clone();
                extra["eventIndex"] = json!(5);
                extra["dedupeKey"] = json!("sample:extra");
                lines.push(extra);
            });
        }),
        (Reason::EventUnreadable, |disk| {
            rewrite_attested(disk, 2, |lines| lines[0]["unknown"] = json!(1));
        }),
        (Reason::EventUnreadable, |disk| {
            rewrite_attested(disk, 2, |lines| {
                lines[0].as_object_mut().unwrap().remove("dedupeKey");
            });
        }),
        (Reason::DedupeKeyRepeated, |disk| {
            let first = disk.contents()[&path("events/00000000-00000002.jsonl")].clone();
            let line = first.split(|&byte| byte == b'\n').next().unwrap();
            let key = serde_json::from_slice::<Value>(line).unwrap()["dedupeKey"].clone();
            rewrite_attested(disk, 2, |lines| lines[0]["dedupeKey"] = key);
        }),
        (Reason::MissingPin, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines.truncate(5));
        }),
        (Reason::StrayPin, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[3]["eventIndex"] = json!(3));
        }),
        (Reason::StrayPin, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| lines[3]["createdByEventId"] = other_event());
        }),
        (Reason::StrayPin, |disk| {
            rewrite(disk, "manifest.jsonl", |lines| {
                lines[3]["snapshotRef"] = lines[1]["snapshotRef"].clone();
            });
        }),
    ]
}

// shows: WR-038, WR-051, WR-071, WR-073, WR-074, WR-075, WR-082, WR-089, WR-090, WR-091, WR-094, WR-096
// shows: WR-102, WR-122, WR-551
#[test]
fn every_corruption_reason_has_a_damage_that_leads_to_it() {
    let mut produced = BTreeSet::new();
    for (number, (reason, damage)) in damages().into_iter().enumerate() {
        let disk = session();
        damage(&disk);
        assert_eq!(health_of(&disk).reason(), Some(reason), "damage {number}");
        produced.insert(reason);
    }
    produced.insert(log_damage(|bytes| bytes[200] ^= 1));
    produced.insert(log_damage(|bytes| bytes.truncate(200)));
    let all: BTreeSet<Reason> = Reason::ALL.iter().copied().collect();
    assert_eq!(produced, all);
}

fn log_damage(damage: fn(&mut Vec<u8>)) -> Reason {
    let (disk, name) = (SimDisk::new(), SESSION.parse::<StreamId>().unwrap());
    let journal = backpacks(&disk);
    block_on(async {
        let lease = journal.lease(&name).await.unwrap();
        append(&journal, &lease, 2, "a").await.unwrap();
        append(&journal, &lease, 2, "b").await.unwrap();
    });
    disk.damage(&Path::new("/backpacks").join(SESSION).join("log"), damage);
    let error = block_on(backpacks(&disk).load(&name)).unwrap_err();
    let Error::NotHealthy { health, .. } = error else { panic!("{error}") };
    health.reason().unwrap()
}

// shows: WR-089, WR-090
#[test]
fn damage_to_the_first_plan_leaves_no_prefix() {
    let disk = session();
    disk.damage(&path("events/00000000-00000002.jsonl"), |bytes| bytes[9] ^= 1);
    let reason = Reason::SegmentAltered;
    assert_eq!(health_of(&disk), Health::CorruptHead { reason });
}

// shows: WR-042, WR-043, WR-045, WR-089
#[test]
fn a_newer_version_is_not_guessed_at() {
    let in_manifest: fn(&SimDisk) = |disk| {
        rewrite(disk, "manifest.jsonl", |lines| lines[2]["v"] = json!(2));
    };
    let in_manifest_with_more: fn(&SimDisk) = |disk| {
        rewrite(disk, "manifest.jsonl", |lines| {
            lines[2] = json!({ "v": 3, "kind": "something_new" });
        });
    };
    let in_event: fn(&SimDisk) = |disk| {
        rewrite_attested(disk, 2, |lines| {
            lines[0] = json!({ "v": 2, "eventIndex": 3, "shape": "new" });
        });
    };
    let in_event_that_fits: fn(&SimDisk) = |disk| {
        rewrite_attested(disk, 2, |lines| lines[0]["v"] = json!(7));
    };
    let all =
        [(in_manifest, 2), (in_manifest_with_more, 3), (in_event, 2), (in_event_that_fits, 7)];
    for (damage, found) in all {
        let disk = session();
        damage(&disk);
        let health = health_of(&disk);
        let Health::UnknownVersion { version, .. } = health else { panic!("{health:?}") };
        assert_eq!(version, found);
        // Rolling back would throw away what a newer program wrote.
        let name: StreamId = SESSION.parse().unwrap();
        let error = block_on(sessions(&disk).repair(&name)).unwrap_err();
        assert!(matches!(error, Error::UnsupportedVersion { .. }), "{error}");
    }
}

#[test]
fn a_newer_version_behind_a_damaged_record_is_not_cut_away() {
    let disk = session();
    rewrite(&disk, "manifest.jsonl", |lines| lines[2]["v"] = json!(2));
    disk.damage(&path("manifest.jsonl"), |text| {
        let at = text.windows(6).position(|window| window == b"sha256").unwrap();
        text[at] ^= 1;
    });
    let before = disk.contents();
    let error = block_on(sessions(&disk).repair(&SESSION.parse().unwrap())).unwrap_err();
    assert!(matches!(error, Error::UnsupportedVersion { found: 2, .. }), "{error}");
    assert_eq!(disk.contents(), before);
}

// shows: WR-046, WR-072, WR-077
#[test]
fn a_control_record_has_all_its_fields_and_no_other() {
    let fields = |disk: &SimDisk, line: usize| -> Vec<String> {
        let text = String::from_utf8(disk.contents()[&path("manifest.jsonl")].clone()).unwrap();
        let value: Value = serde_json::from_str(text.lines().nth(line).unwrap()).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    };
    for line in [2, 3] {
        for field in fields(&session(), line) {
            let disk = session();
            rewrite(&disk, "manifest.jsonl", |lines| {
                lines[line].as_object_mut().unwrap().remove(&field);
            });
            assert_eq!(health_of(&disk).reason(), Some(Reason::ManifestUnreadable), "{field}");
        }
        let disk = session();
        rewrite(&disk, "manifest.jsonl", |lines| lines[line]["extra"] = json!(true));
        assert_eq!(health_of(&disk).reason(), Some(Reason::ManifestUnreadable));
    }
}

// shows: WR-078
#[test]
fn a_repeated_pin_is_harmless() {
    let disk = session();
    rewrite(&disk, "manifest.jsonl", |lines| {
        let mut again = lines[1].clone();
        again["manifestIndex"] = json!(6);
        lines.push(again);
    });
    let name: StreamId = SESSION.parse().unwrap();
    let journal = sessions(&disk);
    assert_eq!(block_on(journal.load(&name)).unwrap().events.len(), 7);
    assert_eq!(block_on(journal.pins(&name, None)).unwrap().snapshots.len(), 3);
    let lease = block_on(journal.lease(&name)).unwrap();
    block_on(append(&journal, &lease, 2, "d")).unwrap();
    assert_eq!(block_on(sessions(&disk).load(&name)).unwrap().events.len(), 9);
}

// shows: WR-082
#[test]
fn repair_rolls_back_to_the_last_whole_plan_and_keeps_the_rest() {
    let name: StreamId = SESSION.parse().unwrap();
    let mut rewritten = 0;
    for (_, damage) in damages() {
        let disk = session();
        damage(&disk);
        let health = health_of(&disk);
        let damaged = disk.contents();
        let journal = sessions(&disk);
        let prefix = block_on(journal.load_validated_prefix(&name)).unwrap().events;
        let repaired = block_on(journal.repair(&name)).unwrap();
        assert_eq!(repaired.was, health);
        // Control records that are damaged or gone are written again; then more is whole than was.
        let next = usize::try_from(repaired.next_event.get()).unwrap();
        assert_eq!(next > prefix.len(), repaired.rewritten > 0);
        rewritten += repaired.rewritten;
        let listed = block_on(journal.set_aside(Some(&name))).unwrap();
        assert_eq!(listed, Vec::from_iter(repaired.backup));
        // Whatever is no longer there is in the directory that was named, as it was.
        let left = disk.contents();
        let manifest = damaged.get(&path("manifest.jsonl")).filter(|bytes| !bytes.is_empty());
        let kept = |file: &Path| {
            let place = Path::new(&listed.first()?.place).join(file.file_name()?);
            left.get(&place)
        };
        assert_eq!(kept(&path("manifest.jsonl")), manifest);
        let segments = damaged.iter().filter(|(file, _)| file.starts_with(path("events")));
        for (file, bytes) in segments {
            assert!(left.get(file).or_else(|| kept(file)) == Some(bytes), "{}", file.display());
        }
        // Everything is durable, and the session goes on.
        let journal = sessions(&disk.after_losing_all());
        let lease = block_on(journal.lease(&name)).unwrap();
        assert_eq!(lease.next_event(), repaired.next_event);
        block_on(append(&journal, &lease, 2, "after")).unwrap();
        let loaded = block_on(journal.load(&name)).unwrap().events;
        assert_eq!(loaded[..prefix.len()], prefix);
        assert_eq!(loaded.len(), next + 2);
    }
    assert!(rewritten > 5, "{rewritten}");
}

// shows: WR-068, WR-081
#[test]
fn a_segment_that_nothing_attests_is_never_opened() {
    let disk = session();
    let orphan = disk.contents()[&path("events/00000003-00000004.jsonl")].clone();
    for name in ["events/00000007-00000008.jsonl", "events/junk.jsonl"] {
        disk.create(&path(name)).unwrap().write_all_at(0, &orphan).unwrap();
    }
    let recorder =
        std::sync::Arc::new(piton_store::testing::Recorder::new(std::sync::Arc::new(disk.clone())));
    let dir = piton_store::local::DataDir::on(recorder.clone(), Path::new("/")).unwrap();
    let journal = crate::site::open(
        dir,
        piton_store::local::SegmentedJournal::<piton_store::testing::Sample>::sessions,
    );
    let name: StreamId = SESSION.parse().unwrap();
    recorder.take();
    assert_eq!(block_on(journal.load(&name)).unwrap().events.len(), 7);
    let calls = recorder.take();
    assert!(calls.iter().any(|call| call.operation == "read"));
    for call in calls {
        let text = call.path.to_string_lossy().into_owned();
        assert!(!text.contains("00000007") && !text.contains("junk"), "{call:?}");
    }
    assert_eq!(block_on(journal.verify(&name)).unwrap().unfinished, 1);
    // The next plan takes the orphan's name, and the orphan is kept: it might be all that is left of a plan.
    let lease = block_on(journal.lease(&name)).unwrap();
    block_on(append(&journal, &lease, 2, "d")).unwrap();
    assert_eq!(block_on(sessions(&disk).load(&name)).unwrap().events.len(), 9);
    let kept = block_on(journal.set_aside(None)).unwrap();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(disk.contents()[Path::new(&kept[0].place)], orphan);
}
