//! What repairs set aside stays whole: a collection leaves the blobs that only it refers to.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    damage::gather,
    recovery::{log_of, with_backpack},
    rig::Rig,
};

/// Where the blobs of sessions and backpacks are.
const BLOBS: [&str; 4] = ["snapshots", "artifacts", "workflows/pinned", "blobs/backpacks"];

/// The blobs of a data directory, made so old that a collection may take them.
fn old_blobs(rig: &Rig) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for part in BLOBS.map(|part| rig.data().join(part)).iter().filter(|part| part.exists()) {
        gather(part, &mut found);
    }
    found.retain(|file| !file.ends_with("complete"));
    let long_ago = SystemTime::now() - Duration::from_hours(24 * 365);
    for file in &found {
        fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    found
}

/// Flips a bit of the first byte, which belongs to no digest.
fn damage_start(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[0] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// What a collection says, and what it leaves of the blobs.
fn collect(rig: &Rig) -> (Value, BTreeSet<PathBuf>) {
    let before = old_blobs(rig);
    let told = rig.tells(&["session", "gc"]);
    (told, before.into_iter().filter(|file| file.exists()).collect())
}

/// Holds that a collection leaves `blobs` while `kept` is there, and takes some of them after a person removed it.
fn check_kept(rig: &Rig, kept: &Path, blobs: &BTreeSet<PathBuf>) {
    let (told, left) = collect(rig);
    assert_eq!(&left, blobs, "{told}");
    let mut files = BTreeSet::new();
    gather(kept, &mut files);
    let file = files.last().unwrap();
    let bytes = fs::read(file).unwrap();
    // So long that nobody reads it.
    fs::File::options().write(true).open(file).unwrap().set_len(5 << 30).unwrap();
    let (told, left) = collect(rig);
    assert_eq!(&left, blobs, "{told}");
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(told["warnings"].to_string().contains(name), "{told}");
    fs::write(file, bytes).unwrap();
    let (told, left) = collect(rig);
    assert_eq!(&left, blobs, "{told}");
    assert!(told["warnings"].as_array().is_none_or(Vec::is_empty), "{told}");
    fs::remove_dir_all(kept).unwrap();
    let (told, left) = collect(rig);
    assert!(left.len() < blobs.len() && left.is_subset(blobs), "{told}");
}

#[test]
fn what_the_steps_refer_to_that_a_repair_took_away_is_not_collected() {
    let rig = Rig::new();
    let run = rig.tour();
    rig.tells(&["session", "keep", &run.session]);
    let blobs = old_blobs(&rig);
    damage_start(&rig.segment(&run.session));
    let repaired = rig.tells(&["session", "repair", &run.session]);
    assert_eq!(repaired["isSound"], true, "{repaired}");
    let kept = rig.data().join("sessions").join(&run.session).join("repair-1");
    check_kept(&rig, &kept, &blobs);
}

#[test]
fn what_a_session_refers_to_of_which_a_repair_left_nothing_is_not_collected() {
    let rig = Rig::new();
    let run = rig.tour();
    let blobs = old_blobs(&rig);
    let session = rig.data().join("sessions").join(&run.session);
    let mut segments = BTreeSet::new();
    gather(&session.join("events"), &mut segments);
    damage_start(segments.first().unwrap());
    rig.run(&["session", "repair", &run.session]);
    check_kept(&rig, &session.join("repair-1"), &blobs);
}

#[test]
fn the_values_of_commits_that_a_repair_took_away_are_not_collected() {
    let rig = with_backpack();
    let blobs = old_blobs(&rig);
    assert_eq!(blobs.len(), 1);
    let log = log_of(&rig, "shared");
    let mut bytes = fs::read(&log).unwrap();
    let key = br#""big""#;
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap();
    bytes[at + 1] ^= 1;
    fs::write(&log, bytes).unwrap();
    let repaired = rig.tells(&["backpack", "repair", "shared"]);
    assert_eq!(repaired["kept"], json!(["backpacks/shared/repair-1"]), "{repaired}");
    check_kept(&rig, &rig.data().join("backpacks/shared/repair-1"), &blobs);
}
